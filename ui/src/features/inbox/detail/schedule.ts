import type { Delivery } from '$bindings/Delivery';
import type { JobSchedule } from '$bindings/JobSchedule';
import type { LaidAttempt } from '$bindings/LaidAttempt';
import { timeMarks } from '$lib/axis';
import { duration, plural } from '$lib/format';
import { left as leftIn, shortClock, until } from '$lib/moments';
import { real, whole } from '$lib/schedule';
import { labelBeside, ticksAt, type Lane, type LaneChart, type Rule } from '$ui/lanes';
import type { Tone } from '$ui/tone';
import { failed } from '../badges';

const LEFT = 48;
const RIGHT = 14;
const TOP = 8;
const AXIS = 40;
const NARROWEST = 300;
/** Up to here every lane has its words. */
const LABELLED = 24;

/** How far beside its moment an attempt is no longer on time: a tenth of the gap, and a second at least. */
function leeway({ schedule }: JobSchedule): number {
  return Math.max(1000, real(schedule).gap / 10);
}

/** What is odd about a delivery against the schedule, in words. Nothing for one that came as it should. */
export function oddities(laid: LaidAttempt, job: JobSchedule): string[] {
  const off = laid.due_ms === null ? 0 : laid.at_ms - laid.due_ms;
  return [
    laid.attempt === null && 'redelivered, or a copy',
    off > leeway(job) && `${duration(off)} late`,
    -off > leeway(job) && `${duration(-off)} early`,
    laid.too_slow && `too slow: answered after ${duration(laid.took_ms)}`,
    laid.overlaps !== null && `came while #${laid.overlaps} was being answered`,
  ].filter((part) => part !== false);
}

/** How many automatic attempts are left and until when, as a sentence. */
export function standing(job: JobSchedule, now: number): string {
  const { attempts } = job.schedule;
  if (job.acknowledged_by !== null) {
    return `#${job.acknowledged_by} was acknowledged in time, so no automatic attempt is left.`;
  }
  if (job.left === 0) {
    return `All ${plural(attempts, 'automatic attempt')} came, and none was acknowledged in time. A Redeliver would be one more.`;
  }
  const left = until(job.ends_at, now) ?? 0;
  return left > 0
    ? `${plural(job.left, 'automatic attempt')} left until ${shortClock(job.ends_at)}, in ${leftIn(left)}.`
    : `The schedule ended at ${shortClock(job.ends_at)}: ${plural(job.left, 'automatic attempt')} did not come here.`;
}

/** When the attempts that are left begin at the earliest, by their numbers, in milliseconds after the first delivery. */
function coming({ schedule, attempts, left }: JobSchedule): [number, number][] {
  const { gap, timeout } = real(schedule);
  const automatic = attempts.filter(({ attempt }) => attempt !== null);
  const last = automatic.at(-1);
  const from = last ? last.at_ms + Math.min(last.took_ms ?? 0, timeout) : -gap;
  return Array.from({ length: left }, (_, i) => [(last?.attempt ?? 0) + i + 1, from + gap * (i + 1)]);
}

/** Lays the deliveries of a job over its schedule; `deliveries` are those that are known, by their numbers. */
export function chart(
  job: JobSchedule,
  deliveries: ReadonlyMap<number, Delivery>,
  current: number,
  measured: number,
): LaneChart {
  const width = Math.max(measured, NARROWEST);
  const { gap } = real(job.schedule);
  const slots: [number, number][] = [
    ...job.attempts.flatMap(({ attempt, due_ms }): [number, number][] =>
      attempt === null || due_ms === null ? [] : [[attempt, due_ms]],
    ),
    ...coming(job),
  ];
  const ends = job.attempts.map(({ at_ms, took_ms }) => at_ms + (took_ms ?? 0));
  const end = Math.max(gap, ...ends, ...slots.map(([, at]) => at), job.left > 0 ? job.ends_ms : 0);
  const place = (ms: number) => LEFT + 4 + (ms / end) * (width - LEFT - RIGHT - 4);
  const labelled = job.attempts.length <= LABELLED;
  const step = labelled ? 24 : 8;
  const lanes = job.attempts.map((laid, index): Lane => {
    const delivery = deliveries.get(laid.seq);
    const from = place(laid.at_ms);
    const to = Math.max(place(laid.at_ms + (laid.took_ms ?? 0)), from + 4);
    const name = laid.attempt === null ? undefined : `attempt ${laid.attempt}`;
    const status = delivery?.status == null ? undefined : String(delivery.status);
    const odd = oddities(laid, job);
    const say = (parts: (string | undefined)[]) => parts.filter((part) => part !== undefined).join(' · ');
    return {
      key: String(laid.seq),
      name: `#${laid.seq}`,
      y: TOP + (index + 0.5) * step,
      height: step,
      tone: toneOf(laid, delivery),
      bars: [{ from, first: to, to }],
      points: [],
      current: laid.seq === current,
      ...labelBeside(say([name, status, ...odd]), { from, to }, { left: LEFT, width }),
      words: say([
        `#${laid.seq}`,
        name,
        laid.at_ms === 0 ? undefined : `${duration(laid.at_ms)} after the first`,
        status,
        laid.took_ms === null ? undefined : `answered in ${duration(laid.took_ms)}`,
        ...odd,
      ]),
      error: null,
      data: { 'data-seq': String(laid.seq) },
    };
  });
  const bottom = TOP + lanes.length * step + 4;
  return {
    width,
    height: bottom + AXIS,
    bottom,
    left: LEFT,
    labelled,
    lanes,
    ticks: ticksAt(timeMarks(end, (width - LEFT) / 80), place, whole, width),
    bare: true,
    rules: slots.map(([n, at]): Rule => ({ x: place(at), tone: 'off', dashed: true, label: String(n) })),
  };
}

function toneOf(laid: LaidAttempt, delivery: Delivery | undefined): Tone {
  if (laid.too_slow || (delivery && failed(delivery))) return 'bad';
  if (delivery?.claim === 'won') return 'won';
  return delivery?.claim === 'duplicate' ? 'dup' : 'off';
}
