import type { Delivery } from '$bindings/Delivery';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { copyText } from '$lib/clipboard';
import type { FireIntent } from '$lib/intent';
import type { MenuItem } from '$ui/menu';
import { Undo } from '$ui/undo.svelte';
import { Body } from './body.svelte';

/** How many copies a race has. */
const RACERS = 20;

/** Something that is asked before it is done. */
export type Question = { title: string; description: string; action: string; run: () => void };

/** One of the things that can be done with a delivery. */
export type Action = MenuItem & {
  id: string;
  /** The keys that do it, as a key event names them. */
  keys?: readonly string[];
};

type Hands = {
  fire: (intent: FireIntent) => void;
  compare: (delivery: Delivery) => void;
  removed: (seqs: number[]) => void;
  restored: (seqs: number[]) => void;
  export: (delivery: Delivery) => void;
};

/** What can be done with a delivery, for the buttons, the keys and the context menu alike. */
export class Actions {
  error = $state.raw<HostError>();
  /** What was done, said once. */
  said = $state('');
  question = $state.raw<Question>();
  readonly undo = new Undo();
  readonly #session: Session;
  readonly #hands: Hands;

  constructor(session: Session, hands: Hands) {
    this.#session = session;
    this.#hands = hands;
  }

  items(delivery: Delivery): Action[] {
    const claimed = delivery.claim !== 'none' && delivery.job_id !== null;
    return [
      {
        id: 'fire',
        label: 'Fire again',
        ...letter('r'),
        run: () => this.#hands.fire({ seq: delivery.seq, start: true }),
      },
      {
        id: 'edit',
        label: 'Edit and fire',
        ...letter('e'),
        run: () => this.#hands.fire({ seq: delivery.seq, start: false }),
      },
      {
        id: 'race',
        label: 'Race it',
        ...letter('x'),
        run: () => this.#hands.fire({ seq: delivery.seq, start: true, copies: RACERS }),
      },
      {
        id: 'compare',
        label: 'Compare with another…',
        ...letter('d'),
        run: () => this.#hands.compare(delivery),
      },
      {
        id: 'curl',
        label: 'Copy as curl',
        ...letter('c'),
        apart: true,
        run: () => void this.copyCurl(delivery),
      },
      {
        id: 'curl-revealed',
        label: 'Copy as curl, nothing masked',
        run: () => void this.copyCurl(delivery, true),
      },
      {
        id: 'copy-id',
        label: 'Copy the job id',
        disabled: delivery.job_id === null,
        run: () => void this.#copy(delivery.job_id ?? '', 'The job id'),
      },
      { id: 'save', label: 'Save the body…', run: () => void this.saveBody(delivery) },
      { id: 'export', label: 'Export as HAR or JSON…', run: () => this.#hands.export(delivery) },
      {
        id: 'pin',
        label: delivery.pinned ? 'Unpin' : 'Pin',
        ...letter('p'),
        apart: true,
        run: () => void this.pin(delivery),
      },
      {
        id: 'release',
        label: 'Release its claim',
        disabled: !claimed,
        run: () => void this.release(delivery),
      },
      {
        id: 'delete',
        label: 'Delete',
        key: 'Del',
        keys: ['Delete', 'Backspace'],
        danger: true,
        apart: true,
        run: () => void this.remove(delivery),
      },
    ];
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

  /** Releases the claim of its job, to be undone for a while. */
  release(delivery: Delivery): Promise<void> {
    const { job_id, job_id_type, path, seq } = delivery;
    if (job_id === null || delivery.claim === 'none') return Promise.resolve();
    return this.#try(async () => {
      const which = { job_id, job_id_type, path };
      const { changed, undo } = await this.#session.rpc('claims.discard', { which });
      if (undo === null) {
        this.question = {
          title: 'Release this claim?',
          description: `Its job id is so long that it cannot be kept: this cannot be undone. The next delivery of the job at ${path} will win again, and its effect will run once more.`,
          action: 'Release',
          run: () => void this.#try(() => this.#session.rpc('claims.release', which)),
        };
      } else if (changed === 0) {
        this.undo.tell(`The claim of #${seq} is released already`);
      } else {
        this.undo.offer(`The claim of #${seq} is released`, () => this.#reclaim(undo, seq));
      }
    });
  }

  /** Deletes it, to be undone for a while; asks where it is too large for that. */
  remove(delivery: Delivery): Promise<void> {
    const { seq } = delivery;
    return this.#try(async () => {
      const { changed, too_large } = await this.#session.rpc('deliveries.discard', { seqs: [seq] });
      if (too_large) {
        this.question = {
          title: `Delete #${seq}?`,
          description:
            'It is too large to be kept beside what was just deleted: this cannot be undone. Its claim stays, so a repeat of the job is still a duplicate.',
          action: 'Delete',
          run: () => void this.#removeForGood(seq),
        };
        return;
      }
      this.#hands.removed([seq]);
      if (changed === 0) this.undo.tell(`#${seq} is deleted already`);
      else this.undo.offer(`#${seq} is deleted`, () => this.#restore(seq));
    });
  }

  #removeForGood(seq: number): Promise<void> {
    return this.#try(async () => {
      await this.#session.rpc('deliveries.delete', { seqs: [seq] });
      this.#hands.removed([seq]);
      this.undo.tell(`#${seq} is deleted`);
    });
  }

  #restore(seq: number): Promise<void> {
    return this.#try(async () => {
      await this.#session.rpc('deliveries.restore', { seqs: [seq] });
      this.#hands.restored([seq]);
      this.undo.said = `#${seq} is back`;
    });
  }

  #reclaim(undo: number, seq: number): Promise<void> {
    return this.#try(async () => {
      const { taken } = await this.#session.rpc('claims.restore', { undo });
      if (taken > 0) this.undo.tell(`The job of #${seq} was claimed anew meanwhile; that claim stays`);
      else this.undo.said = `The claim of #${seq} is back`;
    });
  }

  async #copy(text: string, what: string): Promise<void> {
    if (await copyText(text)) this.said = `${what} is on the clipboard`;
    else this.error = HostError.from(new Error('The clipboard is not available here.'));
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    this.error = undefined;
    try {
      await work();
    } catch (thrown) {
      this.error = HostError.from(thrown);
    }
  }
}

/** A key of one letter, shown as it is pressed. */
function letter(key: string): { key: string; keys: readonly string[] } {
  return { key, keys: [key] };
}
