import type { CopyReport } from '$bindings/CopyReport';
import type { RunReport } from '$bindings/RunReport';
import { ticks } from '$lib/axis';
import { duration } from '$lib/format';
import type { Lane, LanesOf } from '$ui/lanes';
import { wordOf } from '$ui/outcome';
import type { Tone } from '$ui/tone';
import { tally, type Claims } from './claims';

/** Up to here every lane has its label. */
const LABELLED = 50;
const LEFT = 34;
/** How wide the time before the first release is drawn: it says who waited, not for how long. */
const HELD = 96;
const RIGHT = 132;
/** Below this width the words matter more than the time before. */
const NARROW = 480;
/** The word of the listener beside it. */
const CLAIM = 72;
const TOP = 10;
const AXIS = 40;

/** One copy as it is drawn. */
export type CopyLane = Lane & { n: number; copy: CopyReport | undefined };

/** All of it: lanes on one axis of time from the first release. */
export type Chart = LanesOf<CopyLane> & { zero: number };

/** What a chart shows besides its run: another one that shares its axis, and what our own listener said. */
type Besides = { beside?: RunReport | undefined; claims?: Claims | undefined };

/** Lays out a run. */
export function chart(run: RunReport, width: number, { beside, claims }: Besides = {}): Chart {
  const count = Math.max(run.copies_planned, 1);
  const step = stepOf(count);
  const before = width < NARROW ? HELD / 2 : HELD;
  const zero = LEFT + before;
  const right = claims?.size ? RIGHT + CLAIM : RIGHT;
  const again = claims !== undefined && tally(claims).won > 1;
  const bottom = TOP + count * step;
  const end = Math.max(endOf(run.copies), beside ? endOf(beside.copies) : 0);
  const axis = ticks(end > 0 ? end : 1, Math.max(2, Math.floor((width - zero - right) / 90)));
  const scale = (Math.max(width, 360) - zero - right) / (end || 1);
  const earliest = Math.max(0.001, -Math.min(0, ...run.copies.map((copy) => copy.connected_ms ?? 0)));
  const place = (ms: number) =>
    ms < 0 ? zero + Math.max(-1, ms / earliest) * (before - 4) : zero + ms * scale;
  const byNumber = new Map(run.copies.map((copy) => [copy.n, copy]));
  const lanes = Array.from({ length: count }, (_, i) =>
    told(
      lane(i + 1, TOP + (i + 0.5) * step, step, byNumber.get(i + 1), place, run.state === 'running'),
      claims,
      again,
    ),
  );
  return {
    width: Math.max(width, 360),
    height: bottom + AXIS,
    left: LEFT - 2,
    labelled: count <= LABELLED,
    lanes,
    // A mark a little past the end still has room; one far past it would only shrink the rest.
    ticks: axis
      .filter((ms) => ms <= end * 1.1 || end === 0)
      .map((ms) => ({ x: place(ms), label: ms === 0 ? '0' : duration(ms) })),
    rules: [{ x: zero, tone: 'accent', label: 'released' }],
    zero,
    bottom,
  };
}

/** When a copy's answer was whole, in milliseconds after the first release; nothing where it was never released. */
export function endsAt(copy: CopyReport): number | undefined {
  if (copy.released_us === null || copy.total_ms === null) return undefined;
  return copy.released_us / 1000 + copy.total_ms;
}

/** The lane with what our own listener said of its copy. */
function told(drawn: CopyLane, claims: Claims | undefined, again: boolean): CopyLane {
  const claim = claims?.get(drawn.n) ?? 'none';
  if (claim === 'none') return drawn;
  const [word, tone]: [string, Tone] =
    claim === 'duplicate' ? ['duplicate', 'dup'] : again ? ['ran it', 'bad'] : ['won', 'won'];
  return spoken({ ...drawn, tone, label: `${drawn.label} · ${word}` });
}

/** The lane with its words: its label, and when its answer began. */
function spoken(drawn: CopyLane): CopyLane {
  const { copy, n, label } = drawn;
  const first = copy?.first_byte_ms ?? null;
  const answered = first === null ? '' : `, first byte after ${duration(first)}`;
  return { ...drawn, words: `Copy ${n}: ${label || 'nothing'}${answered}` };
}

function lane(
  n: number,
  y: number,
  height: number,
  copy: CopyReport | undefined,
  place: (ms: number) => number,
  running: boolean,
): CopyLane {
  const { word, tone } = copy ? wordOf(copy) : ({ word: running ? 'waiting' : '', tone: 'off' } as const);
  const released = copy && copy.released_us !== null ? copy.released_us / 1000 : undefined;
  const connected = copy?.connected_ms ?? undefined;
  const held =
    connected === undefined
      ? undefined
      : { from: place(connected), to: place(Math.max(released ?? 0, connected)) };
  const end = copy && endsAt(copy);
  const bars: Lane['bars'] = [];
  if (copy && released !== undefined && end !== undefined) {
    const first = released + (copy.first_byte_ms ?? copy.total_ms ?? 0);
    const from = place(released);
    bars.push({ from, first: place(first), to: Math.max(place(end), from + 2) });
  }
  const flagged = copy && (copy.error !== null || copy.warnings.length > 0);
  const took = bars.length > 0 && copy ? ` · ${duration(copy.total_ms)}` : '';
  return spoken({
    key: String(n),
    n,
    name: String(n),
    y,
    height,
    tone,
    held,
    bars,
    points: [],
    ghost: copy === undefined,
    label: `${word}${took}${flagged ? ' ⚠' : ''}`,
    labelX: (bars[0]?.to ?? held?.to ?? place(0)) + 8,
    words: '',
    error: copy?.error ?? null,
    data: { 'data-outcome': copy?.outcome ?? 'waiting' },
    copy,
  });
}

function endOf(copies: readonly CopyReport[]): number {
  return copies.reduce((end, copy) => Math.max(end, endsAt(copy) ?? 0, (copy.released_us ?? 0) / 1000), 0);
}

function stepOf(count: number): number {
  if (count <= 12) return 30;
  if (count <= 24) return 22;
  return count <= LABELLED ? 16 : 7;
}
