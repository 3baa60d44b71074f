import type { Token } from '$lib/json';
import type { Document } from './document';

/** What a comparison met of the form, where the JSON is the same. */
export type Met = { keyOrder: number; escapes: number; numbers: number };

/**
 * How two texts are written otherwise, in words. `same`: they are the same JSON, so their white space can be laid side by
 * side; else only what stands at the ends, and whether there is any, can be told.
 */
export function form(first: Document, second: Document, met: Met, same: boolean): string[] {
  const said: string[] = [];
  if (met.keyOrder > 0) said.push('the order of keys');
  if (met.escapes > 0) said.push('escapes in strings');
  if (met.numbers > 0) said.push('the spelling of numbers');
  const [a, b] = [spaces(first), spaces(second)];
  if (a.before !== b.before) said.push('white space at the start');
  const between = same ? inner(a.inner, b.inner, met.keyOrder === 0) : roughly(a.inner, b.inner);
  if (between !== undefined) said.push(between);
  if (a.after !== b.after) {
    said.push(isNewline(a.after) || isNewline(b.after) ? 'the newline at the end' : 'white space at the end');
  }
  return said;
}

type Spaces = { before: string; inner: string[]; after: string };

/** The white space before each token but the first; empty where two stand side by side. */
function spaces({ text, tokens }: Document): Spaces {
  const literal = (token: Token | undefined) =>
    token?.kind === 'space' ? text.slice(token.start, token.end) : '';
  const inner: string[] = [];
  let last: Token | undefined;
  let some = false;
  for (const token of tokens) {
    if (token.kind !== 'space') {
      if (some) inner.push(literal(last));
      some = true;
    }
    last = token;
  }
  return { before: literal(tokens[0]), inner, after: literal(tokens.at(-1)) };
}

function inner(first: readonly string[], second: readonly string[], inPlace: boolean): string | undefined {
  const bag = (list: readonly string[]) => (inPlace ? list : [...list].sort());
  const [a, b] = [bag(first), bag(second)];
  const differs = (by: (text: string) => string) =>
    a.length !== b.length || a.some((text, at) => by(text) !== by(b[at] ?? ''));
  if (!differs((text) => text)) return undefined;
  return differs((text) => text.replaceAll('\r\n', '\n')) ? 'white space' : 'the ends of lines';
}

/** Only one of them has any: more cannot be told of texts that say something else. */
function roughly(first: readonly string[], second: readonly string[]): string | undefined {
  const any = (list: readonly string[]) => list.some((text) => text !== '');
  return any(first) === any(second) ? undefined : 'white space';
}

function isNewline(text: string): boolean {
  return text === '\n' || text === '\r\n';
}
