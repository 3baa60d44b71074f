import { describe, expect, it } from 'vitest';
import { parseCount, parseDuration, parseSize, writeDuration, writeSize } from './units';

describe('durations', () => {
  it.each([
    ['500ms', 'ms', 500],
    ['10 s', 'ms', 10_000],
    ['2m', 's', 120_000],
    ['0.5 S', 'ms', 500],
    ['30', 's', 30_000],
    ['30', 'ms', 30],
    ['', 'ms', undefined],
    ['-1s', 'ms', undefined],
    ['ten', 's', undefined],
    ['1 day', 's', undefined],
    ['1e3', 'ms', undefined],
  ] as const)('reads %j in %s', (text, unit, ms) => {
    expect(parseDuration(text, unit)).toBe(ms);
  });

  it.each([0, 1, 999, 1000, 1500, 60_000, 90_000, 3_600_000])('reads what it writes: %d ms', (ms) => {
    expect(parseDuration(writeDuration(ms), 's')).toBe(ms);
  });
});

describe('sizes', () => {
  it.each([
    ['10MiB', 10_485_760],
    ['10 mb', 10_000_000],
    ['1.5 KiB', 1536],
    ['312', 312],
    ['lots', undefined],
    ['1 XiB', undefined],
  ])('reads %j', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each([0, 1, 1023, 1024, 1025, 10_485_760, 2_147_483_648])('reads what it writes: %d bytes', (bytes) => {
    expect(parseSize(writeSize(bytes))).toBe(bytes);
  });
});

it('reads counts, with commas and without', () => {
  expect(parseCount(' 200,000 ')).toBe(200_000);
  expect(parseCount('0')).toBe(0);
  for (const text of ['', '-1', '1.5', '1e3', 'many']) expect(parseCount(text)).toBeUndefined();
});
