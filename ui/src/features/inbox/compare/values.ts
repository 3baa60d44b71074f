import { splitsPair } from '$lib/format';
import { tokenize } from '$lib/json';
import { at, decoded, keyLiteral, literal, type Document } from './document';

/** A value as it is shown: what is the same around what differs, and how many characters were left out at each end. */
export type Shown = {
  leftOut: number;
  before: string;
  middle: string;
  after: string;
  leftOutAfter: number;
};

/** How much of a value is shown, and of what is the same before it. */
const MOST = 400;
const AROUND = 40;
/** How many keys and indexes a path shows; its end tells more than its beginning. */
const DEEPEST = 24;

/** A literal of which nothing is compared. */
export function whole(text: string): Shown {
  return window(text, 0, text.length);
}

/** Two literals, each with what differs in it. */
export function apart(first: string, second: string): [Shown, Shown] {
  const shorter = Math.min(first.length, second.length);
  let from = 0;
  while (from < shorter && first[from] === second[from]) from += 1;
  // Not inside a character, nor inside an escape.
  while (from > 0 && (splitsPair(first, from) || splitsPair(second, from) || inEscape(first, from)))
    from -= 1;
  let back = 0;
  while (back < shorter - from && first[first.length - 1 - back] === second[second.length - 1 - back]) {
    back += 1;
  }
  const splits = () =>
    [first, second].some(
      (text) => splitsPair(text, text.length - back) || inEscape(text, text.length - back),
    );
  while (back > 0 && splits()) back -= 1;
  const longer = Math.max(first.length, second.length);
  // Two words with an ending in common differ as a whole.
  if (longer <= MOST && from + back < longer / 2) return [whole(first), whole(second)];
  return [window(first, from, first.length - back), window(second, from, second.length - back)];
}

/** A value by itself: an object or an array without its white space. */
export function shown(document: Document, node: number): Shown {
  const start = at(document.start, node);
  const end = at(document.end, node);
  const kind = document.kind[node];
  if (kind !== 'object' && kind !== 'array') return whole(literal(document, node));
  // More than is shown, for the white space in it.
  const part = document.text.slice(start, Math.min(end, start + MOST * 4));
  let bare = '';
  let taken = 0;
  for (const token of tokenize(part).tokens) {
    const text = part.slice(token.start, token.end);
    if (bare.length + text.length > MOST) break;
    if (token.kind !== 'space') bare += text;
    taken = token.end;
  }
  return { leftOut: 0, before: '', middle: bare, after: '', leftOutAfter: end - start - taken };
}

/** Where a value stands, as it would be written in JavaScript: `items[3].name`. The root has no path. */
export function path(document: Document, node: number): string {
  const steps: string[] = [];
  let here = node;
  let parent = at(document.parent, here);
  while (parent !== -1 && steps.length < DEEPEST) {
    steps.push(
      document.kind[parent] === 'array' ? `[${document.place[here]}]` : step(document, parent, here),
    );
    here = parent;
    parent = at(document.parent, here);
  }
  if (parent === -1) return steps.reverse().join('').replace(/^\./, '');
  let above = 0;
  for (; parent !== -1; parent = at(document.parent, parent)) above += 1;
  return `(${above} levels above)…${steps.reverse().join('')}`;
}

function step(document: Document, parent: number, node: number): string {
  const text = keyLiteral(document, node);
  const name = decoded(text);
  const said = /^[A-Za-z_$][\w$]*$/.test(name)
    ? `.${name}`
    : `[${text.length > 80 ? `${text.slice(0, 79)}…` : text}]`;
  const nth = document.repeats ? repetition(document, parent, node) : 0;
  return nth === 0 ? said : `${said}(${ordinal(nth + 1)})`;
}

/** How often the key of a node stood before in its object. */
function repetition(document: Document, parent: number, node: number): number {
  let nth = 0;
  for (let child = parent + 1; child < node; child = at(document.after, child)) {
    if (document.key[child] === document.key[node]) nth += 1;
  }
  return nth;
}

function ordinal(n: number): string {
  const ending =
    n % 100 > 10 && n % 100 < 14
      ? undefined
      : ({ 1: 'st', 2: 'nd', 3: 'rd' } as Record<number, string>)[n % 10];
  return `${n}${ending ?? 'th'}`;
}

function window(text: string, from: number, to: number): Shown {
  let start = from > AROUND + 12 ? from - AROUND : 0;
  if (splitsPair(text, start)) start -= 1;
  let end = Math.min(to, from + MOST);
  if (splitsPair(text, end)) end -= 1;
  let rest = end < to ? end : Math.min(text.length, end + AROUND);
  if (text.length - rest <= 12) rest = end < to ? rest : text.length;
  if (rest > end && splitsPair(text, rest)) rest -= 1;
  return {
    leftOut: start,
    before: text.slice(start, from),
    middle: text.slice(from, end),
    after: text.slice(end, rest),
    leftOutAfter: text.length - rest,
  };
}

function inEscape(text: string, index: number): boolean {
  return /\\(u[0-9a-fA-F]{0,3})?$/.test(text.slice(Math.max(0, index - 5), index));
}
