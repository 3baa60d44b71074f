import type { JobSchedule } from '$bindings/JobSchedule';
import type { LaidAttempt } from '$bindings/LaidAttempt';
import { SUMES } from '$lib/schedule';
import { describe, expect, it } from 'vitest';
import { delivery } from '../../../test/fake';
import { chart, oddities, standing } from './schedule';

const ENDS = '2025-11-29T12:09:01.000Z';

function laid(seq: number, at_ms: number, over: Partial<LaidAttempt> = {}): LaidAttempt {
  return { seq, attempt: seq, at_ms, due_ms: at_ms, took_ms: 2, too_slow: false, overlaps: null, ...over };
}

function job(attempts: LaidAttempt[], over: Partial<JobSchedule> = {}): JobSchedule {
  return {
    schedule: SUMES,
    attempts,
    left: 10 - attempts.length,
    acknowledged_by: null,
    ends_ms: 270_000,
    ends_at: ENDS,
    ...over,
  };
}

const known = (seqs: number[]) => new Map(seqs.map((seq) => [seq, delivery(seq, { status: 500 })]));

describe('what is odd about a delivery', () => {
  const odd = (over: Partial<LaidAttempt>) => oddities(laid(2, 30_000, over), job([]));

  it('is nothing within a tenth of the gap', () => {
    expect(odd({ due_ms: 27_100 })).toEqual([]);
    expect(odd({ due_ms: 32_900 })).toEqual([]);
  });

  it('is said in words', () => {
    expect(odd({ due_ms: 25_000 })).toEqual(['5.0 s late']);
    expect(odd({ too_slow: true, took_ms: 11_200 })).toEqual(['too slow: answered after 11.2 s']);
    expect(odd({ overlaps: 1 })).toEqual(['came while #1 was being answered']);
    expect(odd({ attempt: null, due_ms: null })).toEqual(['redelivered, or a copy']);
  });
});

describe('how a job stands', () => {
  const before = Date.parse(ENDS) - 125_000;

  it('says how many attempts are left, and until when', () => {
    expect(standing(job([laid(1, 0), laid(2, 30_000)]), before)).toMatch(
      /^8 automatic attempts left until \d\d:09:01, in 2 min 05 s\.$/,
    );
    expect(standing(job([], { left: 1 }), before)).toMatch(/^1 automatic attempt left/);
  });

  it('says that what is left did not come, once the window is over', () => {
    expect(standing(job([laid(1, 0)]), Date.parse(ENDS) + 1)).toMatch(
      /^The schedule ended at \d\d:09:01: 9 automatic attempts did not come here\.$/,
    );
  });

  it('says who ended it, or that nobody did', () => {
    expect(standing(job([laid(4, 0)], { left: 0, acknowledged_by: 4 }), before)).toBe(
      '#4 was acknowledged in time, so no automatic attempt is left.',
    );
    expect(standing(job([], { left: 0 }), before)).toMatch(/A Redeliver would be one more\.$/);
  });
});

describe('the deliveries over the schedule', () => {
  const two = job([laid(1, 0, { took_ms: 12_000, too_slow: true }), laid(2, 45_000, { due_ms: 40_000 })]);

  it('has a lane for each and a numbered mark for every attempt, come or not', () => {
    const drawn = chart(two, known([1, 2]), 2, 400);
    expect(drawn.lanes.map(({ name, current }) => [name, current])).toEqual([
      ['#1', false],
      ['#2', true],
    ]);
    expect(drawn.rules?.map(({ label }) => label)).toEqual(
      Array.from({ length: 10 }, (_, i) => String(i + 1)),
    );
    const xs = drawn.rules?.map(({ x }) => x) ?? [];
    expect([...xs].sort((a, b) => a - b)).toEqual(xs);
    expect(xs.at(-1)).toBeLessThanOrEqual(400);
    expect(drawn.lanes[1]?.words).toBe(
      '#2 · attempt 2 · 45.0 s after the first · 500 · answered in 2.0 ms · 5.0 s late',
    );
  });

  it('puts words beside their marks and within the width', () => {
    for (const width of [320, 420, 900]) {
      for (const { label, labelX, labelEnd } of chart(two, known([1, 2]), 1, width).lanes) {
        const span = label.length * 6.7;
        expect(labelEnd ? labelX - span : labelX).toBeGreaterThanOrEqual(40);
        expect(labelEnd ? labelX : labelX + span).toBeLessThanOrEqual(width);
      }
    }
  });

  it('reaches no further than what came once it was acknowledged', () => {
    const done = job([laid(1, 0)], { left: 0, acknowledged_by: 1, ends_ms: 0 });
    const drawn = chart(done, new Map(), 1, 400);
    expect(drawn.rules).toHaveLength(1);
    expect(drawn.ticks.at(-1)?.label).toMatch(/^(20|30) s$/);
  });

  it('has room for hundreds that came at once', () => {
    const many = job(
      Array.from({ length: 500 }, (_, i) => laid(i + 1, i / 10, { attempt: null, due_ms: null })),
    );
    const drawn = chart(many, new Map(), 1, 400);
    expect(drawn.labelled).toBe(false);
    expect(drawn.height).toBeLessThan(5000);
  });
});
