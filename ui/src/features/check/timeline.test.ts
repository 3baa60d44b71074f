import { describe, expect, it } from 'vitest';
import { trace, traceCopy } from '../../test/checks';
import { chart } from './timeline';

const WIDTH = 700;

describe('the lanes of a job', () => {
  it('lie on one axis in the order in which copies were sent', () => {
    const drawn = chart(trace([traceCopy(0), traceCopy(10), traceCopy(20, { status: 500 })]), WIDTH);
    const [one, two, three] = drawn.lanes.map((lane) => lane.bars[0]!);
    expect(two!.from - one!.from).toBeCloseTo(three!.from - two!.from);
    expect(one!.from).toBeLessThan(one!.first);
    expect(one!.first).toBeLessThanOrEqual(one!.to);
    expect(drawn.lanes.map((lane) => [lane.name, lane.tone])).toEqual([
      ['1', 'accent'],
      ['2', 'accent'],
      ['3', 'bad'],
    ]);
    for (const lane of drawn.lanes)
      expect(lane.labelX + lane.label.length * 6.7).toBeLessThanOrEqual(WIDTH + 7);
    expect(drawn.ticks[0]?.label).toBe('0');
  });

  it('say what was special, and what went wrong', () => {
    const drawn = chart(
      trace([
        traceCopy(0, { label: 'truncated signature', status: 401 }),
        traceCopy(1, {
          status: null,
          outcome: 'unknown',
          first_byte_ms: null,
          error: 'The connection was reset.',
        }),
        traceCopy(2, { sent_ms: null, first_byte_ms: null, outcome: 'not-sent', status: null }),
      ]),
      WIDTH,
    );
    expect(drawn.lanes.map((lane) => lane.label)).toEqual([
      '401 · 2.0 ms · truncated signature',
      'no answer · 2.0 ms',
      'not sent',
    ]);
    expect(drawn.lanes[1]).toMatchObject({ error: 'The connection was reset.' });
    expect(drawn.lanes[1]?.words).toContain('given up after 2.0 ms');
    expect(drawn.lanes[2]?.bars).toEqual([]);
  });

  it('name the instance where there are several', () => {
    const drawn = chart(trace([traceCopy(0), traceCopy(0, { instance: 2 })]), WIDTH);
    expect(drawn.lanes[1]?.label).toBe('200 · 2.0 ms · instance 2');
  });
});

describe('what else happened', () => {
  const mark = (kind: string, at_ms: number, lasted_ms: number | null = null) => ({
    kind,
    at_ms,
    lasted_ms,
    text: `${kind} at ${at_ms}`,
  });

  it('has a lane of its kind below the copies, and one more where downloads overlap', () => {
    const marks = [mark('effect', 9), mark('download', 1, 6), mark('download', 3, 6), mark('effect', 7)];
    const drawn = chart(trace([traceCopy(0)], { marks }), WIDTH);
    expect(drawn.lanes.map((lane) => lane.name)).toEqual(['1', 'download', 'download', 'effect']);
    expect(drawn.lanes.at(-1)?.points.map(({ tone }) => tone)).toEqual(['won', 'bad']);
    expect(drawn.lanes.at(-1)).toMatchObject({ label: '2 times', tone: 'bad' });
    expect(drawn.lanes[1]?.y).toBeGreaterThan(drawn.lanes[0]!.y);
  });

  it('counts for the axis too', () => {
    const drawn = chart(trace([traceCopy(0)], { marks: [mark('handler', 3000)] }), WIDTH);
    expect(drawn.ticks.at(-1)?.label).toMatch(/s$/);
    expect(drawn.lanes.at(-1)!.points[0]!.x).toBeLessThan(WIDTH);
  });
});

it('a long label is cut, and whole in its words', () => {
  const label = 'one whose description never comes to its end '.repeat(4).trim();
  const lane = chart(trace([traceCopy(0, { label })]), 400).lanes[0]!;
  expect(lane.label).toMatch(/…$/);
  expect(lane.words).toContain(label);
});

it('many copies and nothing at all can be drawn', () => {
  expect(chart(trace(Array.from({ length: 1000 }, () => traceCopy(0))), WIDTH).labelled).toBe(false);
  const nothing = chart(trace([]), WIDTH);
  expect(nothing.lanes).toEqual([]);
  expect(Number.isFinite(nothing.height)).toBe(true);
});
