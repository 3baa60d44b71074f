import type { CopyReport } from '$bindings/CopyReport';
import type { RunReport } from '$bindings/RunReport';
import type { RunSummary } from '$bindings/RunSummary';

/** A copy that was answered 204 after 2 ms. */
export function copy(n: number, over: Partial<CopyReport> = {}): CopyReport {
  return {
    n,
    local_port: 40_000 + n,
    connected_ms: -3,
    written_ms: -1,
    released_us: (n - 1) * 20,
    first_byte_ms: 1.5,
    total_ms: 2,
    status: 204,
    outcome: 'answered',
    error: null,
    warnings: [],
    location: null,
    response_body: '',
    ...over,
  };
}

export function summary(copies: readonly CopyReport[], planned = copies.length): RunSummary {
  const statuses: Record<number, number> = {};
  for (const { status } of copies) if (status !== null) statuses[status] = (statuses[status] ?? 0) + 1;
  const ended = (outcome: string) => copies.filter((entry) => entry.outcome === outcome).length;
  return {
    copies: planned,
    statuses,
    release_spread_us: 180,
    peak_in_flight: copies.length,
    outcome_unknown: ended('unknown'),
    not_sent: ended('not-sent'),
    released_by: 'io-uring',
    stopped: false,
  };
}

/** A run of these copies that has ended. */
export function run(copies: CopyReport[], over: Partial<RunReport> = {}): RunReport {
  return {
    id: 'run-1',
    started_at: '2025-11-29T12:04:31.482000Z',
    url: 'http://localhost:3000/hook',
    release: { kind: 'together' },
    copies_planned: copies.length,
    state: 'done',
    copies,
    summary: summary(copies),
    error: null,
    ...over,
  };
}
