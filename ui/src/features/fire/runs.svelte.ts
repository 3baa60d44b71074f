import type { Event } from '$bindings/Event';
import type { PlanSpec } from '$bindings/PlanSpec';
import type { RunReport } from '$bindings/RunReport';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { coalesce } from '$lib/coalesce';
import { claimsOf, type Claims } from './claims';
import { hostOf, isOn } from '$lib/target';

/** How often at most the list of runs is asked for, in milliseconds. */
const REFRESH_MS = 400;
/** How many runs are followed by their events: ours, and those that were started elsewhere at the same time. */
const FOLLOWED = 8;

/** The run that is shown, the one that is laid over it, and the last ones. */
export class Runs {
  shown = $state.raw<RunReport>();
  beside = $state.raw<RunReport>();
  /** What our own listener said of the copies of the run that is shown, where it was the target. */
  claims = $state.raw<Claims>();
  list = $state.raw<readonly RunReport[]>([]);
  /** Why the last thing that was asked could not be done. */
  error = $state.raw<HostError>();
  starting = $state(false);
  stopping = $state(false);
  /** A host that is not this machine and waits for the person's word. */
  question = $state.raw<{ host: string; plan: PlanSpec }>();

  readonly #session: Session;
  /** The run that was started here: only its deliveries are looked up. */
  #started = '';
  readonly #allowed = new Set<string>();
  /** Events can come before the answer that names their run. */
  readonly #followed = new Map<string, RunReport>();
  readonly #refresh = coalesce(REFRESH_MS, () => this.#load());

  constructor(session: Session) {
    this.#session = session;
  }

  get running(): boolean {
    return this.starting || this.shown?.state === 'running';
  }

  /** Follows the events; made to be returned from an `$effect`. */
  follow(): () => void {
    this.#refresh();
    return this.#session.listen({
      events: (events) => this.#take(events),
      missed: () => void this.#again(),
    });
  }

  /** Starts a run, unless its host has to be asked about first. True when it is on its way. */
  async start(plan: PlanSpec): Promise<boolean> {
    if (this.running) return false;
    const host = hostOf(plan.url);
    const allowed = this.#allowed.has(host.toLowerCase()) ? { ...plan, allow_host: host } : plan;
    this.starting = true;
    this.error = undefined;
    try {
      const run = await this.#session.rpc('fire.start', { plan: allowed });
      this.#started = run.id;
      this.#show(this.#followed.get(run.id) ?? run);
      if (this.beside?.id === run.id) this.beside = undefined;
      this.#refresh();
      return true;
    } catch (thrown) {
      const error = HostError.from(thrown);
      if (error.code === 'host-not-allowed') this.question = { host, plan };
      else this.error = error;
      return false;
    } finally {
      this.starting = false;
    }
  }

  /** The person's word for the host that was asked about; it holds until the window closes. */
  async allow(): Promise<boolean> {
    if (!this.question) return false;
    const { host, plan } = this.question;
    this.#allowed.add(host.toLowerCase());
    this.question = undefined;
    return this.start(plan);
  }

  async stop(): Promise<void> {
    const run = this.shown;
    if (run?.state !== 'running' || this.stopping) return;
    this.stopping = true;
    try {
      await this.#session.rpc('fire.stop', { id: run.id });
    } catch (thrown) {
      // It may have ended by itself meanwhile.
      this.error = this.#ended(run.id) ? undefined : HostError.from(thrown);
    } finally {
      this.stopping = false;
    }
  }

  /** The command line that does the same. */
  async command(plan: PlanSpec): Promise<string | undefined> {
    this.error = undefined;
    try {
      const host = hostOf(plan.url);
      const allow_host = this.#allowed.has(host.toLowerCase()) ? host : null;
      return (await this.#session.rpc('fire.command', { plan: { ...plan, allow_host } })).text;
    } catch (thrown) {
      this.error = HostError.from(thrown);
      return undefined;
    }
  }

  /** Shows a run of the list. */
  async open(id: string): Promise<void> {
    const run = await this.#fetch(id);
    if (!run) return;
    this.#show(run);
    if (this.beside?.id === id) this.beside = undefined;
  }

  /** Lays a run of the list over the one that is shown, or takes it away again. */
  async compare(id: string): Promise<void> {
    this.beside = this.beside?.id === id ? undefined : await this.#fetch(id);
  }

  async #fetch(id: string): Promise<RunReport | undefined> {
    try {
      return await this.#session.rpc('fire.run', { id });
    } catch (thrown) {
      this.error = HostError.from(thrown);
      return undefined;
    }
  }

  async #load(): Promise<void> {
    try {
      this.list = (await this.#session.rpc('fire.runs', {})).runs;
    } catch (thrown) {
      this.error = HostError.from(thrown);
    }
  }

  async #again(): Promise<void> {
    this.#refresh();
    const run = this.shown;
    if (run?.state !== 'running') return;
    const fresh = await this.#fetch(run.id);
    if (fresh && this.shown?.id === fresh.id) this.#put(fresh);
  }

  #ended(id: string): boolean {
    return this.shown?.id === id && this.shown.state !== 'running';
  }

  #take(events: readonly Event[]): void {
    const grown = new Map<string, RunReport['copies']>();
    for (const event of events) {
      if (event.type === 'run') {
        grown.delete(event.run.id);
        this.#put(event.run);
        this.#refresh();
      } else if (event.type === 'copy') {
        const copies = grown.get(event.run) ?? [...(this.#followed.get(event.run)?.copies ?? [])];
        copies.push(event.copy);
        grown.set(event.run, copies);
      }
    }
    for (const [id, copies] of grown) {
      const run = this.#followed.get(id);
      if (run?.state === 'running') this.#put({ ...run, copies });
    }
  }

  #put(run: RunReport): void {
    this.#followed.delete(run.id);
    this.#followed.set(run.id, run);
    for (const id of this.#followed.keys()) {
      if (this.#followed.size <= FOLLOWED) break;
      this.#followed.delete(id);
    }
    if (this.shown?.id === run.id) this.#show(run);
  }

  #show(run: RunReport): void {
    if (this.shown?.id !== run.id) this.claims = undefined;
    this.shown = run;
    if (run.state === 'done' && run.id === this.#started) void this.#lookUp(run);
  }

  /** Whether our own listener counted them is worth a look, and no error when it cannot be told. */
  async #lookUp(run: RunReport): Promise<void> {
    const listener = this.#session.app?.listener;
    if (listener?.state !== 'listening' || !isOn(listener.url, run.url)) return;
    const claims = await claimsOf(this.#session, run).catch(() => undefined);
    if (this.shown?.id === run.id) this.claims = claims;
  }
}
