import { expect, it } from 'vitest';
import { concat, fromBase64, toBase64, utf8 } from './bytes';

it('every byte survives', () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 256);
  expect(fromBase64(toBase64(bytes))).toEqual(bytes);
});

it('reads UTF-8 with its byte order mark and nothing else', () => {
  expect(utf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
  expect(utf8(Uint8Array.of(0xff))).toBeUndefined();
  expect(utf8(Uint8Array.of(0xc3))).toBeUndefined();
});

it('puts slices together', () => {
  expect(concat([Uint8Array.of(1, 2), Uint8Array.of(), Uint8Array.of(3)])).toEqual(Uint8Array.of(1, 2, 3));
});
