import type { Event } from '$bindings/Event';
import type { RunState } from '$bindings/RunState';
import { coalesce } from '$lib/coalesce';
import { AllowedHosts } from '$lib/hosts';
import { HostError } from './host';
import type { Session } from './session.svelte';

/** How often at most the list is asked for, in milliseconds. */
const REFRESH_MS = 400;
/** How many are followed by their events: ours, and those that were started elsewhere at the same time. */
const FOLLOWED = 8;

/** What everything that runs in the engine is told apart by. */
export type Report = { id: string; state: RunState };

/**
 * What runs in the engine, of one kind: the one that is shown, the one that is laid beside it, and the last ones. `T` is
 * how it is reported, `S` what it is started with.
 */
export abstract class Reports<T extends Report, S> {
  shown = $state.raw<T>();
  beside = $state.raw<T>();
  list = $state.raw<readonly T[]>([]);
  /** Why the last thing that was asked could not be done. */
  error = $state.raw<HostError>();
  starting = $state(false);
  stopping = $state(false);
  /** A host that is not this machine and waits for the person's word. */
  question = $state.raw<{ host: string; spec: S }>();

  protected readonly session: Session;
  protected readonly hosts: AllowedHosts;
  /** Events can come before the answer that names their report. */
  readonly #followed = new Map<string, T>();
  readonly #refresh = coalesce(REFRESH_MS, () => this.#load());

  constructor(session: Session, hosts = new AllowedHosts()) {
    this.session = session;
    this.hosts = hosts;
  }

  /** Asks the engine to start one; the hosts that are allowed are said with it. */
  protected abstract begin(spec: S): Promise<T>;
  protected abstract end(id: string): Promise<unknown>;
  /** One of them, whole. */
  protected abstract fetch(id: string): Promise<T>;
  protected abstract fetchList(): Promise<readonly T[]>;
  /** Everything that is sent to with it. */
  protected abstract urls(spec: S): readonly string[];
  /** Puts what the events tell of. */
  protected abstract take(events: readonly Event[]): void;

  /** What is known of a report together with what came of it later. */
  protected merge(_held: T, next: T): T {
    return next;
  }

  get running(): boolean {
    return this.starting || this.shown?.state === 'running';
  }

  /** Follows the events; made to be returned from an `$effect`. */
  follow(): () => void {
    this.refresh();
    return this.session.listen({
      events: (events) => this.take(events),
      missed: () => void this.#again(),
    });
  }

  /** Starts one, unless a host has to be asked about first. True when it is on its way. */
  async start(spec: S): Promise<boolean> {
    if (this.running) return false;
    this.starting = true;
    this.error = undefined;
    try {
      const begun = await this.begin(spec);
      const followed = this.#followed.get(begun.id);
      this.show(followed ? this.merge(begun, followed) : begun);
      this.refresh();
      return true;
    } catch (thrown) {
      const error = HostError.from(thrown);
      const host = this.hosts.unasked(this.urls(spec));
      if (error.code === 'host-not-allowed' && host !== undefined) this.question = { host, spec };
      else this.error = error;
      return false;
    } finally {
      this.starting = false;
    }
  }

  /** The person's word for the host that was asked about. */
  async allow(): Promise<boolean> {
    if (!this.question) return false;
    const { host, spec } = this.question;
    this.hosts.allow(host);
    this.question = undefined;
    return this.start(spec);
  }

  async stop(): Promise<void> {
    const report = this.shown;
    if (report?.state !== 'running' || this.stopping) return;
    this.stopping = true;
    try {
      await this.end(report.id);
    } catch (thrown) {
      // It may have ended by itself meanwhile.
      const ended = this.shown?.id === report.id && this.shown.state !== 'running';
      this.error = ended ? undefined : HostError.from(thrown);
    } finally {
      this.stopping = false;
    }
  }

  /** Shows one of the list. */
  async open(id: string): Promise<void> {
    const report = await this.try(() => this.fetch(id));
    if (!report) return;
    this.put(report);
    this.show(this.known(id) ?? report);
  }

  /** Lays one of the list beside the one that is shown, or takes it away again. */
  async compare(id: string): Promise<void> {
    this.beside = this.beside?.id === id ? undefined : await this.try(() => this.fetch(id));
  }

  /** Asks for the list, soon. */
  protected refresh(): void {
    this.#refresh();
  }

  protected known(id: string): T | undefined {
    return this.#followed.get(id) ?? (this.shown?.id === id ? this.shown : undefined);
  }

  /** Takes a report as it is now. */
  protected put(next: T): void {
    const held = this.known(next.id);
    const report = held ? this.merge(held, next) : next;
    this.#followed.delete(report.id);
    this.#followed.set(report.id, report);
    for (const id of this.#followed.keys()) {
      if (this.#followed.size <= FOLLOWED) break;
      this.#followed.delete(id);
    }
    if (this.shown?.id === report.id) this.show(report);
  }

  protected show(report: T): void {
    this.shown = report;
    if (this.beside?.id === report.id) this.beside = undefined;
  }

  protected async try<R>(work: () => Promise<R>): Promise<R | undefined> {
    this.error = undefined;
    try {
      return await work();
    } catch (thrown) {
      this.error = HostError.from(thrown);
      return undefined;
    }
  }

  async #load(): Promise<void> {
    try {
      this.list = await this.fetchList();
    } catch (thrown) {
      this.error = HostError.from(thrown);
      return;
    }
    // One that was on its way when the page was loaded can be watched, and stopped.
    const going = this.list.find(({ state }) => state === 'running');
    if (this.shown || !going) return;
    this.put(going);
    this.show(this.known(going.id) ?? going);
  }

  async #again(): Promise<void> {
    this.refresh();
    const report = this.shown;
    if (report?.state !== 'running') return;
    const fresh = await this.try(() => this.fetch(report.id));
    if (fresh) this.put(fresh);
  }
}
