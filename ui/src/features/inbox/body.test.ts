import { Session } from '$host/session.svelte';
import { toBase64 } from '$lib/bytes';
import { expect, it } from 'vitest';
import { FakeHost } from '../../test/fake';
import { Body, wholeCharacters } from './body.svelte';

const encoder = new TextEncoder();

function body(bytes: Uint8Array): Body {
  const host = new FakeHost({
    'deliveries.body': ({ offset, length }) => ({
      base64: toBase64(bytes.subarray(offset, offset + length)),
      offset,
      total: bytes.length,
      json_error: null,
    }),
  });
  return new Body(new Session(host), 1);
}

it('c59_a_slice_never_splits_a_character', async () => {
  const text = 'aé€👩‍💻'.repeat(3);
  const bytes = encoder.encode(text);
  for (let length = 1; length < bytes.length; length += 1) {
    const part = body(bytes);
    await part.more(length);
    expect(part.text.exact).toBe(true);
    expect(text.startsWith(part.text.text)).toBe(true);
    expect(length - encoder.encode(part.text.text).length).toBeLessThan(4);
    await part.rest();
    expect([part.whole, part.text.text]).toEqual([true, text]);
  }
});

it('bytes that are not UTF-8 are said to be replaced', async () => {
  const part = body(Uint8Array.of(0x61, 0xff, 0x62));
  await part.more();
  expect(part.text).toEqual({ text: 'a\ufffdb', exact: false });
});

it('a cut at the end of the whole body is shown, not left out', async () => {
  const part = body(Uint8Array.of(0x61, 0xe2, 0x82));
  await part.more();
  expect(part.text).toEqual({ text: 'a\ufffd', exact: false });
});

it('an empty body is whole', async () => {
  const part = body(new Uint8Array());
  await part.more();
  expect([part.whole, part.text.text]).toEqual([true, '']);
});

it('what failed stands and can be tried again', async () => {
  const host = new FakeHost();
  const part = new Body(new Session(host), 1);
  await part.rest();
  expect([part.error?.code, part.loading, part.whole]).toEqual(['not-found', false, false]);
});

it.each([
  [[0x61], 1],
  [[0x61, 0xc3], 1],
  [[0xc3, 0xa9], 2],
  [[0x61, 0xf0, 0x9f, 0x91], 1],
  [[0x80, 0x80, 0x80, 0x80], 4],
  [[], 0],
])('whole characters of %j', (bytes, length) => {
  expect(wholeCharacters(Uint8Array.from(bytes))).toBe(length);
});
