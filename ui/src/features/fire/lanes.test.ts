import { describe, expect, it } from 'vitest';
import { copy, run } from '../../test/runs';
import { chart } from './lanes';

const two = run([copy(1), copy(2, { released_us: 1000, first_byte_ms: 3, total_ms: 4 })]);

describe('a chart', () => {
  const drawn = chart(two, 800);

  it('puts the first release on its line and every time after it to scale', () => {
    const [one, other] = drawn.lanes;
    expect(one?.bars[0]?.from).toBe(drawn.zero);
    const scale = ((one?.bars[0]?.to ?? 0) - drawn.zero) / 2;
    expect(other?.bars[0]?.from).toBeCloseTo(drawn.zero + scale);
    expect(other?.bars[0]?.first).toBeCloseTo(drawn.zero + 4 * scale);
    expect(other?.bars[0]?.to).toBeCloseTo(drawn.zero + 5 * scale);
  });

  it('draws what was before the release left of it', () => {
    const held = drawn.lanes[0]?.held;
    expect(held?.from).toBeLessThan(drawn.zero);
    expect(held?.to).toBe(drawn.zero);
  });

  it('leaves room for every label', () => {
    for (const lane of drawn.lanes) expect(lane.labelX).toBeLessThan(drawn.width - 60);
    for (const tick of drawn.ticks) expect(tick.x).toBeLessThan(drawn.width);
  });
});

it('shares its axis with the run that is laid over it', () => {
  const slow = run([copy(1, { total_ms: 100 })]);
  const alone = chart(two, 800).lanes[0]?.bars[0]?.to ?? 0;
  const beside = chart(two, 800, { beside: slow }).lanes[0]?.bars[0]?.to ?? 0;
  expect(beside).toBeLessThan(alone);
  const over = chart(slow, 800, { beside: two });
  expect(chart(two, 800, { beside: slow }).lanes[1]?.bars[0]?.from).toBeCloseTo(
    over.zero + ((over.lanes[0]?.bars[0]?.to ?? 0) - over.zero) / 100,
  );
});

it('has a lane for every planned copy, back or not', () => {
  const going = run([copy(3)], { state: 'running', summary: null, copies_planned: 5 });
  const { lanes } = chart(going, 800);
  expect(lanes.map((lane) => lane.label)).toEqual([
    'waiting',
    'waiting',
    '204 · 2.0 ms',
    'waiting',
    'waiting',
  ]);
});

it('draws no bar for what was never released', () => {
  const unsent = copy(1, {
    outcome: 'not-sent',
    status: null,
    released_us: null,
    total_ms: null,
    first_byte_ms: null,
  });
  const [lane] = chart(run([unsent]), 800).lanes;
  expect(lane).toMatchObject({ bars: [], label: 'not sent', tone: 'off' });
});

it('puts more lanes on less room and stops to label them past fifty', () => {
  const many = (n: number) => chart(run(Array.from({ length: n }, (_, i) => copy(i + 1))), 800);
  expect(many(50).labelled).toBe(true);
  expect(many(51).labelled).toBe(false);
  expect(many(50).lanes[0]?.height).toBeLessThan(many(10).lanes[0]?.height ?? 0);
});

it('says what our own listener said, and that more than one ran it', () => {
  const label = (claims: Map<number, 'won' | 'duplicate'>) =>
    chart(two, 800, { claims }).lanes.map((lane) => [lane.tone, lane.label.split(' · ').at(-1)]);
  expect(
    label(
      new Map([
        [1, 'won'],
        [2, 'duplicate'],
      ]),
    ),
  ).toEqual([
    ['won', 'won'],
    ['dup', 'duplicate'],
  ]);
  expect(
    label(
      new Map([
        [1, 'won'],
        [2, 'won'],
      ]),
    ),
  ).toEqual([
    ['bad', 'ran it'],
    ['bad', 'ran it'],
  ]);
});
