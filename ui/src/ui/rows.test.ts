import { expect, it } from 'vitest';
import { MOST_PX, place, revealed } from './rows';

it('draws what is seen, with some to spare, and as many everywhere', () => {
  expect(place(5, 30, 600, 0)).toMatchObject({ first: 0, drawn: 5, shown: 150, offset: 0 });
  const top = place(1000, 30, 600, 0);
  expect(top).toEqual({ first: 0, drawn: 37, shown: 30_000, ratio: 1, offset: 0 });
  for (const at of [1, 29, 30, 4000, 29_399, 29_400]) {
    const { first, drawn, offset } = place(1000, 30, 600, at);
    expect(drawn).toBe(37);
    expect(offset).toBe(first * 30);
    expect(first * 30).toBeLessThanOrEqual(at);
    expect((first + drawn) * 30).toBeGreaterThanOrEqual(at + 600);
  }
  expect(place(1000, 30, 600, 0, 0)).toMatchObject({ first: 0, drawn: 21, offset: 0 });
  expect(place(1000, 30, 600, 30, 0)).toMatchObject({ first: 1, drawn: 21, offset: 30 });
  expect(place(0, 30, 600, 0)).toMatchObject({ first: 0, drawn: 0, shown: 0 });
});

it('reaches the last of ten million rows, which no element could hold', () => {
  for (const total of [1_000_000, 10_000_000]) {
    const end = MOST_PX - 600;
    const { first, drawn, shown, ratio, offset } = place(total, 30, 600, end);
    expect(shown).toBe(MOST_PX);
    expect(first + drawn).toBe(total);
    // The last row ends where what is scrolled ends.
    expect(offset + drawn * 30).toBeCloseTo(MOST_PX, 3);
    expect(revealed(total - 1, 30, 600, 0, ratio)).toBeCloseTo(end, 3);
    for (const at of [0, 1, 777_777, end / 2]) {
      const there = place(total, 30, 600, at);
      const into = at - there.offset;
      expect(into).toBeGreaterThanOrEqual(0);
      expect(there.drawn * 30 - into).toBeGreaterThanOrEqual(600);
    }
  }
});

it('scrolls no further than needed', () => {
  expect(revealed(3, 30, 600, 0, 1)).toBe(0);
  expect(revealed(20, 30, 600, 0, 1)).toBe(30);
  expect(revealed(2, 30, 600, 300, 1)).toBe(60);
});
