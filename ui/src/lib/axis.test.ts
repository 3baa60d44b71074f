import { expect, it } from 'vitest';
import { marks, ticks, timeMarks } from './axis';

it.each([
  [4.6, 6, [0, 1, 2, 3, 4, 5]],
  [1, 4, [0, 0.5, 1]],
  [0.31, 4, [0, 0.1, 0.2, 0.3, 0.4]],
  [10_000, 5, [0, 2000, 4000, 6000, 8000, 10_000]],
  [20, 2, [0, 10, 20]],
])('marks 0 to %d in about %d steps', (end, wanted, marks) => {
  expect(ticks(end, wanted)).toEqual(marks);
});

it.each([0.0003, 0.07, 3.3, 999, 123_456])('reaches %d with round marks and not too many', (end) => {
  const marks = ticks(end, 6);
  expect(marks.at(-1)).toBeGreaterThanOrEqual(end);
  expect(marks.length).toBeLessThanOrEqual(8);
});

it('marks never are the first alone, and stop at the end', () => {
  expect(marks(1, 4).length).toBeGreaterThan(1);
  expect(Math.max(...marks(270, 3))).toBeLessThanOrEqual(270 * 1.02);
});

it.each([
  [300_000, 6, 60_000],
  [330_000, 3, 120_000],
  [90_000, 4, 30_000],
  [40_000, 4, 10_000],
])('a time line of %i ms with about %i marks has one each %i ms', (end, wanted, step) => {
  expect(timeMarks(end, wanted)[1]).toBe(step);
});
