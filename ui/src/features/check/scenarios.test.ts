import { expect, it } from 'vitest';
import { FIRST, SCENARIOS, chosen, leftOut } from './scenarios';

it('all of them are neither chosen nor skipped', () => {
  expect(SCENARIOS).toHaveLength(21);
  expect(chosen([])).toEqual({ only: [], skip: [] });
});

it('a few are chosen, many are what is left after the skipped', () => {
  const few = SCENARIOS.filter((id) => id !== 'concurrent');
  expect(chosen(few)).toEqual({ only: [FIRST, 'concurrent'], skip: [] });
  expect(chosen(['large-body', 'retry'])).toEqual({ only: [], skip: ['retry', 'large-body'] });
});

it('the first is never left out', () => {
  expect(chosen([FIRST])).toEqual({ only: [], skip: [] });
  expect(leftOut(['retry'], [])).not.toContain(FIRST);
});

it.each([[[]], [['retry' as const]], [SCENARIOS.filter((id) => id !== FIRST)], [SCENARIOS.slice(5)]])(
  'what was left out is read back: %j',
  (out) => {
    const { only, skip } = chosen(out);
    expect(leftOut(only, skip)).toEqual(out);
  },
);
