import type { ClaimState } from '$bindings/ClaimState';
import type { RunReport } from '$bindings/RunReport';
import type { Session } from '$host/session.svelte';

/** What this program's own listener said of each copy, by its number. */
export type Claims = ReadonlyMap<number, ClaimState>;

/** Past this many copies their deliveries are not looked up one by one. */
const MOST = 60;
/** Deliveries of others that may have come in between. */
const SPARE = 40;

/** Finds the deliveries of a run that has just ended at our own listener: both ends of a connection know its port. */
export async function claimsOf(session: Session, run: RunReport): Promise<Claims | undefined> {
  if (run.copies.length > MOST) return undefined;
  const copies = new Map(run.copies.map((copy) => [copy.local_port, copy.n]));
  const limit = run.copies.length + SPARE;
  const { rows } = await session.rpc('deliveries.list', { filter: '', limit, before: null, offset: 0 });
  // A port is used again in time; the run's own deliveries came after it began.
  const since = Date.parse(run.started_at);
  const own = rows.filter((row) => Date.parse(row.received_at) >= since);
  const details = await Promise.all(own.map(({ seq }) => session.rpc('deliveries.show', { seq })));
  const claims = new Map<number, ClaimState>();
  for (const { peer, claim } of details) {
    const n = copies.get(Number(peer.slice(peer.lastIndexOf(':') + 1)));
    if (n !== undefined) claims.set(n, claim);
  }
  return claims;
}

/** How many copies came to which end. */
export function tally(claims: Claims): Record<ClaimState, number> {
  const sums = { won: 0, duplicate: 0, none: 0 };
  for (const claim of claims.values()) sums[claim] += 1;
  return sums;
}
