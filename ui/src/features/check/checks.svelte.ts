import type { CheckReport } from '$bindings/CheckReport';
import type { CheckSpec } from '$bindings/CheckSpec';
import type { Event } from '$bindings/Event';
import type { ReportFormat } from '$bindings/ReportFormat';
import type { ScenarioId } from '$bindings/ScenarioId';
import { Reports } from '$host/reports.svelte';
import { copyText } from '$lib/clipboard';
import { grown, merge } from './report';

const ENDINGS: Readonly<Record<ReportFormat, string>> = {
  html: 'html',
  markdown: 'md',
  junit: 'xml',
  json: 'json',
};

/** The check that is shown, the one that it is compared with, and the last ones; those of the list have no time lines. */
export class Checks extends Reports<CheckReport, CheckSpec> {
  /** What was done, said once. */
  said = $state('');
  /** The scenario whose time lines are on their way. */
  looking = $state<ScenarioId>();
  /** What was looked up: a check, or a scenario of one that was running still. */
  readonly #looked = new Set<string>();

  /** The command line that does the same. */
  async command(spec: CheckSpec): Promise<string | undefined> {
    const said = await this.try(() => this.session.rpc('check.command', { spec: this.#allowed(spec) }));
    return said?.text;
  }

  /** Compares a check of the list with the one that is shown, or takes it away again. No time lines are needed. */
  override compare(id: string): Promise<void> {
    this.beside = this.beside?.id === id ? undefined : this.list.find((check) => check.id === id);
    return Promise.resolve();
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
    const whole = await this.try(() => this.fetch(check.id));
    if (this.looking === id) this.looking = undefined;
    if (!whole) {
      this.#looked.delete(key);
      return;
    }
    const now = this.known(check.id) ?? check;
    // Only what it has more: an event may have told something newer meanwhile.
    this.put(merge(whole, now));
  }

  /** Saves a check's report as a file. */
  async save(check: CheckReport, format: ReportFormat): Promise<void> {
    await this.try(async () => {
      const { text } = await this.session.rpc('check.report', { id: check.id, format });
      const stamp = check.started_at.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
      const name = `hooktwice-check-${stamp}.${ENDINGS[format]}`;
      const place = await this.session.host.save(name, new TextEncoder().encode(text));
      this.said = `Saved ${place === undefined ? `as ${name}` : `in ${place}`}`;
    });
  }

  /** Puts the command line that does the same as a check on the clipboard. */
  async copyCommand({ command }: CheckReport): Promise<void> {
    await this.try(async () => {
      if (!(await copyText(command))) throw new Error('The clipboard is not available here.');
      this.said = 'The command is on the clipboard.';
    });
  }

  protected begin(spec: CheckSpec): Promise<CheckReport> {
    return this.session.rpc('check.start', { spec: this.#allowed(spec) });
  }

  protected end(id: string): Promise<unknown> {
    return this.session.rpc('check.stop', { id });
  }

  protected async fetch(id: string): Promise<CheckReport> {
    const check = await this.session.rpc('check.run', { id });
    if (check.state !== 'running') this.#looked.add(id);
    return check;
  }

  protected async fetchList(): Promise<readonly CheckReport[]> {
    return (await this.session.rpc('check.runs', {})).checks;
  }

  protected urls(spec: CheckSpec): readonly string[] {
    return spec.urls;
  }

  protected override merge(held: CheckReport, next: CheckReport): CheckReport {
    return merge(held, next);
  }

  protected take(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'check') {
        this.put(event.check);
        this.refresh();
      } else if (event.type === 'scenario') {
        const check = this.known(event.check);
        if (check) this.put(grown(check, event.scenario));
      } else if (event.type === 'handler-facts') {
        const check = this.known(event.check);
        if (check) this.put({ ...check, facts: event.facts });
      }
    }
  }

  protected override try<R>(work: () => Promise<R>): Promise<R | undefined> {
    this.said = '';
    return super.try(work);
  }

  #allowed(spec: CheckSpec): CheckSpec {
    return { ...spec, allow_hosts: this.hosts.of(spec.urls) };
  }
}
