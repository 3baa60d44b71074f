import { expect, it } from 'vitest';
import { lines } from './ndjson';

async function read(chunks: string[] | Uint8Array[]): Promise<unknown[]> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
      controller.close();
    },
  });
  const found: unknown[] = [];
  for await (const line of lines(body)) found.push(line);
  return found;
}

it('lines come whole however they were cut', async () => {
  expect(await read(['{"a":1}\n{"b"', ':2}\n\n\n', '{"c":3}\n'])).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
});

it('a character that a chunk cuts is whole', async () => {
  const bytes = new TextEncoder().encode('"é"\n');
  expect(await read([bytes.slice(0, 2), bytes.slice(2)])).toEqual(['é']);
});

it('a line that the stream broke off is left out', async () => {
  expect(await read(['1\n2'])).toEqual([1]);
});
