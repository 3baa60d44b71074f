import type { Delivery } from '$bindings/Delivery';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';

export type Side = 'first' | 'second';

/** Which two deliveries are compared, and how the second is chosen. The older one comes first until they are swapped. */
export class Comparison {
  first = $state.raw<Delivery>();
  second = $state.raw<Delivery>();
  /** Another row is to be chosen. */
  picking = $state(false);
  /** Why another one is to be chosen, or what was wrong with the last choice. */
  said = $state('');
  /** The deliveries of the job of the one it began with, oldest first. */
  kin = $state.raw<readonly Delivery[]>([]);
  error = $state.raw<HostError>();
  /** What the choice of a partner waits for. */
  busy = $state(false);
  readonly #session: Session;
  /** Which side stays while another one is chosen for the other. */
  #kept: Side = 'first';
  #turn = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** A pair is there to be shown. */
  get open(): boolean {
    return this.first !== undefined && this.second !== undefined && !this.picking;
  }

  /** The one that waits for another. */
  get waiting(): Delivery | undefined {
    return this.picking ? this[this.#kept] : undefined;
  }

  /**
   * Compares with the delivery that won, else with the one before it of the same job, else with the one after it. Where
   * there is none, or one is waited for already, a row has to be chosen.
   */
  async begin(delivery: Delivery): Promise<void> {
    if (this.picking) {
      this.#with(delivery);
      return;
    }
    this.close();
    const turn = (this.#turn += 1);
    this.busy = true;
    try {
      const { deliveries } = await this.#session.rpc('deliveries.job', { seq: delivery.seq });
      const partner = await this.#partner(delivery, deliveries);
      if (turn !== this.#turn) return;
      this.kin = deliveries;
      if (partner) this.#show(delivery, partner);
      else this.#pick(delivery);
    } catch (thrown) {
      if (turn === this.#turn) this.error = HostError.from(thrown);
    } finally {
      if (turn === this.#turn) this.busy = false;
    }
  }

  /** Compares the one that waits with this one. */
  #with(delivery: Delivery): void {
    const waiting = this.waiting;
    if (!waiting) return;
    if (waiting.seq === delivery.seq) {
      this.said = 'That is the same one.';
      return;
    }
    if (this.first && this.second) this.choose(this.#kept === 'first' ? 'second' : 'first', delivery);
    else this.#show(waiting, delivery);
  }

  /** Puts another one on one side; the other side stays. */
  choose(side: Side, delivery: Delivery): void {
    const other: Side = side === 'first' ? 'second' : 'first';
    if (this[other]?.seq === delivery.seq) this[other] = this[side];
    this[side] = delivery;
    this.picking = false;
    this.said = '';
  }

  /** Lets a row of the list be chosen for one side. */
  pick(side: Side): void {
    this.#kept = side === 'first' ? 'second' : 'first';
    this.picking = true;
    this.said = '';
  }

  swap(): void {
    [this.first, this.second] = [this.second, this.first];
  }

  close(): void {
    this.#turn += 1;
    this.first = undefined;
    this.second = undefined;
    this.picking = false;
    this.said = '';
    this.kin = [];
    this.error = undefined;
    this.busy = false;
  }

  /** Ends the choice, or else the comparison. False where there was neither. */
  leave(): boolean {
    if (this.picking && this.first && this.second) this.picking = false;
    else if (this.picking || this.open || this.busy || this.error) this.close();
    else return false;
    return true;
  }

  async #partner(delivery: Delivery, kin: readonly Delivery[]): Promise<Delivery | undefined> {
    const won = delivery.duplicate_of;
    if (won !== null) {
      const winner = kin.find(({ seq }) => seq === won);
      if (winner) return winner;
      // It may be older than the ones that are told, or deleted.
      const found = await this.#session.rpc('deliveries.show', { seq: won }).catch(notFound);
      if (found) return found;
    }
    const before = kin.findLast(({ seq }) => seq < delivery.seq);
    return before ?? kin.find(({ seq }) => seq > delivery.seq);
  }

  #show(one: Delivery, other: Delivery): void {
    [this.first, this.second] = one.seq < other.seq ? [one, other] : [other, one];
    this.picking = false;
    this.said = '';
  }

  #pick(delivery: Delivery): void {
    this.first = delivery;
    this.#kept = 'first';
    this.picking = true;
    this.said = delivery.job_id === null ? '' : 'It is the only one of its job.';
  }
}

function notFound(thrown: unknown): undefined {
  if (HostError.from(thrown).code !== 'not-found') throw thrown;
}

/** How many of a job are offered: a job may have come hundreds of times. */
const OFFERED = 12;

/** The deliveries around one, in their order. */
export function nearest(kin: readonly Delivery[], seq: number): readonly Delivery[] {
  const place = Math.max(
    0,
    kin.findIndex((one) => one.seq >= seq),
  );
  const from = Math.max(0, Math.min(place - OFFERED / 2, kin.length - OFFERED));
  return kin.slice(from, from + OFFERED);
}
