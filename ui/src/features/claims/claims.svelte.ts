import type { ClaimRow } from '$bindings/ClaimRow';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { coalesce } from '$lib/coalesce';
import { middle, plural } from '$lib/format';
import { Undo } from '$ui/undo.svelte';

const EVENTS_MS = 400;
/** So many at once; the rest is asked for. */
export const STEP = 500;

/** The claims, newest first, as far as they are loaded. */
export class Claims {
  rows = $state.raw<readonly ClaimRow[]>([]);
  total = $state(0);
  loaded = $state(false);
  filter = $state('');
  error = $state.raw<HostError>();
  /** The rows that hold every word of the filter. */
  readonly shown = $derived(matching(this.rows, this.filter));
  /** What cannot be kept to be undone is asked first. */
  question = $state.raw<{ claims: string; run: () => Promise<unknown> }>();
  readonly undo = new Undo();
  #limit = STEP;
  #awake = true;
  #dirty = false;
  readonly #session: Session;
  readonly #ask: ReturnType<typeof coalesce>;

  constructor(session: Session) {
    this.#session = session;
    this.#ask = coalesce(EVENTS_MS, () => this.#load());
  }

  /** Loads, and loads again when claims change; made to be returned from an `$effect`. */
  start(): () => void {
    const changed = () => {
      if (this.#awake) this.#ask();
      else this.#dirty = true;
    };
    const stop = this.#session.listen({
      missed: changed,
      events: (events) => {
        // A duplicate changes how many came for its claim.
        const touches = events.some(
          (event) =>
            event.type === 'claims-changed' ||
            event.type === 'deliveries-changed' ||
            (event.type === 'delivery' && event.delivery.claim !== 'none'),
        );
        if (touches) changed();
      },
    });
    this.#ask();
    return () => {
      stop();
      this.#ask.stop();
    };
  }

  wake(awake: boolean): void {
    this.#awake = awake;
    if (awake && this.#dirty) this.#ask();
  }

  more(): void {
    this.#limit += STEP;
    this.#ask();
  }

  retry(): void {
    this.#ask();
  }

  /** Releases one, to be undone for a while. */
  async release({ job_id, job_id_type, path }: ClaimRow): Promise<void> {
    const which = { job_id, job_id_type, path };
    await this.#do(async () => {
      const { changed, undo } = await this.#session.rpc('claims.discard', { which });
      const name = `The claim of ${middle(job_id, 26)}`;
      if (undo === null)
        this.question = { claims: '1 claim', run: () => this.#session.rpc('claims.release', which) };
      else if (changed === 0) this.undo.tell(`${name} is released already`);
      else this.undo.offer(`${name} is released`, () => this.#restore(undo));
    });
  }

  /** Releases all, to be undone for a while; asks where they are too many for that. */
  async releaseAll(): Promise<void> {
    await this.#do(async () => {
      const { changed, undo } = await this.#session.rpc('claims.discard', { which: null });
      if (undo === null)
        this.question = {
          claims: plural(this.total, 'claim'),
          run: () => this.#session.rpc('claims.clear', {}),
        };
      else if (changed > 0)
        this.undo.offer(`${plural(changed, 'claim')} released`, () => this.#restore(undo));
    });
  }

  /** Does what was asked about. */
  async confirm(): Promise<void> {
    const { question } = this;
    if (question) await this.#do(question.run);
  }

  async #restore(undo: number): Promise<void> {
    await this.#do(async () => {
      const { restored, taken } = await this.#session.rpc('claims.restore', { undo });
      const back = `${plural(restored, 'claim')} back`;
      if (restored === 0 && taken === 1)
        this.undo.tell('The job was claimed anew meanwhile; that claim stays');
      else if (taken > 0) this.undo.tell(`${back}; ${taken} claimed anew meanwhile, left as they are`);
      else this.undo.said = back;
    });
  }

  async #do(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.error = undefined;
    } catch (thrown) {
      this.error = HostError.from(thrown);
    }
    this.#ask();
  }

  async #load(): Promise<void> {
    this.#dirty = false;
    try {
      const page = await this.#session.rpc('claims.list', { limit: this.#limit, offset: 0 });
      this.rows = page.claims;
      this.total = page.total;
    } catch (thrown) {
      this.error = HostError.from(thrown);
    }
    this.loaded = true;
  }
}

/** The claims whose id or path holds every word, letters in either case. */
export function matching(rows: readonly ClaimRow[], filter: string): readonly ClaimRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = `${row.job_id} ${row.path}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
