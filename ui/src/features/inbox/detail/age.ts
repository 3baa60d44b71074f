import type { SignatureReport } from '$bindings/SignatureReport';
import { duration } from '$lib/format';

/** How old a signed time was at receipt, beside what is allowed now; nothing where no time is signed. */
export function ageWords({ age_s, state }: SignatureReport, tolerance: number): string | undefined {
  // The reason of a stale one says it already.
  if (age_s === null || state === 'stale') return undefined;
  const off = duration(Math.abs(age_s) * 1000);
  // It may have been judged by another tolerance than is set now.
  const now = state === 'valid' && Math.abs(age_s) > tolerance ? ' now' : '';
  return `The timestamp was ${off} ${age_s < 0 ? 'ahead' : 'old'} at receipt; ${tolerance} s are allowed${now}.`;
}
