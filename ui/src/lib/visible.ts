/** What cannot be seen in a text, made visible beside the text and never inside it. */

// The names of the controls, from 0.
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

/** A run of text, or a mark for one character that is there and cannot be seen. */
export type Piece = { text: string; mark: string | undefined };

// Controls, soft hyphen, fillers, spaces that look like another, zero width, direction, the byte order mark, tags; and
// spaces at the end of a line.
const UNSEEN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class -- they are what is looked for
  /\r\n|[\u0000-\u0008\u000a-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|(?<! ) +(?=[\r\n])/gu;

/** Whether there is any such character, or a space at the end. */
export function hasUnseen(text: string): boolean {
  return text.endsWith(' ') || text.search(UNSEEN) >= 0;
}

/**
 * Parts a text at the characters that cannot be seen. Joined, the pieces' texts are the text. `whole`: it ends where
 * the text ends that is shown, so that spaces there are marked too.
 */
export function pieces(text: string, whole = true): Piece[] {
  const found: Piece[] = [];
  const plain = (from: number, to: number) => {
    if (to > from) found.push({ text: text.slice(from, to), mark: undefined });
  };
  const end = whole ? text.length - spacesAtEnd(text) : text.length;
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    plain(from, match.index);
    found.push({ text: match[0], mark: mark(match[0]) });
    from = match.index + match[0].length;
  }
  plain(from, end);
  if (end < text.length) found.push({ text: text.slice(end), mark: mark(text.slice(end)) });
  return found;
}

function spacesAtEnd(text: string): number {
  let spaces = 0;
  while (spaces < text.length && text[text.length - 1 - spaces] === ' ') spaces += 1;
  return spaces;
}

function mark(text: string): string {
  if (text === '\r\n') return 'CRLF';
  if (text.startsWith(' ')) return text.length === 1 ? 'SP' : `SP×${text.length}`;
  const code = text.codePointAt(0) ?? 0;
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
