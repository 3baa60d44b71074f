/** A step through two lists: an element of each, or of one of them. */
export type Step = { first: number | undefined; second: number | undefined };

/** How much work an alignment may still do, in cells; what is over it is paired by position. */
export type Budget = { cells: number; spent: boolean };

/** Past so many cells a stretch is not laid out as a table. */
const TABLE = 1_000_000;
/** Past so many pairs a gap is not searched for what is alike. */
const ALIKE = 4096;
/** How often a stretch is parted at what stands once in it. */
const DEEPEST = 40;

/**
 * Aligns two lists of ids: equal elements are paired in order, as many as the budget lets it find, so that one that was
 * put in is one step. What stands between is paired with what `likeness` finds most alike; 0 and less is not.
 */
export function align(
  first: readonly number[],
  second: readonly number[],
  likeness: (first: number, second: number) => number,
  budget: Budget,
): Step[] {
  const search = new Search(first, second, budget);
  search.match(0, first.length, 0, second.length);
  const steps: Step[] = [];
  let a = 0;
  let b = 0;
  for (const [i, j] of [...search.found, [first.length, second.length] as const]) {
    gap(a, i, b, j, likeness, budget, steps);
    if (i < first.length) steps.push({ first: i, second: j });
    a = i + 1;
    b = j + 1;
  }
  return steps;
}

/** Looks for pairs of equal elements in two lists, in order: in the first from `a0` to before `a1`, in the second `b0`, `b1`. */
class Search {
  readonly found: [number, number][] = [];
  readonly #first: readonly number[];
  readonly #second: readonly number[];
  readonly #budget: Budget;

  constructor(first: readonly number[], second: readonly number[], budget: Budget) {
    this.#first = first;
    this.#second = second;
    this.#budget = budget;
  }

  match(a0: number, a1: number, b0: number, b1: number, depth = 0): void {
    while (a0 < a1 && b0 < b1 && this.#equal(a0, b0)) this.found.push([a0++, b0++]);
    const tail: [number, number][] = [];
    while (a1 > a0 && b1 > b0 && this.#equal(a1 - 1, b1 - 1)) tail.push([--a1, --b1]);
    const cells = (a1 - a0) * (b1 - b0);
    if (cells > 0) {
      if (cells <= TABLE && cells <= this.#budget.cells) {
        this.#budget.cells -= cells;
        this.#table(a0, a1, b0, b1);
      } else {
        this.#between(a0, a1, b0, b1, depth + 1);
      }
    }
    // One by one: a call takes only so many arguments.
    for (let i = tail.length - 1; i >= 0; i -= 1) {
      const pair = tail[i];
      if (pair) this.found.push(pair);
    }
  }

  /** The longest common subsequence, by a table. */
  #table(a0: number, a1: number, b0: number, b1: number): void {
    const wide = b1 - b0 + 1;
    const longest = new Uint32Array((a1 - a0 + 1) * wide);
    const cell = (i: number, j: number) => longest[(i - a0) * wide + (j - b0)] ?? 0;
    for (let i = a1 - 1; i >= a0; i -= 1) {
      for (let j = b1 - 1; j >= b0; j -= 1) {
        longest[(i - a0) * wide + (j - b0)] = this.#equal(i, j)
          ? cell(i + 1, j + 1) + 1
          : Math.max(cell(i + 1, j), cell(i, j + 1));
      }
    }
    let i = a0;
    let j = b0;
    while (i < a1 && j < b1) {
      if (this.#equal(i, j)) this.found.push([i++, j++]);
      else if (cell(i + 1, j) >= cell(i, j + 1)) i += 1;
      else j += 1;
    }
  }

  /** Holds on to the elements that stand once in each stretch, and looks again between them. */
  #between(a0: number, a1: number, b0: number, b1: number, depth: number): void {
    const budget = this.#budget;
    budget.cells -= a1 - a0 + (b1 - b0);
    const anchors = budget.cells < 0 || depth > DEEPEST ? [] : inOrder(this.#once(a0, a1, b0, b1));
    if (anchors.length === 0) {
      budget.spent = true;
      return;
    }
    let a = a0;
    let b = b0;
    for (const [i, j] of [...anchors, [a1, b1] as const]) {
      this.match(a, i, b, j, depth);
      if (i < a1) this.found.push([i, j]);
      a = i + 1;
      b = j + 1;
    }
  }

  /** The pairs of elements that stand once in each of two stretches, by their place in the first. */
  #once(a0: number, a1: number, b0: number, b1: number): [number, number][] {
    const MANY = -1;
    const places = (list: readonly number[], from: number, to: number) => {
      const seen = new Map<number, number>();
      for (let i = from; i < to; i += 1) {
        const id = list[i] ?? 0;
        seen.set(id, seen.has(id) ? MANY : i);
      }
      return seen;
    };
    const others = places(this.#second, b0, b1);
    const pairs: [number, number][] = [];
    for (const [id, i] of places(this.#first, a0, a1)) {
      const j = others.get(id);
      if (i !== MANY && j !== undefined && j !== MANY) pairs.push([i, j]);
    }
    return pairs.sort(([a], [b]) => a - b);
  }

  #equal(i: number, j: number): boolean {
    return this.#first[i] === this.#second[j];
  }
}

/** The longest run of pairs whose second places rise too. */
function inOrder(pairs: readonly [number, number][]): [number, number][] {
  const ends: number[] = [];
  const previous: number[] = [];
  const second = (index: number | undefined) => pairs[index ?? -1]?.[1] ?? -1;
  pairs.forEach(([, j], index) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (second(ends[middle]) < j) low = middle + 1;
      else high = middle;
    }
    previous.push(ends[low - 1] ?? -1);
    ends[low] = index;
  });
  const run: [number, number][] = [];
  for (let index = ends.at(-1) ?? -1; index !== -1; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair) run.push(pair);
  }
  return run.reverse();
}

/** Pairs what is left between two equal elements. */
function gap(
  a0: number,
  a1: number,
  b0: number,
  b1: number,
  likeness: (first: number, second: number) => number,
  budget: Budget,
  steps: Step[],
): void {
  const rows = a1 - a0;
  const columns = b1 - b0;
  const cells = rows * columns;
  let i = a0;
  let j = b0;
  if (cells > 1 && cells <= ALIKE && cells <= budget.cells) {
    budget.cells -= cells;
    const wide = columns + 1;
    const alike = new Float64Array(cells);
    const best = new Float64Array((rows + 1) * wide);
    const cell = (i: number, j: number) => best[(i - a0) * wide + (j - b0)] ?? 0;
    const pair = (i: number, j: number) => alike[(i - a0) * columns + (j - b0)] ?? 0;
    for (let i = a1 - 1; i >= a0; i -= 1) {
      for (let j = b1 - 1; j >= b0; j -= 1) {
        const like = likeness(i, j);
        alike[(i - a0) * columns + (j - b0)] = like;
        const apart = Math.max(cell(i + 1, j), cell(i, j + 1));
        best[(i - a0) * wide + (j - b0)] = like > 0 ? Math.max(apart, like + cell(i + 1, j + 1)) : apart;
      }
    }
    while (i < a1 && j < b1) {
      if (pair(i, j) > 0 && cell(i, j) === pair(i, j) + cell(i + 1, j + 1)) {
        steps.push({ first: i++, second: j++ });
      } else if (cell(i, j) === cell(i + 1, j)) {
        steps.push({ first: i++, second: undefined });
      } else {
        steps.push({ first: undefined, second: j++ });
      }
    }
  } else {
    if (cells > ALIKE) budget.spent = true;
    while (i < a1 && j < b1) steps.push({ first: i++, second: j++ });
  }
  while (i < a1) steps.push({ first: i++, second: undefined });
  while (j < b1) steps.push({ first: undefined, second: j++ });
}
