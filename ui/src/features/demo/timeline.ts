import type { DemoSide } from '$bindings/DemoSide';
import { count } from '$lib/format';

/** How long one side's volley is shown, in milliseconds, whatever it took. */
export const SHOWN_MS = 4500;
/** A still moment before the release, in which the copies are seen to wait. */
export const LEAD_MS = 600;

/** One copy on its way: all times in milliseconds after the first release. */
export type Flight = { n: number; leaves: number; lands: number | undefined; ran: boolean };

/** A side's volley with its measured times, and how much they are stretched. */
export type Timeline = { flights: Flight[]; end: number; stretch: number };

/** Where a copy is: it waits, is in flight (`at` from 0 to 1), was answered, or never was. */
export type Dot = { n: number; at: number; state: 'waiting' | 'flying' | 'ran' | 'acknowledged' | 'lost' };

/** What is to be seen at a moment. */
export type Frame = { dots: Dot[]; effects: number; answered: number };

/** Reads the measured times of a side: a copy is in flight from its release until the first byte of its answer. */
export function timeline(side: DemoSide): Timeline {
  const flights = side.copies.map((copy, index) => {
    const leaves = (copy.released_us ?? 0) / 1000;
    const answered = copy.outcome === 'answered' && copy.released_us !== null;
    const wait = copy.first_byte_ms ?? copy.total_ms;
    return {
      n: copy.n,
      leaves,
      lands: answered && wait !== null ? leaves + wait : undefined,
      ran: side.ran_effect[index] ?? false,
    };
  });
  const end = Math.max(0.001, ...flights.map((flight) => flight.lands ?? flight.leaves));
  return { flights, end, stretch: SHOWN_MS / end };
}

/** What is to be seen so many milliseconds after the start of the showing. */
export function frameAt(line: Timeline, shownMs: number): Frame {
  const now = (shownMs - LEAD_MS) / line.stretch;
  let effects = 0;
  let answered = 0;
  const over = shownMs >= LEAD_MS + SHOWN_MS;
  const dots = line.flights.map(({ n, leaves, lands, ran }): Dot => {
    if (lands === undefined) {
      if (over) return { n, at: 1, state: 'lost' };
      return {
        n,
        at: clamp((now - leaves) / (line.end - leaves || 1)),
        state: now < leaves ? 'waiting' : 'flying',
      };
    }
    if (now >= lands || over) {
      answered += 1;
      if (ran) effects += 1;
      return { n, at: 1, state: ran ? 'ran' : 'acknowledged' };
    }
    if (now < leaves) return { n, at: 0, state: 'waiting' };
    return { n, at: clamp((now - leaves) / (lands - leaves || 1)), state: 'flying' };
  });
  return { dots, effects, answered };
}

/** What is to be seen before anything was fired. */
export function idle(copies: number): Frame {
  const dots = Array.from({ length: copies }, (_, i): Dot => ({ n: i + 1, at: 0, state: 'waiting' }));
  return { dots, effects: 0, answered: 0 };
}

/** When the showing has ended. */
export const WHOLE_MS = LEAD_MS + SHOWN_MS;

/** `slowed 160 times`; to two digits, since it only tells the size of it. */
export function slowed(stretch: number): string {
  const digits = stretch < 10 ? 1 : 10 ** Math.max(0, Math.floor(Math.log10(stretch)) - 1);
  return count(Math.round(stretch / digits) * digits);
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
