/** What a custom scheme's text can name, with what stands in its place. */
export const PLACEHOLDERS = [
  ['{timestamp}', 'the time, as it came'],
  ['{id}', 'the event’s id'],
  ['{method}', 'as sent'],
  ['{path}', 'as sent, up to the first ?'],
  ['{query}', 'as sent, after it'],
  ['{header:NAME}', 'another header’s value'],
  ['{body}', 'the raw bytes, once'],
] as const;

const PLAIN = ['timestamp', 'id', 'method', 'path', 'query', 'body'];
const HEADER = /^header:[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The names in braces, in order. A brace that is not opened is text. */
export function templateParts(text: string): string[] {
  return [...text.matchAll(/\{([^}]*)\}/g)].map((found) => found[1] ?? '');
}

/** Why a text cannot be signed; the rules are the engine's. */
export function templateFault(text: string): string | undefined {
  const open = text.lastIndexOf('{');
  if (open > text.lastIndexOf('}')) return 'A brace is not closed.';
  const names = templateParts(text);
  const unknown = names.find((name) => !PLAIN.includes(name) && !HEADER.test(name));
  if (unknown !== undefined) return `{${unknown}} is not known.`;
  const bodies = names.filter((name) => name === 'body').length;
  if (bodies === 0) return 'Without {body} anybody could change it.';
  return bodies > 1 ? '{body} stands in it more than once.' : undefined;
}
