import type { Trace } from '$bindings/Trace';
import type { TraceCopy } from '$bindings/TraceCopy';
import type { TraceMark } from '$bindings/TraceMark';
import { marks as marksUpTo } from '$lib/axis';
import { duration } from '$lib/format';
import { LETTER, shortened, type Lane, type LanesOf } from '$ui/lanes';
import type { Tone } from '$ui/tone';

const NUMBER = 30;
/** The names of the lanes below the copies. */
const NAME = 66;
const TOP = 8;
const AXIS = 24;
const NARROWEST = 320;
/** The most of the width that labels may take. */
const LABELS = 0.46;

/** A lane of the time line: a copy, or what else happened of one kind. */
export type TraceLane = Lane & { kind: 'copy' | 'download' | 'effect' | 'handler' | 'other' };

export type Chart = LanesOf<TraceLane>;

const NAMES: Readonly<Record<string, string>> = {
  download: 'download',
  effect: 'effect',
  handler: 'handler',
};

/** Lays out what happened to one job. */
export function chart(trace: Trace, measured: number): Chart {
  const width = Math.max(measured, NARROWEST);
  const left = trace.marks.length > 0 ? NAME : NUMBER;
  const step = stepOf(trace.copies.length);
  const several = trace.copies.some(({ instance }) => instance !== trace.copies[0]?.instance);
  const begin = Math.min(0, ...moments(trace));
  const end = Math.max(begin + 0.001, ...moments(trace));
  const room = width - left - 16;
  // As wide as every lane can be drawn with its own words behind it.
  const ends = [
    ...trace.copies.map((copy) => ({ at: copy.done_ms, label: labelOf(copy, several) })),
    ...groups(trace.marks).map((marks) => ({
      at: Math.max(...marks.map(({ at_ms, lasted_ms }) => at_ms + (lasted_ms ?? 0))),
      label: marksLabel(marks),
    })),
  ];
  const scale = ends.reduce(
    (least, { at, label }) => {
      const words = Math.min(label.length * LETTER + 14, width * LABELS);
      return at > begin ? Math.min(least, (room - words) / (at - begin)) : least;
    },
    room / (end - begin),
  );
  const place = (ms: number) => left + 6 + (ms - begin) * scale;
  const fit = (label: string, x: number) => shortened(label, Math.floor((width - x) / LETTER));

  const lanes: TraceLane[] = trace.copies.map((copy, index) =>
    copyLane(copy, index, TOP + (index + 0.5) * step, step, several, place, fit),
  );
  let y = TOP + trace.copies.length * step + (trace.marks.length > 0 ? 6 : 0);
  for (const group of groups(trace.marks)) {
    lanes.push(markLane(group, lanes.length, y + 10, place, fit));
    y += 20;
  }
  return {
    width,
    height: y + AXIS,
    lanes,
    ticks: marksUpTo(end - begin, ((end - begin) * scale) / 80).map((ms) => ({
      x: place(begin + ms),
      label: moment(begin + ms),
    })),
    bottom: y,
    labelled: step >= 12,
    left,
    // Where effects ran: through all lanes, so that it is seen which copies were on their way.
    rules: lanes.flatMap(({ kind, points }) =>
      kind === 'effect' ? points.map(({ x, tone }) => ({ x, tone, dashed: true })) : [],
    ),
  };
}

function moments({ copies, marks }: Trace): number[] {
  return [
    ...copies.flatMap(({ sent_ms, done_ms }) => (sent_ms === null ? [done_ms] : [sent_ms, done_ms])),
    ...marks.flatMap(({ at_ms, lasted_ms }) => [at_ms, at_ms + (lasted_ms ?? 0)]),
  ];
}

/** What became of a copy, in a word, and a colour that says no more than the word. A refusal may be what is right. */
export function wordOf({ outcome, status }: TraceCopy): { word: string; tone: Tone } {
  if (outcome === 'not-sent') return { word: 'not sent', tone: 'off' };
  if (outcome === 'unknown' || status === null) return { word: 'no answer', tone: 'dup' };
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'off' : status >= 300 ? 'dup' : 'accent';
  return { word: String(status), tone };
}

function labelOf(copy: TraceCopy, several: boolean): string {
  const { word } = wordOf(copy);
  const took = copy.sent_ms === null ? undefined : duration(copy.done_ms - copy.sent_ms);
  return [word, took, several && `instance ${copy.instance}`, copy.label]
    .filter((part) => part !== undefined && part !== false && part !== '')
    .join(' · ');
}

type Place = (ms: number) => number;
type Fit = (label: string, x: number) => string;

function copyLane(
  copy: TraceCopy,
  index: number,
  y: number,
  step: number,
  several: boolean,
  place: Place,
  fit: Fit,
): TraceLane {
  const { word, tone } = wordOf(copy);
  const { sent_ms: sent, first_byte_ms: first, done_ms: done } = copy;
  const from = place(sent ?? done);
  const to = Math.max(place(done), from + 2);
  const labelX = to + 8;
  const times = [
    sent === null ? undefined : `sent at ${moment(sent)}`,
    first === null || sent === null ? undefined : `first byte after ${duration(first - sent)}`,
    sent === null
      ? undefined
      : `${copy.outcome === 'answered' ? 'done' : 'given up'} after ${duration(done - sent)}`,
  ];
  return {
    key: `copy-${index}`,
    kind: 'copy',
    name: String(index + 1),
    y,
    height: step,
    tone,
    bars: sent === null ? [] : [{ from, first: Math.min(first === null ? to : place(first), to), to }],
    points: [],
    label: fit(labelOf(copy, several), labelX),
    labelX,
    words: [
      `Copy ${index + 1}${copy.label === '' ? '' : `, ${copy.label}`}: ${word}`,
      several ? `instance ${copy.instance}` : undefined,
      ...times,
    ]
      .filter((part) => part !== undefined)
      .join(' · '),
    error: copy.error,
  };
}

/** Marks by kind, in the order of their kinds; those that overlap in time come to lanes of their own. */
function groups(marks: readonly TraceMark[]): TraceMark[][] {
  const order = ['download', 'effect', 'handler'];
  const rank = ({ kind }: TraceMark) => (order.includes(kind) ? order.indexOf(kind) : order.length);
  const sorted = [...marks].sort((a, b) => rank(a) - rank(b) || a.at_ms - b.at_ms);
  const found: TraceMark[][] = [];
  for (const mark of sorted) {
    const free = found.find(
      (group) =>
        group[0]?.kind === mark.kind &&
        group.every((other) => other.lasted_ms === null || other.at_ms + other.lasted_ms <= mark.at_ms),
    );
    if (free) free.push(mark);
    else found.push([mark]);
  }
  return found;
}

/** What happened to the handler is told; the same thing again is counted. */
function marksLabel(marks: readonly TraceMark[]): string {
  const told = marks.length === 1 || marks[0]?.kind === 'handler';
  return told ? marks.map(({ text }) => text).join(', ') : `${marks.length} times`;
}

function markLane(marks: readonly TraceMark[], index: number, y: number, place: Place, fit: Fit): TraceLane {
  const kind = marks[0]?.kind ?? '';
  const known = NAMES[kind] !== undefined;
  const points = marks.filter(({ lasted_ms }) => lasted_ms === null);
  const bars = marks.flatMap(({ at_ms, lasted_ms }) => {
    if (lasted_ms === null) return [];
    const from = place(at_ms);
    const to = Math.max(place(at_ms + lasted_ms), from + 2);
    return [{ from, first: to, to }];
  });
  const last = Math.max(...bars.map(({ to }) => to), ...points.map(({ at_ms }) => place(at_ms) + 5));
  return {
    key: `mark-${index}`,
    kind: known ? (kind as TraceLane['kind']) : 'other',
    name: known ? (NAMES[kind] ?? '') : kind,
    y,
    height: 20,
    tone: kind === 'effect' ? (marks.length > 1 ? 'bad' : 'won') : kind === 'download' ? 'dup' : 'off',
    bars,
    // The first effect is the one that is wanted.
    points: points.map(({ at_ms }, at) => ({
      x: place(at_ms),
      tone: kind !== 'effect' ? 'off' : at === 0 ? 'won' : 'bad',
    })),
    told: true,
    label: fit(marksLabel(marks), last + 8),
    labelX: last + 8,
    words: marks
      .map(({ at_ms, lasted_ms, text }) => {
        const long = lasted_ms === null ? '' : ` for ${duration(lasted_ms)}`;
        return `${known ? (NAMES[kind] ?? '') : kind} at ${moment(at_ms)}${long}: ${text}`;
      })
      .join(' · '),
    error: null,
  };
}

/** A time on the axis. */
function moment(ms: number): string {
  return ms === 0 ? '0' : duration(ms);
}

function stepOf(copies: number): number {
  if (copies <= 8) return 24;
  if (copies <= 24) return 18;
  return copies <= 60 ? 13 : 6;
}
