import type { AttemptReport } from '$bindings/AttemptReport';
import type { DeliverReport } from '$bindings/DeliverReport';
import { timeMarks } from '$lib/axis';
import { duration, plural } from '$lib/format';
import { real, whole } from '$lib/schedule';
import { labelBeside, ticksAt, type Lane, type LanesOf } from '$ui/lanes';
import { wordOf } from '$ui/outcome';

const LEFT = 34;
const RIGHT = 14;
const TOP = 10;
const AXIS = 26;
const STEP = 26;
const NARROWEST = 360;

/** An attempt as it is drawn; nothing is known of one that has not been made. */
export type AttemptLane = Lane & { attempt: AttemptReport | undefined };

/** When an attempt's answer was whole or it was given up, in milliseconds after the first began. */
function endOf(attempt: AttemptReport): number {
  return attempt.at_ms + (attempt.total_ms ?? 0);
}

/**
 * When each attempt that has not been made begins at the earliest, by its number: what the ones before it take is not
 * known yet, and makes it later.
 */
export function earliest({ attempts, schedule }: DeliverReport): Map<number, number> {
  const { gap } = real(schedule);
  const last = attempts.at(-1);
  const found = new Map<number, number>();
  let at = last ? endOf(last) : -gap;
  for (let n = (last?.n ?? 0) + 1; n <= schedule.attempts; n += 1) {
    at += gap;
    found.set(n, at);
  }
  return found;
}

/** Lays out a delivery: a lane an attempt, those to come as well while it runs, and what a Redeliver would add. */
export function chart(report: DeliverReport, measured: number): LanesOf<AttemptLane> {
  const width = Math.max(measured, NARROWEST);
  const { gap, timeout } = real(report.schedule);
  const coming = report.state === 'running' ? [...earliest(report)] : [];
  const made = report.attempts.map(endOf);
  const last = Math.max(0, ...made, ...coming.map(([, at]) => at));
  const again = last + gap / 2;
  const end = Math.max(again, last + timeout, 1);
  const place = (ms: number) => LEFT + 4 + (ms / end) * (width - LEFT - RIGHT - 4);
  const count = report.attempts.length + coming.length + 1;
  const y = (index: number) => TOP + (index + 0.5) * STEP;
  const lane = (index: number, key: string): Pick<AttemptLane, 'key' | 'name' | 'y' | 'height' | 'data'> => ({
    key,
    name: key,
    y: y(index),
    height: STEP,
    data: { 'data-attempt': key },
  });
  const beside = (label: string, from: number, to: number) =>
    labelBeside(label, { from, to }, { left: LEFT, width });

  const lanes: AttemptLane[] = report.attempts.map((attempt, index) => {
    const { word, tone } = wordOf(attempt);
    const from = place(attempt.at_ms);
    const to = Math.max(place(endOf(attempt)), from + 3);
    const first = attempt.first_byte_ms === null ? to : place(attempt.at_ms + attempt.first_byte_ms);
    const before = report.attempts[index - 1];
    // The gap: from the end of the one before it.
    const held = before ? { from: place(endOf(before)), to: from } : undefined;
    const parts = [word, attempt.total_ms === null ? undefined : duration(attempt.total_ms)];
    return {
      ...lane(index, String(attempt.n)),
      tone: attempt.acknowledged ? 'won' : tone,
      held,
      bars: [{ from, first: Math.min(first, to), to }],
      points: [],
      ...beside(parts.filter((part) => part !== undefined).join(' · '), held?.from ?? from, to),
      words: attemptWords(attempt),
      error: attempt.error,
      attempt,
    };
  });
  for (const [n, at] of coming) {
    const x = place(at);
    const flying = n === report.in_flight;
    const label = flying
      ? 'on its way'
      : n === made.length + 1
        ? 'next'
        : `from ${whole(Math.round(at / 1000) * 1000 || at)} on`;
    lanes.push({
      ...lane(lanes.length, String(n)),
      tone: flying ? 'accent' : 'off',
      held: n === made.length + 1 && made.length > 0 ? { from: place(made.at(-1) ?? 0), to: x } : undefined,
      bars: [],
      points: [{ x, tone: flying ? 'accent' : 'off' }],
      ghost: !flying,
      ...beside(label, x - 5, x + 5),
      words: flying
        ? `Attempt ${n} is on its way`
        : `Attempt ${n}, if no one before it is acknowledged: ${duration(at)} after the first at the earliest`,
      error: null,
      attempt: undefined,
    });
  }
  lanes.push({
    ...lane(lanes.length, '+1'),
    tone: 'off',
    bars: [{ from: place(again), first: place(again), to: Math.min(place(again + timeout), width - 4) }],
    points: [],
    ghost: true,
    ...beside('what a Redeliver adds', place(again), Math.min(place(again + timeout), width - 4)),
    words: REDELIVER,
    error: null,
    attempt: undefined,
  });
  return {
    width,
    height: TOP + count * STEP + AXIS,
    bottom: TOP + count * STEP,
    left: LEFT,
    labelled: true,
    lanes,
    ticks: ticksAt(timeMarks(end, (width - LEFT) / 90), place, whole, width),
  };
}

/** What a Redeliver would add, as a sentence. */
export const REDELIVER =
  'A Redeliver adds one delivery whenever it is asked for, freshly signed; it does not count as one of the attempts.';

function attemptWords(attempt: AttemptReport): string {
  const late = attempt.at_ms - attempt.due_ms;
  return [
    `Attempt ${attempt.n}: ${wordOf(attempt).word}`,
    attempt.n === 1 ? undefined : `began ${duration(attempt.at_ms)} after the first`,
    late >= 1 ? `${duration(late)} after it was due` : undefined,
    attempt.total_ms === null
      ? undefined
      : `${attempt.outcome === 'answered' ? 'done' : 'given up'} after ${duration(attempt.total_ms)}`,
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** What happened, in a sentence; it stands still while a gap passes. */
export function sentence(report: DeliverReport): string {
  const { attempts, schedule, state } = report;
  const last = attempts.at(-1);
  if (state === 'failed') return 'Nothing could be delivered.';
  if (state === 'running') {
    const n = report.in_flight ?? attempts.length + 1;
    const before = last ? `Attempt ${last.n} ${outcome(last)}. ` : '';
    return report.in_flight === null && last
      ? `${before}Attempt ${n} of ${schedule.attempts} follows.`
      : `${before}Attempt ${n} of ${schedule.attempts} is on its way.`;
  }
  const made = plural(attempts.length, 'attempt');
  if (report.delivered && last) {
    const when = last.n === 1 ? '' : `, ${duration(endOf(last))} after the first began`;
    return `Attempt ${last.n} of ${schedule.attempts} ${outcome(last)}${when}.`;
  }
  if (state === 'stopped') return `Stopped after ${made} of ${schedule.attempts}: none was acknowledged.`;
  return `Not delivered: ${attempts.length === 1 ? 'the one attempt was not' : `none of ${made} was`} acknowledged.`;
}

function outcome(attempt: AttemptReport): string {
  if (attempt.outcome === 'not-sent') return 'could not be sent';
  if (attempt.status === null) return 'got no answer';
  return `was answered ${attempt.status}`;
}
