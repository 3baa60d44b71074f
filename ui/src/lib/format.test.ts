import { expect, it } from 'vitest';
import { byteSize, duration, middle, plural, splitsPair } from './format';

it.each([
  [0.02, '20 µs'],
  [0.84, '0.8 ms'],
  [12.3, '12 ms'],
  [999.7, '1.0 s'],
  [9_800, '9.8 s'],
  [125_000, '2 min 5 s'],
  [null, ''],
])('duration of %s ms', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [10 * 1024 * 1024, '10 MiB'],
  [1024 * 1024 - 1, '1.0 MiB'],
])('%s bytes', (bytes, text) => {
  expect(byteSize(bytes)).toBe(text);
});

it('cuts an id in its middle and never a character', () => {
  expect(middle('job_1f3a99b2c3d477c0', 13)).toBe('job_1f3a…77c0');
  expect(middle('short')).toBe('short');
  const family = '👩‍👩‍👧';
  expect(middle(family.repeat(30), 10)).toBe(`${family.repeat(6)}…${family.repeat(3)}`);
});

it('counts in words', () => {
  expect(plural(1, 'delivery', 'deliveries')).toBe('1 delivery');
  expect(plural(1200, 'delivery', 'deliveries')).toBe('1,200 deliveries');
});

it('tells where a pair of surrogates would be parted', () => {
  const parted = (text: string) => [...Array(text.length + 1).keys()].filter((at) => splitsPair(text, at));
  expect(parted('a😀b😀')).toEqual([2, 5]);
  // Halves by themselves are no pair.
  expect(parted('\ude00a\ud83d')).toEqual([]);
});
