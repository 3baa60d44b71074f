import type { ScenarioId } from '$bindings/ScenarioId';

/** What each scenario sends, in the order in which they are examined. */
const WHAT = {
  'first-delivery': 'one signed delivery',
  retry: 'the same body three more times, one after another',
  'late-retry': 'one retry, 50 ms to 2.5 s after the first',
  concurrent: 'many copies at the same instant',
  'race-search': 'pairs and volleys whose offsets search for the window',
  'forged-signature': 'wrong, truncated, empty and over-long signatures',
  'missing-signature': 'no signature header',
  'tampered-body': 'a valid signature of another body',
  'forged-then-real': 'a forged delivery of a job, then its real one',
  'stale-timestamp': 'signed, a day old',
  'no-job-id': 'a signed webhook.test without a job_id',
  'distinct-jobs': 'many jobs at once whose ids are nearly the same',
  'exact-bytes': 'odd spaces, escapes, emoji, a last newline',
  'malformed-json': 'signed bodies that are not JSON',
  'large-body': 'a signed body of 1 MiB',
  'work-fails': 'the work fails the first time',
  'slow-work': 'the work takes 3 s; given up after 1 s and sent again',
  'overlap-then-fail': 'a duplicate while the work runs, which then fails',
  'across-instances': 'copies of one job at once, spread over the instances',
  'after-restart': 'delivered, started again, delivered again',
  'crash-mid-work': 'killed during the work, started again, delivered again',
} as const satisfies Record<ScenarioId, string>;

/** All of them, in their order. */
export const SCENARIOS = Object.keys(WHAT) as ScenarioId[];

/** The one that every other stands on: it is always examined. */
export const FIRST: ScenarioId = 'first-delivery';

/** What a scenario sends, in a few words. */
export function whatOf(id: ScenarioId): string {
  // A report of a newer version may name one that is not known here.
  return (WHAT as Partial<Record<string, string>>)[id] ?? '';
}

/** What is asked for so that these are left out: the shorter one of both lists. */
export function chosen(leftOut: readonly ScenarioId[]): { only: ScenarioId[]; skip: ScenarioId[] } {
  const skip = SCENARIOS.filter((id) => id !== FIRST && leftOut.includes(id));
  const only = SCENARIOS.filter((id) => !skip.includes(id));
  return only.length < skip.length ? { only, skip: [] } : { only: [], skip };
}

/** What is left out by what was asked for. */
export function leftOut(only: readonly string[], skip: readonly string[]): ScenarioId[] {
  return SCENARIOS.filter(
    (id) => id !== FIRST && (skip.includes(id) || (only.length > 0 && !only.includes(id))),
  );
}
