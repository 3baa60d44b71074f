import type { DeliverReport } from '$bindings/DeliverReport';
import type { DeliverSpec } from '$bindings/DeliverSpec';
import type { Event } from '$bindings/Event';
import { HostError } from '$host/host';
import { Reports } from '$host/reports.svelte';

/** Deliveries by a provider's schedule: the one that is shown, and the others since the program was started. */
export class Delivering extends Reports<DeliverReport, DeliverSpec> {
  protected begin({ plan, schedule }: DeliverSpec): Promise<DeliverReport> {
    const allow_host = this.hosts.of([plan.url])[0] ?? null;
    return this.session.rpc('deliver.start', { spec: { plan: { ...plan, allow_host }, schedule } });
  }

  protected end(id: string): Promise<unknown> {
    return this.session.rpc('deliver.stop', { id });
  }

  protected async fetch(id: string): Promise<DeliverReport> {
    const found = (await this.fetchList()).find((report) => report.id === id);
    if (found) return found;
    throw new HostError({
      code: 'not-found',
      message: 'This delivery is not kept any more: the program was started anew since.',
    });
  }

  protected async fetchList(): Promise<readonly DeliverReport[]> {
    return (await this.session.rpc('deliver.runs', {})).reports;
  }

  protected urls({ plan }: DeliverSpec): readonly string[] {
    return [plan.url];
  }

  protected take(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type !== 'delivering') continue;
      this.put(event.report);
      this.refresh();
    }
  }
}
