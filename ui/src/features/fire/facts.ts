import type { RunReport } from '$bindings/RunReport';
import { count, duration } from '$lib/format';
import { statusesOf } from './sentence';

/** A figure of a run and what it counts. */
export type Fact = { key: string; value: string; label: string; bad?: boolean; title?: string };

const METHODS = {
  'io-uring': 'Let go with one io_uring submission',
  'send-loop': 'Let go with a loop of sends',
  unheld: 'Nothing was held back',
} as const;

/** What was measured of a run that has ended, or of what is back of one on its way. */
export function factsOf(run: RunReport): Fact[] {
  const answers = statusesOf(run)
    .map(([status, times]) => `${count(times)} × ${status}`)
    .join(', ');
  const facts: Fact[] = [{ key: 'answers', value: answers || '0', label: 'answers' }];
  const { summary } = run;
  if (!summary) return facts;
  if (run.copies_planned > 1 && run.release.kind === 'together') {
    facts.push({
      key: 'spread',
      value: duration(summary.release_spread_us / 1000),
      label: 'released within',
      title: METHODS[summary.released_by],
    });
  }
  facts.push({ key: 'peak', value: count(summary.peak_in_flight), label: 'in flight at once' });
  if (summary.outcome_unknown > 0) {
    facts.push({
      key: 'unknown',
      value: count(summary.outcome_unknown),
      label: 'without an answer',
      bad: true,
      title: 'They were sent and may have taken effect',
    });
  }
  if (summary.not_sent > 0) {
    facts.push({ key: 'unsent', value: count(summary.not_sent), label: 'never sent', bad: true });
  }
  return facts;
}
