import { utf8 } from '$lib/bytes';

/** How lines end. `mixed` shows each carriage return where it stands and keeps it. */
export type LineEnd = 'LF' | 'CRLF' | 'mixed' | 'none';

/** Past this many bytes a body is not opened in the editor unless asked for. */
export const LARGE = 2 * 1024 * 1024;

/** How the lines of a text end. A carriage return that stands alone counts as mixed: no editor would keep it else. */
export function lineEndOf(text: string): LineEnd {
  const feeds = count(text, /\n/g);
  const pairs = count(text, /\r\n/g);
  const returns = count(text, /\r/g);
  if (feeds === 0 && returns === 0) return 'none';
  if (returns === 0) return 'LF';
  return feeds === pairs && returns === pairs ? 'CRLF' : 'mixed';
}

/** What stands between two lines of the editor: anything else in the text is a character and is kept as it is (C07). */
export function separatorOf(text: string): '\n' | '\r\n' {
  return lineEndOf(text) === 'CRLF' ? '\r\n' : '\n';
}

/** The text with all its lines ending alike. */
export function withLineEnd(text: string, end: 'LF' | 'CRLF'): string {
  return text.replace(/\r\n?|\n/g, end === 'LF' ? '\n' : '\r\n');
}

/** The text of bytes that an editor can hold without changing one; nothing for binary ones. */
export function editable(bytes: Uint8Array): string | undefined {
  const text = utf8(bytes);
  // NUL is UTF-8 and still no text.
  return text?.includes('\0') ? undefined : text;
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
