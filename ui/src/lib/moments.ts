import { clockTime } from './format';

/** Milliseconds from `now` to an RFC 3339 moment; below zero once it is past, `undefined` where it is none. */
export function until(rfc3339: string | null, now: number): number | undefined {
  const at = rfc3339 === null ? NaN : Date.parse(rfc3339);
  return Number.isNaN(at) ? undefined : at - now;
}

/** What is left, in whole seconds and never below zero: `12 s`, `4 min 05 s`, `1 h 03 min`. */
export function left(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (n: number) => String(n).padStart(2, '0');
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`;
}

/** When it was, as a person says it: `just now`, `12 s ago`, `4 min ago`, and the clock for what is longer ago. */
export function ago(rfc3339: string, now: number): string {
  const past = until(rfc3339, now);
  if (past === undefined) return rfc3339;
  const seconds = Math.floor(-past / 1000);
  if (seconds < 3) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return `at ${shortClock(rfc3339)}`;
}

/** The local wall clock to the second: `12:04:31`. */
export function shortClock(rfc3339: string): string {
  return clockTime(rfc3339).slice(0, 8);
}
