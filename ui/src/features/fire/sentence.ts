import type { RunReport } from '$bindings/RunReport';
import { tally, type Claims } from './claims';
import { wordOf } from '$ui/outcome';
import { count, duration, plural } from '$lib/format';

/** How many answered what, ordered by how often: `[["204", 9], ["500", 1]]`. */
export function statusesOf(run: RunReport): [string, number][] {
  const tally = new Map<string, number>();
  if (run.summary) {
    for (const [status, times] of Object.entries(run.summary.statuses)) tally.set(status, times);
  } else {
    for (const copy of run.copies) {
      if (copy.status === null || copy.outcome !== 'answered') continue;
      tally.set(String(copy.status), (tally.get(String(copy.status)) ?? 0) + 1);
    }
  }
  return [...tally].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
}

/** What happened to how many, in one sentence; with what our own listener counted, where it was the target. */
export function sentence(run: RunReport, claims?: Claims): string {
  const said = claims && counted(claims);
  return said ? `${answers(run)} ${said}.` : answers(run);
}

function counted(claims: Claims): string | undefined {
  const { won, duplicate } = tally(claims);
  if (won > 1) return `The effect ran ${count(won)} times`;
  if (won === 1) {
    if (duplicate === 0) return claims.size === 1 ? 'It won the claim' : 'One won the claim';
    return `One won the claim and ${count(duplicate)} ${duplicate === 1 ? 'was a duplicate' : 'were duplicates'}`;
  }
  if (duplicate === 0) return undefined;
  return claims.size === 1
    ? 'It was a duplicate'
    : `${duplicate === claims.size ? 'All ' : ''}${count(duplicate)} were duplicates of an earlier delivery`;
}

function answers(run: RunReport): string {
  if (run.state === 'failed') return 'Nothing could be fired.';
  if (run.state === 'running') {
    const { length } = run.copies;
    return length === 0
      ? `Firing ${plural(run.copies_planned, 'copy', 'copies')} …`
      : `Firing: ${count(length)} of ${count(run.copies_planned)} are back.`;
  }
  const only = run.copies[0];
  if (run.copies_planned === 1 && only && run.state === 'done') return one(only);
  const parts = outcomes(run);
  const [first, ...rest] = parts;
  if (run.state === 'stopped') return `Stopped: ${list(parts.length > 0 ? parts : ['nothing was sent'])}.`;
  const whole = `${count(run.copies_planned)} copies ${manner(run)}`;
  if (rest.length === 0 && first !== undefined)
    return `${whole}, all ${first.replace(/^[\d,]+ (were )?/, '')}.`;
  return `${whole}: ${list(parts)}.`;
}

function one(copy: RunReport['copies'][number]): string {
  const { word } = wordOf(copy);
  if (copy.outcome === 'not-sent') return 'The copy was never sent.';
  if (copy.outcome === 'unknown') return 'The copy got no answer: it may have taken effect.';
  return `One copy, answered ${word}${copy.total_ms === null ? '' : ` in ${duration(copy.total_ms)}`}.`;
}

function outcomes(run: RunReport): string[] {
  const parts = statusesOf(run).map(([status, times]) => `${count(times)} answered ${status}`);
  const unknown = run.summary?.outcome_unknown ?? 0;
  const unsent = run.summary?.not_sent ?? 0;
  if (unknown > 0) parts.push(`${count(unknown)} got no answer and may have taken effect`);
  if (unsent > 0) parts.push(`${count(unsent)} ${unsent === 1 ? 'was' : 'were'} never sent`);
  return parts;
}

function manner(run: RunReport): string {
  if (run.release.kind === 'together') return 'at once';
  return run.release.kind === 'sequential' ? 'in a row' : `${duration(run.release.ms)} apart`;
}

function list(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
