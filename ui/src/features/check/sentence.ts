import type { CheckReport } from '$bindings/CheckReport';
import type { ScenarioReport } from '$bindings/ScenarioReport';
import { plural } from '$lib/format';
import { FIRST } from './scenarios';
import { tally } from './report';

/** More names than these are counted. */
const NAMED = 3;
const UNSEEN =
  'No probe saw the effect of the first delivery, so it cannot be told how often it runs. Try each probe on the left with a job that was done.';

/** What a check came to, in one or two sentences. */
export function sentence(check: CheckReport): string {
  switch (check.state) {
    case 'running':
      return running(check);
    case 'failed':
      return 'The check could not be carried out.';
    case 'stopped':
      return stopped(check);
    case 'done':
      return done(check);
  }
}

function done(check: CheckReport): string {
  const verdict = check.overall?.verdict ?? 'unknown';
  if (verdict === 'fail') return failed(check);
  return verdict === 'pass' ? passed(check) : unknown(check);
}

function running(check: CheckReport): string {
  const now = check.scenarios.filter(({ verdict, reason }) => verdict === null && reason !== '');
  const failing = check.scenarios.filter(({ verdict }) => verdict === 'fail');
  const parts = [
    now.length > 0 ? `Now: ${names(now)}.` : 'The handler is being reached.',
    ...(failing.length > 0 ? [`Already failed: ${names(failing)}.`] : []),
  ];
  return parts.join(' ');
}

function stopped(check: CheckReport): string {
  const failing = check.scenarios.filter(({ verdict }) => verdict === 'fail');
  const sums = tally(check);
  const reached = sums.pass + sums.fail + sums.warn + sums.unknown;
  const far = reached === 0 ? 'Stopped before anything was examined.' : 'Stopped before the end.';
  return failing.length > 0 ? `${far} Until then ${failures(failing)}` : far;
}

function passed(check: CheckReport): string {
  const warned = check.scenarios.filter(({ verdict }) => verdict === 'warn');
  const whole = 'The effect ran once in everything that was tried.';
  if (warned.length === 0) return whole;
  return `${whole} ${warned.length === 1 ? 'One thing is' : `${warned.length} things are`} still a risk: ${names(warned)}.`;
}

function failed(check: CheckReport): string {
  const failing = check.scenarios.filter(({ verdict }) => verdict === 'fail');
  if (failing.some(({ id }) => id === FIRST))
    return 'Already the first delivery failed, so nothing else was tried.';
  const said = failures(failing);
  const unseen = check.scenarios.filter(({ verdict }) => verdict === 'unknown');
  const rest = unseen.some(({ id }) => id === FIRST)
    ? ` ${UNSEEN}`
    : unseen.length > 0
      ? ` It could not be told for ${names(unseen)}.`
      : '';
  return `${said[0]?.toUpperCase() ?? ''}${said.slice(1)}${rest}`;
}

/** Doubled and lost effects first: they are what a check is for. */
function failures(failing: readonly ScenarioReport[]): string {
  const doubled = failing.filter((scenario) => drift(scenario) > 0);
  const lost = failing.filter((scenario) => drift(scenario) < 0);
  const others = failing.filter((scenario) => drift(scenario) === 0);
  const parts: string[] = [];
  if (doubled.length > 0) parts.push(`the effect ran too often in ${names(doubled)}`);
  if (lost.length > 0)
    parts.push(`${doubled.length > 0 ? 'it' : 'the effect'} ran too seldom in ${names(lost)}`);
  if (others.length > 0)
    parts.push(`the handler failed in ${names(others)}${parts.length > 0 ? ' too' : ''}`);
  return `${parts.join('; ')}.`;
}

function drift({ expected_effects, observed_effects }: ScenarioReport): number {
  if (expected_effects === null || observed_effects === null) return 0;
  return observed_effects - expected_effects;
}

function unknown(check: CheckReport): string {
  const unseen = check.scenarios.filter(({ verdict }) => verdict === 'unknown');
  if (unseen.some(({ id }) => id === FIRST)) return UNSEEN;
  return unseen.length === 0 ? 'It could not be told.' : `It could not be told for ${names(unseen)}.`;
}

function names(scenarios: readonly ScenarioReport[]): string {
  const ids = scenarios.map(({ id }) => id);
  const shown = ids.length > NAMED + 1 ? ids.slice(0, NAMED) : ids;
  const rest = ids.length - shown.length;
  const parts = rest > 0 ? [...shown, plural(rest, 'other')] : shown;
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
