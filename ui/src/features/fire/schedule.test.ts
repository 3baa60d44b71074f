import { describe, expect, it } from 'vitest';
import { attempt, delivering } from '../../test/delivering';
import { chart, earliest, sentence } from './schedule';

const failing = [attempt(1, 0, { total_ms: 10_000, status: null, outcome: 'unknown' }), attempt(2, 40_000)];

describe('the attempts on a time line', () => {
  const drawn = chart(delivering(failing), 700);

  it('has a lane for each, for those that may come, and for a Redeliver', () => {
    expect(drawn.lanes.map(({ name }) => name)).toEqual([
      ...Array.from({ length: 10 }, (_, i) => String(i + 1)),
      '+1',
    ]);
    expect(drawn.lanes.filter(({ ghost }) => ghost)).toHaveLength(9);
    expect(drawn.lanes.at(-1)?.words).toMatch(/does not count as one of the attempts/);
  });

  it('draws the gap from the end of one to the next', () => {
    const [one, two, three] = drawn.lanes;
    expect(two?.held).toEqual({ from: one?.bars[0]?.to, to: two?.bars[0]?.from });
    expect(three?.held?.to).toBe(three?.points[0]?.x);
  });

  it('puts everything within its width, words and all', () => {
    for (const width of [360, 700, 1400]) {
      const { lanes, ticks } = chart(delivering(failing), width);
      for (const { label, labelX, labelEnd } of lanes) {
        const span = label.length * 6.7;
        expect(labelEnd ? labelX - span : labelX).toBeGreaterThan(0);
        expect(labelEnd ? labelX : labelX + span).toBeLessThanOrEqual(width);
      }
      expect(ticks.length).toBeGreaterThan(1);
    }
  });

  it('says how late one began', () => {
    const late = delivering([attempt(1, 0), attempt(2, 33_002, { due_ms: 30_002 })]);
    expect(chart(late, 700).lanes[1]?.words).toContain('3.0 s after it was due');
  });

  it('draws no attempt that will never be made', () => {
    const done = delivering([attempt(1, 0, { status: 204, acknowledged: true })], {
      state: 'done',
      delivered: true,
    });
    const { lanes } = chart(done, 700);
    expect(lanes.map(({ name, tone }) => [name, tone])).toEqual([
      ['1', 'won'],
      ['+1', 'off'],
    ]);
  });

  it('marks the one on its way', () => {
    const { lanes } = chart(delivering([attempt(1, 0)], { in_flight: 2 }), 700);
    expect(lanes[1]).toMatchObject({ label: 'on its way', ghost: false });
  });
});

it('knows when the coming ones begin at the earliest, at any scale', () => {
  expect([...earliest(delivering([]))].slice(0, 2)).toEqual([
    [1, 0],
    [2, 30_000],
  ]);
  const quick = delivering(failing, { schedule: { ...delivering([]).schedule, time_scale: 60 } });
  expect([...earliest(quick)][0]).toEqual([3, 40_002 + 500]);
});

it.each([
  [delivering([]), 'Attempt 1 of 10 is on its way.'],
  [delivering(failing), 'Attempt 2 was answered 500. Attempt 3 of 10 follows.'],
  [delivering(failing, { in_flight: 3 }), 'Attempt 2 was answered 500. Attempt 3 of 10 is on its way.'],
  [delivering(failing.slice(0, 1)), 'Attempt 1 got no answer. Attempt 2 of 10 follows.'],
  [delivering([], { state: 'failed' }), 'Nothing could be delivered.'],
  [delivering(failing, { state: 'stopped' }), 'Stopped after 2 attempts of 10: none was acknowledged.'],
  [
    delivering(failing, { state: 'done', delivered: false }),
    'Not delivered: none of 2 attempts was acknowledged.',
  ],
  [
    delivering([attempt(1, 0, { status: 204 })], { state: 'done', delivered: true }),
    'Attempt 1 of 10 was answered 204.',
  ],
  [
    delivering([...failing, attempt(3, 70_000, { status: 200 })], { state: 'done', delivered: true }),
    'Attempt 3 of 10 was answered 200, 1 min 10 s after the first began.',
  ],
])('says what happened (%#)', (report, said) => {
  expect(sentence(report)).toBe(said);
});
