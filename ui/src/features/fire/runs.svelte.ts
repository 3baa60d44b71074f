import type { Event } from '$bindings/Event';
import type { PlanSpec } from '$bindings/PlanSpec';
import type { RunReport } from '$bindings/RunReport';
import { Reports } from '$host/reports.svelte';
import { isOn } from '$lib/target';
import { claimsOf, type Claims } from './claims';

/** The run that is shown, the one that is laid over it, and the last ones. */
export class Runs extends Reports<RunReport, PlanSpec> {
  /** What our own listener said of the copies of the run that is shown, where it was the target. */
  claims = $state.raw<Claims>();
  /** The run that was started here: only its deliveries are looked up. */
  #started = '';

  /** The command line that does the same. */
  async command(plan: PlanSpec): Promise<string | undefined> {
    const said = await this.try(() => this.session.rpc('fire.command', { plan: this.#allowed(plan) }));
    return said?.text;
  }

  protected async begin(plan: PlanSpec): Promise<RunReport> {
    const run = await this.session.rpc('fire.start', { plan: this.#allowed(plan) });
    this.#started = run.id;
    return run;
  }

  protected end(id: string): Promise<unknown> {
    return this.session.rpc('fire.stop', { id });
  }

  protected fetch(id: string): Promise<RunReport> {
    return this.session.rpc('fire.run', { id });
  }

  protected async fetchList(): Promise<readonly RunReport[]> {
    return (await this.session.rpc('fire.runs', {})).runs;
  }

  protected urls(plan: PlanSpec): readonly string[] {
    return [plan.url];
  }

  protected take(events: readonly Event[]): void {
    const grown = new Map<string, RunReport['copies']>();
    for (const event of events) {
      if (event.type === 'run') {
        grown.delete(event.run.id);
        this.put(event.run);
        this.refresh();
      } else if (event.type === 'copy') {
        const copies = grown.get(event.run) ?? [...(this.known(event.run)?.copies ?? [])];
        copies.push(event.copy);
        grown.set(event.run, copies);
      }
    }
    for (const [id, copies] of grown) {
      const run = this.known(id);
      if (run?.state === 'running') this.put({ ...run, copies });
    }
  }

  protected override show(run: RunReport): void {
    if (this.shown?.id !== run.id) this.claims = undefined;
    super.show(run);
    if (run.state === 'done' && run.id === this.#started) void this.#lookUp(run);
  }

  #allowed(plan: PlanSpec): PlanSpec {
    return { ...plan, allow_host: this.hosts.of([plan.url])[0] ?? null };
  }

  /** Whether our own listener counted them is worth a look, and no error when it cannot be told. */
  async #lookUp(run: RunReport): Promise<void> {
    const listener = this.session.app?.listener;
    if (listener?.state !== 'listening' || !isOn(listener.url, run.url)) return;
    const claims = await claimsOf(this.session, run).catch(() => undefined);
    if (this.shown?.id === run.id) this.claims = claims;
  }
}
