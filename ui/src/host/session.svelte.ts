import type { AppState } from '$bindings/AppState';
import type { Batch } from '$bindings/Batch';
import type { DeliveryCounts } from '$bindings/DeliveryCounts';
import type { Event } from '$bindings/Event';
import type { First } from '$bindings/First';
import type { WatchedJob } from '$bindings/WatchedJob';
import { coalesce } from '$lib/coalesce';
import { getContext, setContext } from 'svelte';
import type { Command, Connection, Host, Params, Result } from './host';
import { HostError } from './host';

/** How often at most the frame asks for its state and its counts, in milliseconds. */
const REFRESH_MS = 300;

/** What happens beside the state and the deliveries: the pages that show it ask for it themselves. */
const APART: ReadonlySet<Event['type']> = new Set([
  'copy',
  'run',
  'check',
  'scenario',
  'handler-facts',
  'delivering',
  'watch-changed',
  'show',
]);

/** What a page does about events. */
export type Listener = {
  /** Some events, in order. Called for every batch: keep it cheap, and fold what it asks for (`lib/coalesce`). */
  events?(events: readonly Event[]): void;
  /** Events were lost: whatever is held may be out of date. */
  missed?(): void;
};

/** The app's state and its events, shared by every page. */
export class Session {
  readonly host: Host;
  /** What was asked before the pages were there; nothing once they are shown: it would be out of date. */
  first: First | undefined;
  /** What the frame shows; nothing until the first answer. */
  app = $state.raw<AppState>();
  /** Everything that is stored, whatever the Inbox filters. */
  counts = $state.raw<DeliveryCounts>();
  /** The watch list, the missed ones on top; nothing until the first answer. */
  watched = $state.raw<readonly WatchedJob[]>();
  connection = $state<Connection>('live');
  /** Why the state cannot be had; gone with the next answer. */
  error = $state.raw<HostError>();
  /** What a command of the frame failed with; stays until it is dismissed. */
  failure = $state.raw<HostError>();

  readonly #listeners = new Set<Listener>();
  readonly #refreshState: ReturnType<typeof coalesce>;
  readonly #refreshCounts: ReturnType<typeof coalesce>;
  readonly #refreshWatched: ReturnType<typeof coalesce>;
  #unsubscribe: (() => void) | undefined;
  /** Something happened while nobody could see the page. */
  #unseen = false;

  constructor(host: Host, first?: First) {
    this.host = host;
    this.first = first;
    this.app = first?.state;
    this.counts = first?.counts;
    this.#refreshState = coalesce(REFRESH_MS, () => this.#loadState());
    this.#refreshCounts = coalesce(REFRESH_MS, async () => {
      // A count that fails now is asked for with the next event; the error stands where the list is.
      this.counts = await host.rpc('deliveries.counts', { filter: '' }).catch(() => this.counts);
    });
    this.#refreshWatched = coalesce(REFRESH_MS, async () => {
      // As with the counts; the Sume page says so where it asks itself.
      const answer = await host.rpc('sume.watched', {}).catch(() => undefined);
      if (answer) this.watched = answer.jobs;
    });
  }

  /** Loads the state and follows the events from there on. */
  async start(): Promise<void> {
    const known = this.first !== undefined;
    this.first = undefined;
    if (!known) await this.#loadState();
    if (!this.app || this.#unsubscribe) return;
    if (!known) this.#refreshCounts();
    this.#refreshWatched();
    this.#unsubscribe = this.host.subscribe(
      this.app.next_event,
      (batch) => this.#take(batch),
      (state) => this.#connected(state),
    );
    document.addEventListener('visibilitychange', this.#seen);
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    document.removeEventListener('visibilitychange', this.#seen);
    this.#refreshState.stop();
    this.#refreshCounts.stop();
    this.#refreshWatched.stop();
  }

  rpc<C extends Command>(command: C, params: Params<C>): Promise<Result<C>> {
    return this.host.rpc(command, params);
  }

  /** Takes the state that a command returned, so that the frame does not wait for its event. */
  take(app: AppState): void {
    this.app = app;
  }

  /** Hears events until the returned function is called; made to be returned from an `$effect`. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #loadState(): Promise<void> {
    try {
      this.app = await this.host.rpc('app.state', {});
      this.error = undefined;
    } catch (thrown) {
      this.error = HostError.from(thrown);
    }
  }

  #connected(state: Connection): void {
    const changed = state === 'lost' || this.connection === 'lost';
    this.connection = state;
    // What it answers, or why it does not, says what to do.
    if (changed) this.#refreshState();
  }

  /** A page that is seen again asks once for all that it missed. */
  readonly #seen = (): void => {
    if (document.hidden || !this.#unseen) return;
    this.#unseen = false;
    this.#take({ events: [], missed: true });
  };

  #take({ events, missed }: Pick<Batch, 'events' | 'missed'>): void {
    if (document.hidden) {
      // A page that nobody sees asks nothing (C88). It is about to be seen where it is told to show something.
      this.#unseen = true;
      this.#tell(events.filter(({ type }) => type === 'show'));
      return;
    }
    const stateful = events.some((event) => !APART.has(event.type));
    if (missed || stateful) {
      // The number of claims is part of the state.
      this.#refreshState();
      this.#refreshCounts();
    }
    if (missed || events.some(({ type }) => type === 'watch-changed')) this.#refreshWatched();
    if (missed) for (const listener of this.#listeners) listener.missed?.();
    this.#tell(events);
  }

  #tell(events: readonly Event[]): void {
    if (events.length === 0) return;
    for (const listener of this.#listeners) listener.events?.(events);
  }
}

const KEY = Symbol('session');

export function provideSession(session: Session): void {
  setContext(KEY, session);
}

/** The context of a page that is mounted without the app: a test's. */
export function sessionContext(session: Session): Map<symbol, Session> {
  return new Map([[KEY, session]]);
}

/** The session of the page that asks, while it is set up. */
export function useSession(): Session {
  return getContext<Session>(KEY);
}
