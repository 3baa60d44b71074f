import type { HeaderValue } from '$bindings/HeaderValue';
import { fromBase64 } from '$lib/bytes';
import { isSensitive } from '../sensitive';
import { align } from './align';

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

/** What became of a name, in a word or two. */
export const STATES: Record<HeaderRow['state'], string> = {
  same: 'the same',
  changed: 'changed',
  removed: 'only in the first',
  added: 'only in the second',
  reordered: 'another order',
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
  const [a, b] = [byName(first), byName(second)];
  const rows: HeaderRow[] = [];
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [one, other] = [a.get(name) ?? [], b.get(name) ?? []];
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
    moved: moved(first, second),
    differing: rows.filter((row) => row.state !== 'same').length,
  };
}

function byName(headers: readonly Header[]): Map<string, Header[]> {
  const found = new Map<string, Header[]>();
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
function moved(first: readonly Header[], second: readonly Header[]): string[] {
  const ids = new Map<string, number>();
  const id = ([name]: Header) => {
    const lower = name.toLowerCase();
    const known = ids.get(lower) ?? ids.size;
    ids.set(lower, known);
    return known;
  };
  const inBoth = (headers: readonly Header[], other: readonly Header[]) => {
    const names = new Set(other.map(([name]) => name.toLowerCase()));
    return headers.filter(([name]) => names.has(name.toLowerCase()));
  };
  const [a, b] = [inBoth(first, second), inBoth(second, first)];
  const counts = (headers: readonly Header[], name: string) =>
    headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).length;
  const steps = align(a.map(id), b.map(id), () => 0, { cells: 1_000_000, spent: false });
  const out = steps.flatMap(({ first, second }) =>
    second === undefined ? (a[first ?? 0] ?? []).slice(0, 1) : [],
  );
  // One that came fewer times is told by its values.
  return [...new Set(out as string[])].filter((name) => counts(a, name) === counts(b, name));
}

function text(value: HeaderValue): HeaderText {
  if (typeof value === 'string') return { text: value, hex: false };
  const hex = Array.from(fromBase64(value.base64), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return { text: hex, hex: true };
}
