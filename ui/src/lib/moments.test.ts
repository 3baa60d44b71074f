import { expect, it } from 'vitest';
import { ago, left, until } from './moments';

const at = '2025-11-29T12:04:30.000Z';
const time = Date.parse(at);

it('counts to a moment, and past it', () => {
  expect(until(at, time - 1500)).toBe(1500);
  expect(until(at, time + 20)).toBe(-20);
  expect(until(null, time)).toBeUndefined();
  expect(until('soon', time)).toBeUndefined();
});

it('says what is left in seconds that reach zero with the moment', () => {
  expect([-5, 0, 1, 1000, 59_001, 245_000, 3_780_000].map(left)).toEqual([
    '0 s',
    '0 s',
    '1 s',
    '1 s',
    '1 min 00 s',
    '4 min 05 s',
    '1 h 03 min',
  ]);
});

it('says how long ago something was', () => {
  expect([0, 12_900, 245_000].map((ms) => ago(at, time + ms))).toEqual(['just now', '12 s ago', '4 min ago']);
  expect(ago(at, time + 7_200_000)).toMatch(/^at \d\d:\d\d:30$/);
  expect(ago('never', time)).toBe('never');
});
