const WRITTEN: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const READ: Record<string, string> = { '\\': '\\', n: '\n', r: '\r', t: '\t' };

/** A text on one line: a browser's text area would make one kind of line break of all. */
export function writeEscapes(text: string): string {
  return text.replace(/[\\\n\r\t]/g, (char) => WRITTEN[char] ?? char);
}

/** The text again; nothing where a backslash begins no escape. */
export function readEscapes(written: string): string | undefined {
  if (/\\(?![\\nrt])/.test(written.replaceAll('\\\\', ''))) return undefined;
  return written.replace(/\\(.)/g, (_, char: string) => READ[char] ?? char);
}
