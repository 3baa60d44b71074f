import type { JobState } from '$bindings/JobState';
import type { WatchedJob } from '$bindings/WatchedJob';
import type { WatchState } from '$bindings/WatchState';
import { ago, left, until } from '$lib/moments';
import type { Tone } from '$ui/tone';

export const STATES: Readonly<Record<WatchState, { word: string; tone: Tone; why: string }>> = {
  missed: { word: 'missed', tone: 'bad', why: 'Finished, and no delivery of it is here.' },
  late: { word: 'late', tone: 'dup', why: 'Not finished, and later than it was expected.' },
  waiting: { word: 'waiting', tone: 'off', why: 'Not finished yet.' },
  delivered: { word: 'delivered', tone: 'won', why: 'Its webhook is here.' },
  unknown: { word: 'unknown', tone: 'off', why: 'Sume does not know it, or its status cannot be had.' },
};

export const JOB_STATES: Readonly<Record<JobState, string>> = {
  open: 'not finished yet',
  completed: 'finished well',
  failed: 'finished badly',
  cancelled: 'called off',
  unknown: 'in a state that is not known here',
};

/** How far a watched job is, in one line. */
export function progress(job: WatchedJob, now: number): string {
  const expected = until(job.expected_at, now);
  const due =
    job.state !== 'waiting' || expected === undefined
      ? undefined
      : expected > 0
        ? `expected within ${left(expected)}`
        : 'expected by now';
  const next = until(job.next_at, now);
  return [
    job.word === null || job.word === '' ? undefined : `Sume says “${job.word}”`,
    due,
    looked(job, now),
    next === undefined ? undefined : next > 0 ? `again in ${left(next)}` : 'being looked at',
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** A job whose webhook is here needs no look. */
function looked({ state, checked_at }: WatchedJob, now: number): string {
  if (checked_at !== null) return `looked at ${ago(checked_at, now)}`;
  return state === 'delivered' ? 'its webhook is here' : 'not looked at yet';
}
