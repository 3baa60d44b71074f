import type { Delivery } from '$bindings/Delivery';

/** A delivery of a job with when it came: since the first shown, and since the one before it, in milliseconds. */
export type Step = { delivery: Delivery; since: number; gap: number | undefined };

export function steps(deliveries: readonly Delivery[]): Step[] {
  const times = deliveries.map((delivery) => micros(delivery.received_at));
  return deliveries.map((delivery, at) => ({
    delivery,
    since: ((times[at] ?? 0) - (times[0] ?? 0)) / 1000,
    gap: at === 0 ? undefined : ((times[at] ?? 0) - (times[at - 1] ?? 0)) / 1000,
  }));
}

/** Microseconds: a date knows only milliseconds, and copies come closer than that. */
export function micros(rfc3339: string): number {
  const fraction = /\.(\d+)/.exec(rfc3339)?.[1] ?? '';
  const below = Number(fraction.padEnd(6, '0').slice(3, 6));
  return Date.parse(rfc3339) * 1000 + (Number.isNaN(below) ? 0 : below);
}
