import { tokenize, type Token } from '$lib/json';
import { numberValue } from './number';

export type Kind = 'object' | 'array' | 'string' | 'number' | 'word';

/**
 * A JSON text as a flat tree: a node for each value, parents before their children. Nothing in it is cut, and depth costs
 * no recursion.
 */
export type Document = {
  text: string;
  tokens: readonly Token[];
  kind: Kind[];
  /** Where a value's literal stands in the text. */
  start: number[];
  end: number[];
  /** The node that holds it; -1 for the root. */
  parent: number[];
  /** Its place among the values that its parent holds. */
  place: number[];
  /** How many values it holds. */
  count: number[];
  /** The node that follows all that it holds. */
  after: number[];
  /** The key in an object as an id, with where its literal stands; -1 elsewhere. */
  key: number[];
  keyStart: number[];
  keyEnd: number[];
  /** Equal for values that are the same JSON, whatever the order of keys, the escapes and the spelling of numbers. */
  id: number[];
  /** Some key stands more than once in an object. */
  repeats: boolean;
};

/** Gives equal texts equal numbers; the two documents of a comparison share one. */
export class Ids {
  readonly #known = new Map<string, number>();

  of(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const next = this.#known.size;
    this.#known.set(text, next);
    return next;
  }
}

/** Reads a text; nothing where it is not JSON. */
export function read(text: string, ids: Ids): Document | undefined {
  const { tokens, broken } = tokenize(text);
  if (broken !== undefined) return undefined;
  const document: Document = {
    text,
    tokens,
    kind: [],
    start: [],
    end: [],
    parent: [],
    place: [],
    count: [],
    after: [],
    key: [],
    keyStart: [],
    keyEnd: [],
    id: [],
    repeats: false,
  };
  const open: number[] = [];
  let key: Token | undefined;

  const add = (kind: Kind, token: Token, id: number): number => {
    const node = document.kind.length;
    const parent = open.at(-1) ?? -1;
    document.kind.push(kind);
    document.start.push(token.start);
    document.end.push(token.end);
    document.parent.push(parent);
    document.place.push(parent === -1 ? 0 : at(document.count, parent));
    document.count.push(0);
    document.after.push(node + 1);
    document.key.push(key ? ids.of(`k${decoded(text.slice(key.start, key.end))}`) : -1);
    document.keyStart.push(key?.start ?? -1);
    document.keyEnd.push(key?.end ?? -1);
    document.id.push(id);
    if (parent !== -1) document.count[parent] = at(document.count, parent) + 1;
    key = undefined;
    return node;
  };

  for (const token of tokens) {
    switch (token.kind) {
      case 'key':
        key = token;
        break;
      case 'open':
        open.push(add(text[token.start] === '{' ? 'object' : 'array', token, -1));
        break;
      case 'close': {
        const node = open.pop() ?? 0;
        document.end[node] = token.end;
        document.after[node] = document.kind.length;
        document.id[node] = ids.of(composed(document, node));
        break;
      }
      case 'string':
        add('string', token, ids.of(`"${decoded(text.slice(token.start, token.end))}`));
        break;
      case 'number':
        add('number', token, ids.of(`#${numberValue(text.slice(token.start, token.end))}`));
        break;
      case 'word':
        add('word', token, ids.of(`w${text.slice(token.start, token.end)}`));
        break;
      case 'colon':
      case 'comma':
      case 'space':
    }
  }
  return document;
}

/** The values that a node holds, in their order. */
export function children(document: Document, node: number): number[] {
  const held: number[] = [];
  const end = at(document.after, node);
  for (let child = node + 1; child < end; child = at(document.after, child)) held.push(child);
  return held;
}

export function literal(document: Document, node: number): string {
  return document.text.slice(document.start[node], document.end[node]);
}

/** The literal of a key, with its quotes. */
export function keyLiteral(document: Document, node: number): string {
  return document.text.slice(document.keyStart[node], document.keyEnd[node]);
}

/** The characters that a string's literal stands for. */
export function decoded(literal: string): string {
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}

/** Reads a list whose index is known to be in it. */
export function at(list: readonly number[], index: number): number {
  return list[index] ?? -1;
}

/** What a container is made of; keys in one order, those that are repeated in theirs. */
function composed(document: Document, node: number): string {
  const { id, key, kind } = document;
  const held = children(document, node);
  if (kind[node] === 'array') return `[${held.map((child) => id[child]).join()}`;
  held.sort((a, b) => at(key, a) - at(key, b));
  if (held.some((child, i) => i > 0 && key[child] === key[at(held, i - 1)])) document.repeats = true;
  return `{${held.map((child) => `${key[child]}:${id[child]}`).join()}`;
}
