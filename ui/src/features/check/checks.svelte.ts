import type { CheckReport } from '$bindings/CheckReport';
import type { CheckSpec } from '$bindings/CheckSpec';
import type { Event } from '$bindings/Event';
import type { ReportFormat } from '$bindings/ReportFormat';
import type { ScenarioId } from '$bindings/ScenarioId';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { copyText } from '$lib/clipboard';
import { coalesce } from '$lib/coalesce';
import { hostOf, isLoopback } from '$lib/target';
import { grown, merge } from './report';

/** How often at most the list of checks is asked for, in milliseconds. */
const REFRESH_MS = 400;
/** How many checks are followed by their events: ours, and those that were started elsewhere at the same time. */
const FOLLOWED = 4;

const ENDINGS: Readonly<Record<ReportFormat, string>> = {
  html: 'html',
  markdown: 'md',
  junit: 'xml',
  json: 'json',
};

/** The check that is shown, the one that it is compared with, and the last ones. */
export class Checks {
  shown = $state.raw<CheckReport>();
  beside = $state.raw<CheckReport>();
  /** Without time lines. */
  list = $state.raw<readonly CheckReport[]>([]);
  /** Why the last thing that was asked could not be done. */
  error = $state.raw<HostError>();
  /** What was done, said once. */
  said = $state('');
  starting = $state(false);
  stopping = $state(false);
  /** The scenario whose time lines are on their way. */
  looking = $state<ScenarioId>();
  /** A host that is not this machine and waits for the person's word. */
  question = $state.raw<{ host: string; spec: CheckSpec }>();

  readonly #session: Session;
  readonly #allowed = new Set<string>();
  /** Events can come before the answer that names their check. */
  readonly #followed = new Map<string, CheckReport>();
  /** What was looked up: a check, or a scenario of one that was running still. */
  readonly #looked = new Set<string>();
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

  /** Starts a check, unless a host has to be asked about first. True when it is on its way. */
  async start(spec: CheckSpec): Promise<boolean> {
    if (this.running) return false;
    this.starting = true;
    this.error = undefined;
    try {
      const check = await this.#session.rpc('check.start', { spec: this.#withHosts(spec) });
      const followed = this.#followed.get(check.id);
      this.#show(followed ? merge(check, followed) : check);
      this.#refresh();
      return true;
    } catch (thrown) {
      const error = HostError.from(thrown);
      const host = this.#unasked(spec);
      if (error.code === 'host-not-allowed' && host !== undefined) this.question = { host, spec };
      else this.error = error;
      return false;
    } finally {
      this.starting = false;
    }
  }

  /** The person's word for the host that was asked about; it holds until the window closes. */
  async allow(): Promise<boolean> {
    if (!this.question) return false;
    const { host, spec } = this.question;
    this.#allowed.add(host.toLowerCase());
    this.question = undefined;
    return this.start(spec);
  }

  async stop(): Promise<void> {
    const check = this.shown;
    if (check?.state !== 'running' || this.stopping) return;
    this.stopping = true;
    try {
      await this.#session.rpc('check.stop', { id: check.id });
    } catch (thrown) {
      // It may have ended by itself meanwhile.
      const ended = this.shown?.id === check.id && this.shown.state !== 'running';
      this.error = ended ? undefined : HostError.from(thrown);
    } finally {
      this.stopping = false;
    }
  }

  /** The command line that does the same. */
  async command(spec: CheckSpec): Promise<string | undefined> {
    return this.#try(async () => {
      return (await this.#session.rpc('check.command', { spec: this.#withHosts(spec) })).text;
    });
  }

  /** Shows a check of the list. */
  async open(id: string): Promise<void> {
    const check = await this.#try(() => this.#session.rpc('check.run', { id }));
    if (!check) return;
    if (check.state !== 'running') this.#looked.add(id);
    this.#put(check);
    this.#show(this.#followed.get(id) ?? check);
  }

  /** Lays a check of the list beside the one that is shown, or takes it away again. */
  compare(id: string): void {
    this.beside = this.beside?.id === id ? undefined : this.list.find((check) => check.id === id);
  }

  /** Fetches the time lines of a scenario that is done, where they are not here: events and lists come without them. */
  async look(id: ScenarioId): Promise<void> {
    const check = this.shown;
    const scenario = check?.scenarios.find((entry) => entry.id === id);
    if (!check || !scenario || scenario.verdict === null || scenario.traces.length > 0) return;
    const key = check.state === 'running' ? `${check.id} ${id}` : check.id;
    if (this.#looked.has(key)) return;
    this.#looked.add(key);
    this.looking = id;
    const whole = await this.#try(() => this.#session.rpc('check.run', { id: check.id }));
    if (this.looking === id) this.looking = undefined;
    if (!whole) {
      this.#looked.delete(key);
      return;
    }
    const now = this.#known(check.id) ?? check;
    // Only what it has more: an event may have told something newer meanwhile.
    this.#put(merge(whole, now));
  }

  /** Saves a check's report as a file. */
  async save(check: CheckReport, format: ReportFormat): Promise<void> {
    await this.#try(async () => {
      const { text } = await this.#session.rpc('check.report', { id: check.id, format });
      const stamp = check.started_at.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
      const name = `hooktwice-check-${stamp}.${ENDINGS[format]}`;
      const place = await this.#session.host.save(name, new TextEncoder().encode(text));
      this.said = `Saved ${place === undefined ? `as ${name}` : `in ${place}`}`;
    });
  }

  /** Puts the command line that does the same as a check on the clipboard. */
  async copyCommand({ command }: CheckReport): Promise<void> {
    await this.#try(async () => {
      if (!(await copyText(command))) throw new Error('The clipboard is not available here.');
      this.said = 'The command is on the clipboard.';
    });
  }

  async #try<R>(work: () => Promise<R>): Promise<R | undefined> {
    this.error = undefined;
    this.said = '';
    try {
      return await work();
    } catch (thrown) {
      this.error = HostError.from(thrown);
      return undefined;
    }
  }

  #withHosts(spec: CheckSpec): CheckSpec {
    const hosts = new Set(spec.urls.map(hostOf).filter((host) => this.#allowed.has(host.toLowerCase())));
    return { ...spec, allow_hosts: [...hosts] };
  }

  /** The host that a refusal is about: the first that nobody gave a word for, one that looks like another machine before all. */
  #unasked(spec: CheckSpec): string | undefined {
    const hosts = spec.urls.map(hostOf).filter((host) => !this.#allowed.has(host.toLowerCase()));
    return hosts.find((host) => !isLoopback(host)) ?? hosts[0];
  }

  async #load(): Promise<void> {
    try {
      this.list = (await this.#session.rpc('check.runs', {})).checks;
    } catch (thrown) {
      this.error = HostError.from(thrown);
      return;
    }
    // One that was on its way when the page was loaded can be watched, and stopped.
    const going = this.list.find(({ state }) => state === 'running');
    if (!this.shown && going) this.#show(this.#followed.get(going.id) ?? going);
  }

  async #again(): Promise<void> {
    this.#refresh();
    const check = this.shown;
    if (check?.state !== 'running') return;
    const fresh = await this.#try(() => this.#session.rpc('check.run', { id: check.id }));
    if (fresh) this.#put(fresh);
  }

  #take(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'check') {
        this.#put(event.check);
        this.#refresh();
      } else if (event.type === 'scenario') {
        const check = this.#known(event.check);
        if (check) this.#put(grown(check, event.scenario));
      } else if (event.type === 'handler-facts') {
        const check = this.#known(event.check);
        if (check) this.#put({ ...check, facts: event.facts });
      }
    }
  }

  #known(id: string): CheckReport | undefined {
    return this.#followed.get(id) ?? (this.shown?.id === id ? this.shown : undefined);
  }

  #put(next: CheckReport): void {
    const held = this.#known(next.id);
    const check = held ? merge(held, next) : next;
    this.#followed.delete(check.id);
    this.#followed.set(check.id, check);
    for (const id of this.#followed.keys()) {
      if (this.#followed.size <= FOLLOWED) break;
      this.#followed.delete(id);
    }
    if (this.shown?.id === check.id) this.#show(check);
  }

  #show(check: CheckReport): void {
    this.shown = check;
    if (this.beside?.id === check.id) this.beside = undefined;
  }
}
