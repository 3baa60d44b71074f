import type { RunReport } from '$bindings/RunReport';
import { count, duration } from '$lib/format';
import { tally, type Claims } from './claims';
import { statusesOf } from './sentence';

/** A figure of a run and what it counts. */
export type Fact = { key: string; value: string; label: string; bad?: boolean; title?: string };

const METHODS = {
  'io-uring': 'Let go with one io_uring submission',
  'send-loop': 'Let go with a loop of sends',
  unheld: 'Nothing was held back',
} as const;

/** How far apart the releases were: to the microsecond, since that is what two volleys differ in. */
function spread(us: number): string {
  return us < 1000
    ? `${us.toFixed(0)} µs`
    : us < 10_000
      ? `${(us / 1000).toFixed(2)} ms`
      : duration(us / 1000);
}

/** How far apart the copies of a volley were released; nothing where fewer than two were. */
export function apart({ summary, release }: RunReport): string | undefined {
  const volley = release.kind === 'together' && summary && summary.copies - summary.not_sent > 1;
  return volley ? spread(summary.release_spread_us) : undefined;
}

/** What was measured of a run that has ended, or of what is back of one on its way. */
export function factsOf(run: RunReport, claims?: Claims): Fact[] {
  const answers = statusesOf(run)
    .map(([status, times]) => `${count(times)} × ${status}`)
    .join(', ');
  const facts: Fact[] = [{ key: 'answers', value: answers || '0', label: 'answers' }];
  const { summary } = run;
  if (!summary) return facts;
  const within = apart(run);
  if (within !== undefined) {
    const title = METHODS[summary.released_by];
    facts.push({ key: 'spread', value: within, label: 'released within', title });
  }
  facts.push({ key: 'peak', value: count(summary.peak_in_flight), label: 'in flight at once' });
  if (claims && claims.size > 0) {
    const { won, duplicate } = tally(claims);
    const label = won > 1 ? 'effects, one expected' : 'won the claim';
    facts.push({ key: 'won', value: count(won), label, bad: won > 1 });
    facts.push({ key: 'duplicate', value: count(duplicate), label: 'duplicates' });
  }
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
