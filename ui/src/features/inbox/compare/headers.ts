import type { HeaderValue } from '$bindings/HeaderValue';
import { fromBase64 } from '$lib/bytes';
import { spacedHex } from '$lib/hex';
import { isSensitive } from '../sensitive';
import { align } from './align';
import { Ids } from './document';

export type Header = readonly [name: string, value: HeaderValue];

/** The values of one name, in the order they came, in each of two lists of headers. */
export type HeaderRow = {
  /** In small letters. */
  name: string;
  /** As it was spelled where both spell it alike, else as each does. */
  spelled: string;
  first: HeaderText[];
  second: HeaderText[];
  state: 'same' | 'changed' | 'removed' | 'added' | 'reordered';
  sensitive: boolean;
};

/** A value as text, or as hex where it is none. */
export type HeaderText = { text: string; hex: boolean };

export type HeaderComparison = {
  /** A row for each name: the first's in their order, then those that only the second has. */
  rows: HeaderRow[];
  /** Names, spelled as in the first, that both have and that came in another order. */
  moved: string[];
  differing: number;
};

/** Compares name by name: names in any capitals are one, repeated ones stay apart. */
export function compareHeaders(first: readonly Header[], second: readonly Header[]): HeaderComparison {
  const [firsts, seconds] = [byName(first), byName(second)];
  const rows: HeaderRow[] = [];
  for (const name of new Set([...firsts.keys(), ...seconds.keys()])) {
    const [one, other] = [firsts.get(name) ?? [], seconds.get(name) ?? []];
    rows.push({
      name,
      spelled: spellings(one, other),
      first: one.map(([, value]) => text(value)),
      second: other.map(([, value]) => text(value)),
      state: state(one, other),
      sensitive: isSensitive(name),
    });
  }
  return {
    rows,
    moved: moved(firsts, seconds, first, second),
    differing: rows.filter((row) => row.state !== 'same').length,
  };
}

/** The headers of each name, in small letters. */
type Names = Map<string, Header[]>;

function byName(headers: readonly Header[]): Names {
  const found: Names = new Map();
  for (const header of headers) {
    const name = header[0].toLowerCase();
    const held = found.get(name);
    if (held) held.push(header);
    else found.set(name, [header]);
  }
  return found;
}

function spellings(first: readonly Header[], second: readonly Header[]): string {
  const names = (headers: readonly Header[]) => [...new Set(headers.map(([name]) => name))].join(', ');
  const [one, other] = [names(first), names(second)];
  if (one === '' || one === other) return other;
  return other === '' ? one : `${one} → ${other}`;
}

function state(first: readonly Header[], second: readonly Header[]): HeaderRow['state'] {
  if (second.length === 0) return 'removed';
  if (first.length === 0) return 'added';
  const exact = (headers: readonly Header[]) => headers.map(([name, value]) => JSON.stringify([name, value]));
  const [one, other] = [exact(first), exact(second)];
  if (one.join() === other.join()) return 'same';
  return one.sort().join() === other.sort().join() ? 'reordered' : 'changed';
}

/** The names that both have once and more, and that do not stand in the longest run that both have in one order. */
function moved(firsts: Names, seconds: Names, first: readonly Header[], second: readonly Header[]): string[] {
  const ids = new Ids();
  const inBoth = (headers: readonly Header[], others: Names) =>
    headers.filter(([name]) => others.has(name.toLowerCase()));
  const id = ([name]: Header) => ids.of(name.toLowerCase());
  const a = inBoth(first, seconds);
  const [aIds, bIds] = [a.map(id), inBoth(second, firsts).map(id)];
  const steps = align(aIds, bIds, () => 0, { cells: 1_000_000, spent: false });
  // A step may pair two that are not one: each alone between what stays.
  const stays = new Set(
    steps.filter(({ first, second }) => aIds[first ?? -1] === bIds[second ?? -1]).map(({ first }) => first),
  );
  const out = a.flatMap(([name], at) => (stays.has(at) ? [] : [name]));
  // One that came fewer times is told by its values.
  const count = (names: Names, name: string) => names.get(name.toLowerCase())?.length;
  return [...new Set(out)].filter((name) => count(firsts, name) === count(seconds, name));
}

function text(value: HeaderValue): HeaderText {
  return typeof value === 'string'
    ? { text: value, hex: false }
    : { text: spacedHex(fromBase64(value.base64)), hex: true };
}
