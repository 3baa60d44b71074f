import { expect, it } from 'vitest';
import { align, type Step } from './align';
import { compareJson, MOST_KEPT } from './json';

/** The same numbers at each run: mulberry32. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Pick = (below: number) => number;

const WORDS = ['', 'a', 'b', 'é', 'e\u0301', '\n', '"', '\\', '😀', 'job_1', ' x '];

function value(pick: Pick, depth: number): Json {
  switch (pick(depth > 0 ? 7 : 4)) {
    case 0:
      return pick(5) - 2;
    case 1:
      return WORDS[pick(WORDS.length)] ?? '';
    case 2:
      return [true, false, null][pick(3)] ?? null;
    case 3:
      return pick(3) / 4;
    case 4:
    case 5:
      return Array.from({ length: pick(6) }, () => value(pick, depth - 1));
    default:
      return Object.fromEntries<Json>(
        Array.from({ length: pick(5) }, () => [WORDS[pick(5)] ?? '', value(pick, depth - 1)]),
      );
  }
}

/** Another one that is like it in most places. */
function altered(pick: Pick, from: Json): Json {
  if (pick(8) === 0) return value(pick, 2);
  if (Array.isArray(from)) {
    const to = from.map((one) => altered(pick, one));
    if (pick(3) === 0) to.splice(pick(to.length + 1), pick(2), value(pick, 1));
    return to;
  }
  if (from !== null && typeof from === 'object') {
    const entries = Object.entries(from).map(([key, one]) => [key, altered(pick, one)]);
    if (pick(3) === 0) entries.splice(0, 1);
    return Object.fromEntries(entries) as Json;
  }
  return from;
}

/** The same JSON with its keys, white space, escapes and numbers written otherwise. */
function rewritten(pick: Pick, from: Json): string {
  const space = () => ['', '', ' ', '\n', '\t\r\n'][pick(5)] ?? '';
  const string = (text: string) =>
    pick(2) === 0
      ? JSON.stringify(text)
      : `"${[...Array(text.length).keys()].map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
  const written = (one: Json): string => {
    if (Array.isArray(one)) return `[${space()}${one.map(written).join(`${space()},`)}${space()}]`;
    if (one !== null && typeof one === 'object') {
      const entries = Object.entries(one).sort(() => pick(3) - 1);
      return `{${entries.map(([key, held]) => `${space()}${string(key)}${space()}:${written(held)}`).join()}}`;
    }
    if (typeof one === 'string') return string(one);
    if (typeof one === 'number') return pick(2) === 0 ? String(one) : `${one * 100}e-2`;
    return String(one);
  };
  return space() + written(from) + space();
}

/** Sorted, so that two are equal where the JSON is. */
function canonical(one: Json): string {
  return JSON.stringify(one, (_, held: Json) =>
    held !== null && typeof held === 'object' && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  );
}

const seeds = Array.from({ length: 400 }, (_, i) => i + 1);

it('a comparison with itself finds nothing, and with another spelling of itself nothing but the form', () => {
  for (const seed of seeds) {
    const pick = random(seed);
    const one = value(pick, 3);
    const [first, second] = [rewritten(pick, one), rewritten(pick, one)];
    expect(compareJson(first, first), first).toMatchObject({ total: 0, spelledTotal: 0, form: [] });
    const found = compareJson(first, second);
    expect(found?.differences, `${first} ${second}`).toEqual([]);
    if (first !== second) expect(found?.form, `${first} ${second}`).not.toEqual([]);
    else expect(found?.form).toEqual([]);
  }
});

it('a comparison finds something where the JSON differs, whichever comes first', () => {
  for (const seed of seeds) {
    const pick = random(seed);
    const one = value(pick, 3);
    const other = altered(pick, one);
    const [first, second] = [rewritten(pick, one), rewritten(pick, other)];
    const same = canonical(one) === canonical(other);
    expect(compareJson(first, second)?.total === 0, `${first} ${second}`).toBe(same);
    expect(compareJson(second, first)?.total === 0, `${second} ${first}`).toBe(same);
  }
});

/** What becomes of a text when each difference is put where its path says. */
function applied(first: Json, second: Json): Json {
  const found = compareJson(JSON.stringify(first), JSON.stringify(second));
  if (!found || found.total > MOST_KEPT) throw new Error('all differences are needed');
  const root = { root: structuredClone(first) };
  // From the last on: what is put in or taken out moves what stands behind it. What is added stands where the second has
  // it, so that is put in from the first on, when all that goes is gone.
  const at = (path: string) => steps(path === '' || path.startsWith('[') ? `root${path}` : `root.${path}`);
  for (const { kind, path, now } of [...found.differences].reverse()) {
    if (kind === 'added') continue;
    const to = at(path);
    if (kind === 'removed') take(root, to);
    else put(root, to, structuredClone(get({ root: second }, at(now ?? path))), false);
  }
  for (const { kind, path } of found.differences) {
    if (kind === 'added') put(root, at(path), structuredClone(get({ root: second }, at(path))), true);
  }
  return root.root;
}

type Step1 = string | number;

function steps(path: string): Step1[] {
  const found: Step1[] = [];
  for (const [, name, index, key] of path.matchAll(
    /\.?([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g,
  )) {
    if (name !== undefined) found.push(name);
    else if (index !== undefined) found.push(Number(index));
    else found.push(JSON.parse(key ?? '""') as string);
  }
  return found;
}

function get(from: Json, path: Step1[]): Json {
  return path.reduce<Json>((held, step) => (held as Record<Step1, Json>)[step] ?? null, from);
}

function put(into: Json, path: Step1[], what: Json, insert: boolean): void {
  const holder = get(into, path.slice(0, -1));
  const last = path.at(-1) ?? '';
  if (insert && Array.isArray(holder)) holder.splice(Number(last), 0, what);
  else (holder as Record<Step1, Json>)[last] = what;
}

function take(from: Json, path: Step1[]): void {
  const holder = get(from, path.slice(0, -1));
  const last = path.at(-1) ?? '';
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- it is a value of any shape
  else delete (holder as Record<Step1, Json>)[last];
}

it('the differences, applied to the first, give the second', () => {
  for (const seed of seeds) {
    const pick = random(seed);
    const one = value(pick, 3);
    const other = altered(pick, one);
    const made = applied(one, other);
    expect(canonical(made), `${JSON.stringify(one)} → ${JSON.stringify(other)}`).toBe(canonical(other));
  }
});

it('an alignment holds each element once, in order, and pairs as many equal ones as there can be', () => {
  for (const seed of seeds) {
    const pick = random(seed);
    const list = () => Array.from({ length: pick(12) }, () => pick(4));
    const [first, second] = [list(), list()];
    const found = align(first, second, () => 0.5, { cells: 1e6, spent: false });
    const only = (side: keyof Step) => found.map((step) => step[side]).filter((one) => one !== undefined);
    expect(only('first')).toEqual([...first.keys()]);
    expect(only('second')).toEqual([...second.keys()]);
    const equal = found.filter(
      ({ first: i, second: j }) => i !== undefined && j !== undefined && first[i] === second[j],
    );
    expect(equal, `${first.join()} ${second.join()}`).toHaveLength(longest(first, second));
  }
});

function longest(first: readonly number[], second: readonly number[]): number {
  const [one, ...rest] = first;
  if (one === undefined || second.length === 0) return 0;
  const place = second.indexOf(one);
  const without = longest(rest, second);
  return place === -1 ? without : Math.max(without, 1 + longest(rest, second.slice(place + 1)));
}
