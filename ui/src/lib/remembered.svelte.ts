/** A value that the next start finds again. Where nothing can be kept (storage off or full) it lives until the window closes. */
export class Remembered<T> {
  #value = $state() as T;
  readonly #key: string;

  /** `accept` looks at what was kept: another version may have written something else. */
  constructor(key: string, fallback: T, accept: (value: unknown) => value is T) {
    this.#key = `hooktwice.${key}`;
    const kept = read(this.#key);
    this.#value = accept(kept) ? kept : fallback;
  }

  get value(): T {
    return this.#value;
  }

  set value(next: T) {
    this.#value = next;
    try {
      localStorage.setItem(this.#key, JSON.stringify(next));
    } catch {
      // Kept for this window only.
    }
  }
}

function read(key: string): unknown {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Accepts one of some words. */
export function oneOf<const W extends string>(words: readonly W[]): (value: unknown) => value is W {
  return (value): value is W => words.includes(value as W);
}
