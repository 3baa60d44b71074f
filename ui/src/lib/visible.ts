/** What cannot be seen in a text, made visible beside the text and never inside it. */

// The names of the controls, from 0.
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

/** A run of text, or a mark for one character that is there and cannot be seen. */
export type Piece = { text: string; mark: string | undefined };

// Controls, soft hyphen, spaces that look like another, zero width, direction, and the byte order mark.
const UNSEEN =
  // eslint-disable-next-line no-control-regex -- controls are what is looked for
  /\r\n|[\u0000-\u0008\u000a-\u001f\u007f-\u00a0\u00ad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb]/g;

/** Parts a text at the characters that cannot be seen. Joined, the pieces' texts are the text. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > from) found.push({ text: text.slice(from, match.index), mark: undefined });
    found.push({ text: match[0], mark: mark(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from), mark: undefined });
  return found;
}

function mark(text: string): string {
  if (text === '\r\n') return 'CRLF';
  const code = text.charCodeAt(0);
  const control = CONTROLS[code];
  if (control !== undefined) return control;
  if (code === 0x7f) return 'DEL';
  if (code === 0xfeff) return 'BOM';
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** How a text's lines end and what stands at its ends, in words; what a signature often breaks on. */
export function endings(text: string): string[] {
  const said: string[] = [];
  if (text.startsWith('\ufeff')) said.push('starts with a byte order mark');
  const crlf = text.split('\r\n').length - 1;
  const lf = text.split('\n').length - 1 - crlf;
  const cr = text.split('\r').length - 1 - crlf;
  const kinds = [crlf > 0 && 'CR LF', lf > 0 && 'LF', cr > 0 && 'CR'].filter((kind) => kind !== false);
  if (kinds.length === 1) said.push(`lines end with ${kinds.join('')}`);
  if (kinds.length > 1) said.push(`lines end with ${kinds.join(' and ')}, mixed`);
  if (text !== '') said.push(/[\r\n]$/.test(text) ? 'a newline at the end' : 'no newline at the end');
  return said;
}
