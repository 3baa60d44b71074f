import type { Schedule } from '$bindings/Schedule';
import { duration } from './format';

/** Sume's: ten attempts, 30 s from the end of one to the next, 10 s for each, until any 2xx. */
export const SUMES: Schedule = {
  attempts: 10,
  gap_ms: 30_000,
  timeout_ms: 10_000,
  time_scale: 1,
  stop_on: [],
};

/** Gap and timeout as they pass on the clock. */
export function real(schedule: Schedule): { gap: number; timeout: number } {
  const scale = schedule.time_scale > 0 ? schedule.time_scale : 1;
  return { gap: schedule.gap_ms / scale, timeout: schedule.timeout_ms / scale };
}

/** `up to 10 attempts, 30 s apart, 10 s for each, 60 × faster`. */
export function inWords({ attempts, gap_ms, timeout_ms, time_scale }: Schedule): string {
  const parts = [
    `up to ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
    `${whole(gap_ms)} apart`,
    `${whole(timeout_ms)} for each`,
  ];
  if (time_scale !== 1) parts.push(`${time_scale} × faster`);
  return parts.join(', ');
}

/** A duration without a part that says nothing: `0`, `30 s`, `2 min`. */
export function whole(ms: number): string {
  if (ms === 0) return '0';
  if (ms >= 60_000 && ms % 60_000 === 0) return `${ms / 60_000} min`;
  return ms >= 1000 && ms % 1000 === 0 && ms < 60_000 ? `${ms / 1000} s` : duration(ms);
}
