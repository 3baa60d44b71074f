import type { Evidence } from '$bindings/Evidence';
import type { ProbeSpec } from '$bindings/ProbeSpec';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { plural } from '$lib/format';
import { firstValues, probeFaults, specOf, valuesOf, type ProbeKind, type ProbeValues } from './probes';

let made = 0;

/** What a probe saw when it was tried, in words. */
export type Sight = { text: string; bad: boolean };

/** A probe while it is put together, and what it saw when it was tried alone. */
export class Probe {
  /** Tells it from others of its kind while they change places. */
  readonly key = (made += 1);
  readonly kind: ProbeKind;
  values = $state<ProbeValues>({});
  sight = $state.raw<Sight>();
  trying = $state(false);
  /** Was tried, so that what is missing is said too. */
  tried = $state(false);

  constructor(kind: ProbeKind, values: ProbeValues = {}) {
    this.kind = kind;
    this.values = { ...firstValues(kind), ...values };
  }

  static from(spec: ProbeSpec): Probe {
    return new Probe(spec.kind, valuesOf(spec));
  }

  readonly faults = $derived.by(() => probeFaults(this.kind, this.values));

  get valid(): boolean {
    return Object.keys(this.faults).length === 0;
  }

  get spec(): ProbeSpec {
    return specOf(this.kind, this.values);
  }

  set(name: string, value: string): void {
    this.values[name] = value;
    // What it saw was seen by another question.
    this.sight = undefined;
  }

  /** Looks once, for one job. True unless something is missing. */
  async try(session: Session, jobId: string): Promise<boolean> {
    this.tried = true;
    if (!this.valid) return false;
    this.trying = true;
    this.sight = undefined;
    try {
      this.sight = said(await session.rpc('check.probe', { probe: this.spec, job_id: jobId }), jobId);
    } catch (thrown) {
      this.sight = { text: HostError.from(thrown).message, bad: true };
    } finally {
      this.trying = false;
    }
    return true;
  }
}

function said({ count, error }: Evidence, jobId: string): Sight {
  if (count !== null) return { text: `It sees ${plural(count, 'effect')} of ${jobId}.`, bad: false };
  return { text: error ?? 'It sees nothing, and does not say why.', bad: true };
}
