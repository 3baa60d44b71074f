import type { DeliveryDetail } from '$bindings/DeliveryDetail';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';

/** One answer for one delivery at a time: an answer for an earlier one is dropped. */
export class Shown<T> {
  value = $state.raw<T>();
  error = $state.raw<HostError>();
  #seq: number | undefined;
  readonly #ask: (seq: number) => Promise<T>;

  constructor(ask: (seq: number) => Promise<T>) {
    this.#ask = ask;
  }

  async load(seq: number): Promise<void> {
    if (seq !== this.#seq) this.value = undefined;
    this.#seq = seq;
    try {
      const value = await this.#ask(seq);
      if (seq !== this.#seq) return;
      this.value = value;
      this.error = undefined;
    } catch (thrown) {
      if (seq === this.#seq) this.error = HostError.from(thrown);
    }
  }
}

export function shownDetail(session: Session): Shown<DeliveryDetail> {
  return new Shown((seq) => session.rpc('deliveries.show', { seq }));
}
