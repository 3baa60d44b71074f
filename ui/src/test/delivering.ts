import type { AttemptReport } from '$bindings/AttemptReport';
import type { DeliverReport } from '$bindings/DeliverReport';
import { SUMES } from '$lib/schedule';
import { copy } from './runs';

/** An attempt that was answered 500 after 2 ms, when it was due. */
export function attempt(n: number, at_ms: number, over: Partial<AttemptReport> = {}): AttemptReport {
  return { ...copy(n, { status: 500, released_us: 0 }), at_ms, due_ms: at_ms, acknowledged: false, ...over };
}

/** A delivery by Sume's schedule that waits for its next attempt. */
export function delivering(attempts: AttemptReport[], over: Partial<DeliverReport> = {}): DeliverReport {
  return {
    id: 'deliver-1',
    started_at: '2025-11-29T12:04:31.482000Z',
    url: 'http://localhost:3000/hook',
    schedule: SUMES,
    state: 'running',
    attempts,
    next_at: null,
    in_flight: null,
    delivered: null,
    reason: null,
    ...over,
  };
}
