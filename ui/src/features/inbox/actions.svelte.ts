import type { Delivery } from '$bindings/Delivery';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { copyText } from '$lib/clipboard';
import type { FireIntent } from '$lib/intent';
import type { MenuItem } from '$ui/menu';
import { Body } from './body.svelte';

/** Something that is asked before it is done. */
export type Question = { title: string; description: string; action: string; run: () => void };

type Hands = { fire: (intent: FireIntent) => void; removed: (seqs: number[]) => void };

/** What can be done with a delivery, for the buttons, the keys and the context menu alike. */
export class Actions {
  error = $state.raw<HostError>();
  /** What was done, said once. */
  said = $state('');
  question = $state.raw<Question>();
  readonly #session: Session;
  readonly #hands: Hands;

  constructor(session: Session, hands: Hands) {
    this.#session = session;
    this.#hands = hands;
  }

  items(delivery: Delivery): MenuItem[] {
    const claimed = delivery.claim !== 'none' && delivery.job_id !== null;
    return [
      { label: 'Fire again', key: 'r', run: () => this.fireAgain(delivery) },
      { label: 'Edit and fire', key: 'e', run: () => this.edit(delivery) },
      { label: 'Copy as curl', key: 'c', apart: true, run: () => void this.copyCurl(delivery) },
      { label: 'Copy as curl, nothing masked', run: () => void this.copyCurl(delivery, true) },
      {
        label: 'Copy the job id',
        disabled: delivery.job_id === null,
        run: () => void this.#copy(delivery.job_id ?? '', 'The job id'),
      },
      { label: 'Save the body…', run: () => void this.saveBody(delivery) },
      {
        label: delivery.pinned ? 'Unpin' : 'Pin',
        key: 'p',
        apart: true,
        run: () => void this.pin(delivery),
      },
      { label: 'Release its claim…', disabled: !claimed, run: () => this.release(delivery) },
      { label: 'Delete…', key: 'Del', danger: true, apart: true, run: () => this.remove(delivery) },
    ];
  }

  fireAgain(delivery: Delivery): void {
    this.#hands.fire({ seq: delivery.seq, start: true });
  }

  edit(delivery: Delivery): void {
    this.#hands.fire({ seq: delivery.seq, start: false });
  }

  /** A delivery by its number, where it is still kept. */
  async find(seq: number): Promise<Delivery | undefined> {
    let found: Delivery | undefined;
    await this.#try(async () => {
      found = await this.#session.rpc('deliveries.show', { seq });
    });
    return found;
  }

  copyCurl(delivery: Delivery, reveal = false): Promise<void> {
    return this.#try(async () => {
      const { text } = await this.#session.rpc('deliveries.curl', { seq: delivery.seq, reveal });
      await this.#copy(text, `#${delivery.seq} as curl`);
    });
  }

  saveBody(delivery: Delivery): Promise<void> {
    return this.#try(async () => {
      const body = new Body(this.#session, delivery.seq);
      await body.rest();
      if (body.error) throw body.error;
      const place = await this.#session.host.save(
        `delivery-${delivery.seq}.${body.jsonError === undefined && body.total > 0 ? 'json' : 'bin'}`,
        body.bytes,
      );
      this.said = `The ${body.total} bytes of #${delivery.seq} are saved${place ? ` in ${place}` : ''}`;
    });
  }

  pin(delivery: Delivery): Promise<void> {
    return this.#try(async () => {
      await this.#session.rpc('deliveries.pin', { seq: delivery.seq, pinned: !delivery.pinned });
      this.said = `#${delivery.seq} is ${delivery.pinned ? 'not pinned any more' : 'pinned'}`;
    });
  }

  release(delivery: Delivery): void {
    const { job_id, job_id_type, path, seq } = delivery;
    if (job_id === null || delivery.claim === 'none') return;
    this.question = {
      title: 'Release this claim?',
      description: `The next delivery of ${job_id} at ${path} will win again, and its effect will run once more. This cannot be undone.`,
      action: 'Release',
      run: () =>
        void this.#try(async () => {
          await this.#session.rpc('claims.release', { job_id, job_id_type, path });
          this.said = `The claim of #${seq} is released`;
        }),
    };
  }

  remove(delivery: Delivery): void {
    const { seq } = delivery;
    this.question = {
      title: `Delete #${seq}?`,
      description: 'Its bytes are gone then. Its claim stays, so a repeat of the job is still a duplicate.',
      action: 'Delete',
      run: () =>
        void this.#try(async () => {
          await this.#session.rpc('deliveries.delete', { seqs: [seq] });
          this.#hands.removed([seq]);
          this.said = `#${seq} is deleted`;
        }),
    };
  }

  async #copy(text: string, what: string): Promise<void> {
    if (await copyText(text)) this.said = `${what} is on the clipboard`;
    else this.error = HostError.from(new Error('The clipboard is not available here.'));
  }

  async #try(work: () => Promise<void>): Promise<void> {
    this.error = undefined;
    try {
      await work();
    } catch (thrown) {
      this.error = HostError.from(thrown);
    }
  }
}
