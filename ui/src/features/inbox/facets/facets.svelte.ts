import type { Facet } from '$bindings/Facet';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { coalesce } from '$lib/coalesce';

/** At most so often, in milliseconds: it is a pass over everything that matches. */
const INTERVAL_MS = 500;

/** What the deliveries of a filter are, kept up to date as long as somebody looks. */
export class Facets {
  facets = $state.raw<readonly Facet[]>([]);
  error = $state.raw<HostError>();
  /** An answer is awaited. */
  asking = $state(false);
  #query = '';
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Asks now, and again when deliveries come or change; made to be returned from an `$effect`. */
  follow(query: string): () => void {
    this.#query = query;
    const ask = coalesce(INTERVAL_MS, () => this.#load(query));
    const stop = this.#session.listen({
      missed: ask,
      events: (events) => {
        if (events.some(({ type }) => type === 'delivery' || type === 'deliveries-changed')) ask();
      },
    });
    ask();
    return () => {
      stop();
      ask.stop();
    };
  }

  async #load(query: string): Promise<void> {
    this.asking = true;
    try {
      const { facets } = await this.#session.rpc('deliveries.facets', { filter: query });
      if (query !== this.#query) return;
      this.facets = facets;
      this.error = undefined;
    } catch (thrown) {
      if (query === this.#query) this.error = HostError.from(thrown);
    } finally {
      if (query === this.#query) this.asking = false;
    }
  }
}
