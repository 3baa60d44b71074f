import { expect, it } from 'vitest';
import { byteRows, firstDifference, windowStart, WINDOW } from './bytes';

it('finds the first byte that differs, and where one ends', () => {
  const bytes = (...list: number[]) => Uint8Array.from(list);
  expect(firstDifference(bytes(1, 2, 3), bytes(1, 2, 3))).toBeUndefined();
  expect(firstDifference(bytes(1, 2, 3), bytes(1, 0, 3))).toBe(1);
  expect(firstDifference(bytes(1, 2), bytes(1, 2, 3))).toBe(2);
  expect(firstDifference(bytes(), bytes(0))).toBe(0);
});

it('a window begins with whole rows before the place, never before the first', () => {
  expect([0, 15, 32, 47, 48, 100].map(windowStart)).toEqual([0, 0, 0, 0, 16, 64]);
  expect(WINDOW).toBeGreaterThan(3 * 16);
});

it('a row tells its offset, its bytes, those that differ, and what is printable', () => {
  const one = new TextEncoder().encode('abcdefghijklmnopQ');
  const other = new TextEncoder().encode('abXXefghijklmnoX');
  const rows = byteRows(one, other, 64);
  expect(rows).toEqual([
    {
      offset: '00000040',
      runs: [
        { hex: '61 62 ', differs: false },
        { hex: '63 64', differs: true },
        { hex: ' 65 66 67 68 69 6a 6b 6c 6d 6e 6f ', differs: false },
        { hex: '70', differs: true },
      ],
      text: 'abcdefghijklmnop',
    },
    { offset: '00000050', runs: [{ hex: '51', differs: true }], text: 'Q' },
  ]);
});
