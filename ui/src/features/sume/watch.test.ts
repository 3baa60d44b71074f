import type { WatchedJob } from '$bindings/WatchedJob';
import { expect, it } from 'vitest';
import { idsOf } from './watch.svelte';
import { progress } from './words';

it.each([
  ['job_1', ['job_1']],
  ['job_1 job_2\n\njob_1', ['job_1', 'job_2']],
  ['["job_1", "job_2"]', ['job_1', 'job_2']],
  ["job_1;job_2,\t'job_3'", ['job_1', 'job_2', 'job_3']],
  ['  ', []],
])('%j is %j', (text, ids) => {
  expect(idsOf(text)).toEqual(ids);
});

const NOW = Date.parse('2025-11-29T12:00:00Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();

function job(over: Partial<WatchedJob>): WatchedJob {
  return {
    job_id: 'job_1',
    added_at: at(-60_000),
    expected_at: at(30_000),
    state: 'waiting',
    word: null,
    checked_at: null,
    next_at: null,
    delivery: null,
    problem: null,
    ...over,
  };
}

it.each([
  [job({}), 'expected within 30 s · not looked at yet'],
  [
    job({ word: 'RUNNING', checked_at: at(-12_000), next_at: at(8000) }),
    'Sume says “RUNNING” · expected within 30 s · looked at 12 s ago · again in 8 s',
  ],
  [job({ expected_at: at(-1), next_at: at(-1) }), 'expected by now · not looked at yet · being looked at'],
  [
    job({ state: 'missed', word: 'completed', checked_at: at(0) }),
    'Sume says “completed” · looked at just now',
  ],
])('says how far a job is (%#)', (one, said) => {
  expect(progress(one, NOW)).toBe(said);
});
