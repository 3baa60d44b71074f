import type { Delivery } from '$bindings/Delivery';
import type { DeliveryCounts } from '$bindings/DeliveryCounts';
import type { DeliveryPage } from '$bindings/DeliveryPage';
import type { Event } from '$bindings/Event';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { coalesce } from '$lib/coalesce';
import { untrack } from 'svelte';
import { narrowed, type Chip } from './chips';
import { question, TOP, type Question } from './question';

/** At most so often for events, in milliseconds: a burst costs four questions a second, however large it is. */
const EVENTS_MS = 250;
/** At most so often for what a person does. */
const PERSON_MS = 40;

/**
 * The list: a window of rows over everything that matches, never all of it.
 *
 * While it follows, index 0 is the newest. When it is held (a row is selected, the list is scrolled) everything newer
 * than an anchor is left out, so that no row moves; what came since is counted.
 */
export class Deliveries {
  text = $state('');
  chip = $state<Chip>('all');
  /** By index from the top; only around what is seen. */
  rows = $state.raw<ReadonlyMap<number, Delivery>>(new Map());
  /** Why the list is not up to date. */
  error = $state.raw<HostError>();
  /** The first answer came. */
  loaded = $state(false);
  selected = $state.raw<Delivery>();

  #total = $state(0);
  #counts = $state.raw<DeliveryCounts>();
  #anchor = $state.raw<{ seq: number; total: number }>();
  /** What the rows are an answer to. */
  #answered = $state.raw<string>();
  #range = TOP;
  #index = 0;
  #loads = 0;
  #applied = 0;
  #dirty = false;
  /** Another filter was set: its first rows are shown before it is counted. */
  #quick = false;
  /** The total is that of the first rows only. */
  #rough = false;
  #awake = true;
  readonly #session: Session;
  readonly #soon: ReturnType<typeof coalesce>;
  readonly #now: ReturnType<typeof coalesce>;

  constructor(session: Session) {
    this.#session = session;
    this.#soon = coalesce(EVENTS_MS, () => this.#load());
    this.#now = coalesce(PERSON_MS, () => this.#load());
    if (session.first) this.#answer({ filter: '', offset: 0 }, session.first.deliveries);
  }

  /** Whether new deliveries come in at the top. */
  get following(): boolean {
    return this.#anchor === undefined;
  }

  /** How many rows the list has as it stands. */
  get length(): number {
    return this.#anchor ? Math.min(this.#anchor.total, this.#total) : this.#total;
  }

  /** How many came since it is held. */
  get fresh(): number {
    return this.#anchor ? Math.max(0, this.#total - this.#anchor.total) : 0;
  }

  /** Whether it is known that nothing matches; not before the first answer to a filter. */
  get none(): boolean {
    return this.length === 0 && this.#answered === this.query;
  }

  /** The chips' counts under the text; without one they are the frame's, which are asked for once for both. */
  get counts(): DeliveryCounts | undefined {
    return this.text.trim() === '' ? this.#session.counts : this.#counts;
  }

  /** What is asked for. */
  get query(): string {
    return narrowed(this.text, this.chip);
  }

  /** Hears the session's events and loads; made to be returned from an `$effect`. */
  start(): () => void {
    const stop = this.#session.listen({
      events: (events) => this.#hear(events),
      missed: () => this.#soon(),
    });
    // What loading reads is no reason to start anew.
    untrack(() => {
      if (!this.loaded) this.#now();
    });
    return () => {
      stop();
      this.#soon.stop();
      this.#now.stop();
    };
  }

  /** A page that is not shown does not ask; it catches up when it is shown again. */
  wake(awake: boolean): void {
    this.#awake = awake;
    if (awake && this.#dirty) this.#now();
  }

  /** Another filter begins at its newest. */
  filterBy(text: string, chip: Chip): void {
    this.text = text;
    this.chip = chip;
    this.#anchor = undefined;
    this.#range = TOP;
    this.#quick = this.query !== '';
    this.reload();
  }

  /** Says which rows are seen. */
  see(first: number, last: number): void {
    this.#range = { first, last };
    for (let index = first; index < Math.min(last, this.length); index += 1) {
      if (this.rows.has(index)) continue;
      this.#now();
      return;
    }
  }

  /** Holds the list as it stands. */
  hold(): void {
    const newest = this.rows.get(0);
    if (this.#anchor || !newest) return;
    this.#anchor = { seq: newest.seq, total: this.#total };
  }

  /** Lets new deliveries in again. The caller scrolls to the top. */
  follow(): void {
    this.#index += this.fresh;
    this.#anchor = undefined;
    this.#range = { first: 0, last: this.#range.last - this.#range.first };
    this.reload();
  }

  /** Follows again where nothing would move: nothing came, nothing is selected. */
  settle(): void {
    if (this.#anchor && this.fresh === 0 && !this.selected) this.follow();
  }

  select(delivery: Delivery | undefined): void {
    this.selected = delivery;
    if (!delivery) return;
    this.hold();
    this.#index = this.index;
  }

  /** Where the selected one stands, or stood when it was last loaded. */
  get index(): number {
    return (this.selected && this.indexOf(this.selected.seq)) ?? this.#index;
  }

  /** Selects the row so many further down; returns its index, to be brought into sight. */
  move(by: number): number {
    const from = this.selected ? this.index : by > 0 ? -1 : 0;
    const to = Math.max(0, Math.min(this.length - 1, from + by));
    const row = this.rows.get(to);
    if (row) {
      this.select(row);
      this.#index = to;
    }
    return to;
  }

  indexOf(seq: number): number | undefined {
    for (const [index, row] of this.rows) if (row.seq === seq) return index;
    return undefined;
  }

  /** Whether a row is of the same job as the one that is selected. */
  isKin(row: Delivery): boolean {
    const other = this.selected;
    return (
      other !== undefined &&
      other.job_id !== null &&
      other.seq !== row.seq &&
      other.job_id === row.job_id &&
      other.job_id_type === row.job_id_type &&
      other.path === row.path
    );
  }

  /** Asks again, now. */
  reload(): void {
    this.#loads += 1;
    this.#applied = this.#loads;
    this.#now();
  }

  /** Some of what is held was deleted. */
  removed(seqs: readonly number[]): void {
    if (this.selected && seqs.includes(this.selected.seq)) this.selected = undefined;
    if (this.#anchor) {
      const { seq, total } = this.#anchor;
      this.#anchor = { seq, total: total - seqs.filter((gone) => gone <= seq).length };
    }
    this.reload();
  }

  /** Some of what was deleted is back. */
  restored(seqs: readonly number[]): void {
    if (this.#anchor) {
      const { seq, total } = this.#anchor;
      this.#anchor = { seq, total: total + seqs.filter((back) => back <= seq).length };
    }
    // Before it is counted, so that a list that is held now holds them too.
    this.#total += seqs.length;
    this.reload();
  }

  #hear(events: readonly Event[]): void {
    if (events.some((event) => event.type === 'delivery' || event.type === 'deliveries-changed')) {
      if (this.#awake) this.#soon();
      else this.#dirty = true;
    }
  }

  async #load(): Promise<void> {
    this.#dirty = false;
    const load = (this.#loads += 1);
    const filter = this.query;
    const quick = this.#quick;
    const asked = question(filter, this.#range, this.#anchor ? this.#anchor.seq + 1 : null, quick);
    this.#quick = false;
    try {
      const text = this.text.trim();
      const [page, counts] = await Promise.all([
        this.#session.rpc('deliveries.list', asked),
        quick || text === '' ? undefined : this.#session.rpc('deliveries.counts', { filter: text }),
      ]);
      // A later question was answered, or another filter was set meanwhile.
      if (load < this.#applied) return;
      this.#applied = load;
      this.#answer(asked, page);
      if (quick) this.#soon();
      if (counts) this.#counts = counts;
      this.error = undefined;
    } catch (thrown) {
      if (load < this.#applied) return;
      this.error = HostError.from(thrown);
      this.loaded = true;
    }
  }

  #answer({ filter, offset }: Pick<Question, 'filter' | 'offset'>, page: DeliveryPage): void {
    this.#take(offset, page.rows);
    // What came is above the selected one, which need not be among these.
    const exact = !this.#rough && page.more !== true && filter === this.#answered;
    if (!this.#anchor && exact) this.#index += page.total - this.#total;
    if (this.#anchor && this.#rough) this.#anchor = { ...this.#anchor, total: page.total };
    this.#total = page.total;
    this.#answered = filter;
    this.#rough = page.more === true;
    this.loaded = true;
  }

  #take(first: number, rows: readonly Delivery[]): void {
    this.rows = new Map(rows.map((row, at) => [first + at, row]));
    const selected = this.selected && rows.find((row) => row.seq === this.selected?.seq);
    if (selected) this.selected = selected;
  }
}
