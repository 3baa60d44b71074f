import { repeatedKeys } from '$lib/json';
import { align, type Budget } from './align';
import { Ids, at, children, decoded, keyLiteral, literal, read, type Document, type Kind } from './document';
import { form, type Met } from './form';
import { sameForDoubles } from './number';
import { apart, path, shown, type Shown } from './values';

/**
 * A comparison of two JSON texts as they were sent. The libraries for this compare JavaScript values, in which digits of
 * large numbers, repeated keys and spellings are lost before they look (C74).
 */
export type JsonComparison = {
  /** How many places say something else; 0 where it is the same JSON. */
  total: number;
  /** The first of them, in their order. */
  differences: JsonDifference[];
  /** Numbers that are worth the same and spelled otherwise: how many, and the first of them. */
  spelledTotal: number;
  spelled: JsonDifference[];
  /** How else they are written otherwise. */
  form: string[];
  /** The literals of keys that stand more than once in an object. */
  repeated: { first: string[]; second: string[] };
  /** Some arrays were too long to be aligned, and were compared place by place. */
  coarse: boolean;
};

export type JsonDifference = {
  kind: 'changed' | 'removed' | 'added' | 'reordered' | 'spelled';
  /** Where it stands in the first, for one that was added in the second; empty for the root. */
  path: string;
  /** Where it stands in the second, if that is elsewhere. */
  now: string | undefined;
  first: Shown | undefined;
  second: Shown | undefined;
  /** What else is to be known of it. */
  note: string | undefined;
};

/** How many differences are kept to be shown; all of them are counted. */
export const MOST_KEPT = 500;
/** How much work goes into arrays in all, in cells of their tables. */
const CELLS = 40_000_000;
/** Up to so many characters, two values are looked at as texts before they are taken apart. */
const SHORT = 256;
/** How many entries of two values are looked at to see how alike they are. */
const ENTRIES = 48;

/** What was found, or which of two texts are JSON where not both are. */
export type Examined = { json: JsonComparison } | { isJson: [boolean, boolean] };

/** Compares two texts without their byte order marks, or tells which of them cannot be. */
export function examine(first: string, second: string): Examined {
  const ids = new Ids();
  const [a, b] = [read(first, ids), read(second, ids)];
  return a && b ? { json: compared(a, b) } : { isJson: [a !== undefined, b !== undefined] };
}

/** Compares two texts; nothing where one of them is not JSON. */
export function compareJson(first: string, second: string): JsonComparison | undefined {
  const found = examine(first, second);
  return 'json' in found ? found.json : undefined;
}

function compared(a: Document, b: Document): JsonComparison {
  const walk = new Walk(a, b);
  walk.run();
  const { total, differences, spelledTotal, spelled, met, budget } = walk;
  return {
    total,
    differences,
    spelledTotal,
    spelled,
    form: form(a, b, met, total === 0),
    repeated: { first: repeated(a), second: repeated(b) },
    coarse: budget.spent,
  };
}

function repeated({ repeats, text, tokens }: Document): string[] {
  return repeats ? repeatedKeys(text, tokens) : [];
}

/** What is still to be looked at: a pair, or what stands in one of them only. */
type Task = { first: number; second: number };
const NONE = -1;

class Walk {
  total = 0;
  spelledTotal = 0;
  readonly differences: JsonDifference[] = [];
  readonly spelled: JsonDifference[] = [];
  readonly met: Met = { keyOrder: 0, escapes: 0, numbers: 0 };
  readonly budget: Budget = { cells: CELLS, spent: false };
  readonly #first: Document;
  readonly #second: Document;
  readonly #tasks: Task[] = [{ first: 0, second: 0 }];

  constructor(first: Document, second: Document) {
    this.#first = first;
    this.#second = second;
  }

  run(): void {
    for (let task = this.#tasks.pop(); task; task = this.#tasks.pop()) {
      const { first, second } = task;
      if (second === NONE) this.#tell('removed', first, second);
      else if (first === NONE) this.#tell('added', first, second);
      else this.#pair(first, second);
    }
  }

  #pair(first: number, second: number): void {
    const kind = this.#first.kind[first];
    const same = this.#first.id[first] === this.#second.id[second];
    if (same && this.#spelledAlike(first, second)) return;
    if (kind !== this.#second.kind[second]) this.#tell('changed', first, second);
    else if (kind === 'object') this.#objects(first, second, same);
    else if (kind === 'array') this.#arrays(first, second, same);
    else if (!same) this.#tell('changed', first, second);
    else if (kind === 'string') this.met.escapes += 1;
    else this.#tell('spelled', first, second);
  }

  #objects(first: number, second: number, same: boolean): void {
    const a = children(this.#first, first);
    const b = children(this.#second, second);
    // Of a key that is repeated, the first is compared with the first.
    const waiting = new Map<number, number[]>();
    for (let i = b.length - 1; i >= 0; i -= 1) {
      const key = at(this.#second.key, at(b, i));
      const places = waiting.get(key);
      if (places) places.push(i);
      else waiting.set(key, [i]);
    }
    const tasks: Task[] = [];
    let latest = -1;
    let shuffled = false;
    const met = new Set<number>();
    for (const child of a) {
      const place = waiting.get(at(this.#first.key, child))?.pop();
      tasks.push({ first: child, second: place === undefined ? NONE : at(b, place) });
      if (place === undefined) continue;
      met.add(place);
      if (place < latest) shuffled = true;
      latest = Math.max(latest, place);
    }
    if (!same && met.size === 0 && a.length > 0 && b.length > 0) {
      this.#tell('changed', first, second);
      return;
    }
    b.forEach((child, place) => {
      if (!met.has(place)) tasks.push({ first: NONE, second: child });
    });
    if (shuffled) this.met.keyOrder += 1;
    this.#keys(tasks);
    this.#later(tasks);
  }

  /** Keys that are one, but for an escape. */
  #keys(tasks: readonly Task[]): void {
    for (const { first, second } of tasks) {
      if (first === NONE || second === NONE) continue;
      if (keyLiteral(this.#first, first) !== keyLiteral(this.#second, second)) this.met.escapes += 1;
    }
  }

  #arrays(first: number, second: number, same: boolean): void {
    const a = children(this.#first, first);
    const b = children(this.#second, second);
    if (same || (a.length === 1 && b.length === 1)) {
      this.#later(a.map((child, i) => ({ first: child, second: at(b, i) })));
      return;
    }
    const aIds = a.map((child) => at(this.#first.id, child));
    const bIds = b.map((child) => at(this.#second.id, child));
    if (isShuffle(aIds, bIds)) {
      this.#tell('reordered', first, second);
      return;
    }
    const likeness = this.#likeness(a, b);
    const steps = align(aIds, bIds, likeness, this.budget);
    this.#later(
      steps.map((step) => ({
        first: step.first === undefined ? NONE : at(a, step.first),
        second: step.second === undefined ? NONE : at(b, step.second),
      })),
    );
  }

  /** How alike two elements are: most for those that share entries, least for those of another kind. */
  #likeness(a: readonly number[], b: readonly number[]): (i: number, j: number) => number {
    const entries = (document: Document, known: Map<number, Set<string>>, node: number): Set<string> => {
      let found = known.get(node);
      if (!found) {
        const held = children(document, node).slice(0, ENTRIES);
        found = new Set(held.map((child) => `${document.key[child]}:${document.id[child]}`));
        known.set(node, found);
      }
      return found;
    };
    const [aKnown, bKnown] = [new Map<number, Set<string>>(), new Map<number, Set<string>>()];
    return (i, j) => {
      const [first, second] = [at(a, i), at(b, j)];
      const kind = this.#first.kind[first];
      if (kind !== this.#second.kind[second]) return 0.25;
      if (kind !== 'object' && kind !== 'array') return 0.5;
      const one = entries(this.#first, aKnown, first);
      const other = entries(this.#second, bKnown, second);
      let shared = 0;
      for (const entry of one) if (other.has(entry)) shared += 1;
      return 0.5 + (2 * shared) / Math.max(1, one.size + other.size);
    };
  }

  /** In their order: the last one that is put on the pile is looked at first. */
  #later(tasks: readonly Task[]): void {
    for (let i = tasks.length - 1; i >= 0; i -= 1) {
      const task = tasks[i];
      if (task) this.#tasks.push(task);
    }
  }

  #spelledAlike(first: number, second: number): boolean {
    const { start, end } = this.#first;
    const length = at(end, first) - at(start, first);
    if (length !== at(this.#second.end, second) - at(this.#second.start, second)) return false;
    const kind = this.#first.kind[first];
    if (length > SHORT && (kind === 'object' || kind === 'array')) return false;
    return literal(this.#first, first) === literal(this.#second, second);
  }

  #tell(kind: JsonDifference['kind'], first: number, second: number): void {
    let kept = this.differences;
    if (kind === 'spelled') {
      this.spelledTotal += 1;
      this.met.numbers += 1;
      kept = this.spelled;
    } else {
      this.total += 1;
    }
    if (kept.length >= MOST_KEPT) return;
    const before = first === NONE ? undefined : path(this.#first, first);
    const now = second === NONE ? undefined : path(this.#second, second);
    kept.push({
      kind,
      path: before ?? now ?? '',
      now: before !== undefined && now !== before ? now : undefined,
      ...this.#values(first, second),
      note: first === NONE || second === NONE ? undefined : this.#note(kind, first, second),
    });
  }

  #values(first: number, second: number): Pick<JsonDifference, 'first' | 'second'> {
    const kind = this.#first.kind[first];
    if (first !== NONE && second !== NONE && kind === this.#second.kind[second] && isScalar(kind)) {
      if (kind === 'word') return { first: shown(this.#first, first), second: shown(this.#second, second) };
      const [one, other] = apart(literal(this.#first, first), literal(this.#second, second));
      return { first: one, second: other };
    }
    return {
      first: first === NONE ? undefined : shown(this.#first, first),
      second: second === NONE ? undefined : shown(this.#second, second),
    };
  }

  #note(kind: JsonDifference['kind'], first: number, second: number): string | undefined {
    const [was, is] = [this.#first.kind[first], this.#second.kind[second]];
    if (kind === 'reordered') {
      return `the same ${this.#first.count[first]} elements in another order`;
    }
    if (kind === 'spelled') return 'worth the same, spelled otherwise';
    if (was !== is) return `${named(this.#first, first)} became ${named(this.#second, second)}`;
    const [a, b] = [literal(this.#first, first), literal(this.#second, second)];
    if (was === 'number' && sameForDoubles(a, b)) {
      return 'a reader that keeps numbers in 64 bits, as JavaScript does, sees no difference';
    }
    if (was === 'string') return ofStrings(decoded(a), decoded(b));
    return undefined;
  }
}

/** What is easily overlooked in two strings. */
function ofStrings(first: string, second: string): string | undefined {
  if (first.normalize() === second.normalize()) return 'the same letters, composed otherwise (Unicode)';
  if (first.trim() === second.trim()) return 'only white space at the ends differs';
  if (first.toLowerCase() === second.toLowerCase()) return 'only capitals differ';
  return undefined;
}

function named(document: Document, node: number): string {
  const kind = document.kind[node];
  if (kind === 'word') return literal(document, node);
  return kind === 'object' || kind === 'array' ? `an ${kind}` : `a ${kind}`;
}

function isScalar(kind: Kind | undefined): boolean {
  return kind !== 'object' && kind !== 'array';
}

/** Whether two lists hold the same elements in another order. */
function isShuffle(first: readonly number[], second: readonly number[]): boolean {
  if (first.length !== second.length || first.length < 2) return false;
  const counts = new Map<number, number>();
  for (const id of first) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const id of second) {
    const left = counts.get(id) ?? 0;
    if (left === 0) return false;
    counts.set(id, left - 1);
  }
  return true;
}
