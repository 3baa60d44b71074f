/** How long it is offered, in milliseconds. */
export const UNDO_MS = 10_000;
/** However long the pointer rests on it: what was done is kept for half a minute only. */
const LONGEST_MS = 28_000;
const TICK_MS = 250;

type Entry = { text: string; undo: (() => Promise<void>) | undefined; left: number; age: number };

/** What was done last and can be undone for a while, the newest first. */
export class Undo {
  #entries = $state.raw<readonly Entry[]>([]);
  /** What a screen reader hears, once. */
  said = $state('');
  /** The pointer or the focus is on it: the time stands still. */
  held = $state(false);
  #timer: ReturnType<typeof setInterval> | undefined;
  #at = 0;

  /** What is shown. */
  get newest(): { text: string; undoable: boolean; seconds: number } | undefined {
    const entry = this.#entries.at(-1);
    return (
      entry && {
        text: entry.text,
        undoable: entry.undo !== undefined,
        seconds: Math.ceil(Math.min(entry.left, LONGEST_MS - entry.age) / 1000),
      }
    );
  }

  /** How many more can be undone after it. */
  get more(): number {
    return this.#entries.slice(0, -1).filter(({ undo }) => undo).length;
  }

  /** Says what was done, and offers to undo it. */
  offer(text: string, undo: () => Promise<void>): void {
    this.#add(text, undo);
    this.said = `${text}. Press z to undo.`;
  }

  /** Says something that nothing can be done about. */
  tell(text: string): void {
    this.#add(text, undefined);
    this.said = text;
  }

  /** Undoes what was done last. False where there is nothing to undo. */
  async run(): Promise<boolean> {
    const entry = this.#entries.findLast(({ undo }) => undo);
    if (!entry?.undo) return false;
    this.#keep((other) => other !== entry);
    this.said = '';
    await entry.undo();
    return true;
  }

  /** Puts away what is shown. */
  dismiss(): void {
    this.#entries = this.#entries.slice(0, -1);
    this.#settle();
  }

  #add(text: string, undo: Entry['undo']): void {
    this.#entries = [...this.#entries, { text, undo, left: UNDO_MS, age: 0 }];
    if (this.#timer !== undefined) return;
    this.#at = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    const now = performance.now();
    const passed = now - this.#at;
    this.#at = now;
    this.#entries = this.#entries.map((entry) => ({
      ...entry,
      age: entry.age + passed,
      left: this.held ? entry.left : entry.left - passed,
    }));
    this.#keep((entry) => entry.left > 0 && entry.age < LONGEST_MS);
  }

  #keep(keeps: (entry: Entry) => boolean): void {
    this.#entries = this.#entries.filter(keeps);
    this.#settle();
  }

  #settle(): void {
    if (this.#entries.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.held = false;
  }
}
