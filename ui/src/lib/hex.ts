/** How many bytes stand in a row. */
export const HEX_ROW = 16;

/** A row of a hex view: where it starts, its bytes, and what is printable of them. */
export type HexRow = { offset: string; hex: string; text: string };

/** The row of a number, from 0; rows are made when they are seen. */
export function hexRow(bytes: Uint8Array, row: number): HexRow {
  const part = bytes.subarray(row * HEX_ROW, (row + 1) * HEX_ROW);
  let hex = '';
  let text = '';
  for (let i = 0; i < HEX_ROW; i += 1) {
    const byte = part[i];
    if (i === HEX_ROW / 2) hex += ' ';
    hex += byte === undefined ? '   ' : `${byte.toString(16).padStart(2, '0')} `;
    if (byte !== undefined) text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·';
  }
  return { offset: (row * HEX_ROW).toString(16).padStart(8, '0'), hex: hex.trimEnd(), text };
}

/** Bytes in a line, as they are shown where a text was expected: `ff 00`. */
export function spacedHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

export function hexRows(length: number): number {
  return Math.ceil(length / HEX_ROW);
}
