/** Where a delivery came from. An imported one may have come without it. */
export function sender(peer: string): string {
  return peer === '0.0.0.0:0' ? 'not known' : peer;
}
