import { Session } from '$host/session.svelte';
import { fromBase64, utf8 } from '$lib/bytes';
import { expect, it, vi } from 'vitest';
import { FakeHost } from '../../../test/fake';
import { Exchange } from './exchange.svelte';

type Answers = ConstructorParameters<typeof FakeHost>[0];

function exchange(answers: Answers) {
  const host = new FakeHost(answers);
  const arrived = vi.fn();
  return { host, arrived, exchange: new Exchange(new Session(host), arrived) };
}

/** Writes each number as itself, at most two at a time; 4 is not kept any more. */
const numbers: Answers = {
  'deliveries.matching': () => ({ seqs: [1, 2, 3, 4, 5] }),
  'deliveries.export': ({ seqs }) => {
    const done = seqs.slice(0, 2);
    const kept = done.filter((seq) => seq !== 4);
    return {
      text: kept.join(','),
      done: done.length,
      gone: done.length - kept.length,
      open: '[',
      between: ',',
      close: ']',
    };
  },
};

it('puts the parts of a file together, and says what was deleted meanwhile', async () => {
  const { host, exchange: files } = exchange(numbers);
  await files.ask('job:a');
  expect(files.asked?.title).toBe('Export 5 deliveries');
  await files.export();
  expect(host.saved.map(({ name, bytes }) => [name, utf8(bytes)])).toEqual([['deliveries.har', '[1,2,3,5]']]);
  expect(files.said).toBe('4 deliveries are exported to /downloads/deliveries.har; 1 were deleted meanwhile');
  expect(files.asked).toBeUndefined();
});

it('stops where it is told to, and saves nothing then', async () => {
  const { host, exchange: files } = exchange({
    ...numbers,
    'deliveries.export': () => {
      files.cancel();
      return { text: '1', done: 1, gone: 0, open: '', between: '', close: '' };
    },
  });
  await files.ask('');
  await files.export();
  expect(host.saved).toEqual([]);
  expect([files.asked, files.writing, files.error]).toEqual([undefined, undefined, undefined]);
});

it('c79 a file goes in parts of a mebibyte, and its bytes stay as they are', async () => {
  const report = { imported: 2, first: 1, last: 2, left_out: 0, skipped: [] };
  const parts: { offset: number; bytes: Uint8Array }[] = [];
  const { arrived, exchange: files } = exchange({
    'deliveries.import': ({ offset, total, base64 }) => {
      const bytes = fromBase64(base64);
      parts.push({ offset, bytes });
      return { report: offset + bytes.length === total ? report : null };
    },
  });
  const file = new File([new Uint8Array(2.5 * 1024 * 1024).fill(0xff)], 'x.har');
  await files.import(file);
  expect(parts.map(({ offset, bytes }) => [offset, bytes.length])).toEqual([
    [0, 1_048_576],
    [1_048_576, 1_048_576],
    [2_097_152, 524_288],
  ]);
  expect(parts.every(({ bytes }) => bytes.every((byte) => byte === 0xff))).toBe(true);
  expect(files.imported).toEqual({ name: 'x.har', report });
  expect(arrived).toHaveBeenCalledOnce();
});

it('a question about an export leaves the import that is on its way alone', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const report = { imported: 2, first: 1, last: 2, left_out: 0, skipped: [] };
  const { host, exchange: files } = exchange({
    ...numbers,
    'deliveries.import': async ({ offset }) => {
      if (offset > 0) return { report };
      await held;
      return { report: null };
    },
  });
  const file = new File([new Uint8Array(1.5 * 1024 * 1024)], 'x.har');
  const imported = files.import(file);
  await expect.poll(() => host.asked('deliveries.import')).toBe(1);
  const reading = { verb: 'Read', done: 0, total: file.size };
  expect(files.reading).toMatchObject(reading);
  await files.ask('');
  expect(files.asked?.seqs).toHaveLength(5);
  expect([files.reading, files.writing]).toMatchObject([reading, undefined]);
  files.cancel();
  expect(files.asked).toBeUndefined();
  release();
  await imported;
  expect(host.asked('deliveries.import')).toBe(2);
  expect(files.imported).toEqual({ name: 'x.har', report });
});

it('an import that is stopped stays so when an export is asked about', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const { host, exchange: files } = exchange({
    ...numbers,
    'deliveries.import': () => held.then(() => ({ report: null })),
  });
  const imported = files.import(new File([new Uint8Array(1.5 * 1024 * 1024)], 'x.har'));
  await expect.poll(() => host.asked('deliveries.import')).toBe(1);
  files.stop();
  await files.ask('');
  release();
  await imported;
  expect(host.asked('deliveries.import')).toBe(1);
});

it('an export goes beside the import that is on its way', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const report = { imported: 1, first: 1, last: 1, left_out: 0, skipped: [] };
  const { host, exchange: files } = exchange({
    ...numbers,
    'deliveries.import': () => held.then(() => ({ report })),
  });
  const imported = files.import(new File(['{}'], 'x.har'));
  await files.ask('');
  await files.export();
  expect(host.saved).toHaveLength(1);
  expect([files.reading?.done, files.writing]).toEqual([0, undefined]);
  release();
  await imported;
  expect([files.reading, files.imported?.name]).toEqual([undefined, 'x.har']);
});

it('an empty file is asked about too, and what is wrong with it is shown', async () => {
  const { exchange: files } = exchange({
    'deliveries.import': () => {
      throw new Error('The file is empty.');
    },
  });
  await files.import(new File([], 'x.har'));
  expect(files.error?.title).toBe('x.har was not imported');
  expect(files.error?.error.message).toBe('The file is empty.');
});
