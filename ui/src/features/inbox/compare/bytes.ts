import { HEX_ROW } from '$lib/hex';

/** Bytes in hex, and whether they differ from those in their place. */
export type Run = { hex: string; differs: boolean };
/** A row; joined, the runs' texts are its bytes. */
export type ByteRow = { offset: string; runs: Run[]; text: string };

/** How many rows stand around the first difference. */
const BEFORE = 2;
const ROWS = 6;

/** Where two differ first; nothing where they are equal. One that ends where the other goes on differs there. */
export function firstDifference(first: Uint8Array, second: Uint8Array): number | undefined {
  const shorter = Math.min(first.length, second.length);
  for (let at = 0; at < shorter; at += 1) if (first[at] !== second[at]) return at;
  return first.length === second.length ? undefined : shorter;
}

/** Where a window around an offset begins: some rows before it. */
export function windowStart(offset: number): number {
  return Math.max(0, Math.floor(offset / HEX_ROW) - BEFORE) * HEX_ROW;
}

/** How many bytes a window shows. */
export const WINDOW = ROWS * HEX_ROW;

/** The rows of a window of two; `base` is where both begin. */
export function byteRows(one: Uint8Array, other: Uint8Array, base: number): ByteRow[] {
  const rows: ByteRow[] = [];
  for (let from = 0; from < Math.min(one.length, WINDOW); from += HEX_ROW) {
    const part = one.subarray(from, Math.min(from + HEX_ROW, WINDOW));
    rows.push({
      offset: (base + from).toString(16).padStart(8, '0'),
      runs: runs(part, other.subarray(from)),
      text: Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join(
        '',
      ),
    });
  }
  return rows;
}

function runs(bytes: Uint8Array, others: Uint8Array): Run[] {
  const found: Run[] = [];
  bytes.forEach((byte, at) => {
    const differs = byte !== others[at];
    const hex = byte.toString(16).padStart(2, '0');
    const last = found.at(-1);
    if (last?.differs === differs) last.hex += ` ${hex}`;
    else if (last && !differs) found.push({ hex: ` ${hex}`, differs });
    else {
      // What is marked does not begin with a space.
      if (last) last.hex += ' ';
      found.push({ hex, differs });
    }
  });
  return found;
}
