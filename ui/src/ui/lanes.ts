import type { Tone } from './tone';

/** A lane of a time line: one copy, attempt or delivery, or what else happened of one kind. Places in pixels. */
export type Lane = {
  key: string;
  /** At the left: its number, or what happened. */
  name: string;
  y: number;
  height: number;
  tone: Tone;
  /** A time that it only waited through. */
  held?: { from: number; to: number } | undefined;
  /** From its last byte to the first byte of the answer, and to its end. */
  bars: { from: number; first: number; to: number }[];
  /** What took no time. */
  points: { x: number; tone: Tone }[];
  /** It is the one that the page is about. */
  current?: boolean;
  /** Nothing of it has happened yet, or it is only what would. */
  ghost?: boolean;
  label: string;
  labelX: number;
  /** Its label ends there instead of beginning. */
  labelEnd?: boolean;
  /** It has its label where the others have none. */
  told?: boolean;
  /** All of it in words, for a screen reader and beneath the time line. */
  words: string;
  /** What went wrong. */
  error: string | null;
  /** For whoever looks for it in the page. */
  data?: Readonly<Record<`data-${string}`, string>>;
};

/** A line through all lanes. */
export type Rule = { x: number; tone: Tone; dashed?: boolean; label?: string };

/** Lanes on one axis of time. */
export type LanesOf<L extends Lane> = {
  width: number;
  height: number;
  /** Where the lanes end and the axis begins. */
  bottom: number;
  /** Where the lanes' names end. */
  left: number;
  /** Whether every lane has room for its words. */
  labelled: boolean;
  lanes: L[];
  ticks: { x: number; label: string }[];
  /** The ticks have no lines: others are read instead. */
  bare?: boolean;
  rules?: Rule[];
};

export type LaneChart = LanesOf<Lane>;

/** How wide a letter of the labels is, in pixels. */
export const LETTER = 6.7;

/** A label that is cut to so many letters, or left out where that would say nothing. */
export function shortened(label: string, letters: number): string {
  if (label.length <= letters) return label;
  return letters < 4 ? '' : `${label.slice(0, letters - 1)}…`;
}

/** A label beside what is drawn from one place to another: behind it, or before it where there is more room, cut to fit. */
export function labelBeside(
  label: string,
  { from, to }: { from: number; to: number },
  { left, width }: { left: number; width: number },
): Pick<Lane, 'label' | 'labelX' | 'labelEnd'> {
  const behind = Math.floor((width - to - 12) / LETTER);
  const before = Math.floor((from - left - 8) / LETTER);
  if (label.length <= behind || behind >= before) return { label: shortened(label, behind), labelX: to + 8 };
  return { label: shortened(label, before), labelX: from - 8, labelEnd: true };
}

/** The marks of an axis, without those whose words would pass its end. */
export function ticksAt(
  marks: readonly number[],
  place: (at: number) => number,
  word: (at: number) => string,
  width: number,
): LaneChart['ticks'] {
  return marks
    .map((at) => ({ x: place(at), label: word(at) }))
    .filter(({ x, label }) => x + (label.length * LETTER) / 2 <= width);
}
