import type { Watched } from '$bindings/Watched';
import { Work } from '$host/work.svelte';
import type { Session } from '$host/session.svelte';
import { parseDuration, writeDuration } from '$lib/units';
import { Asked } from './asked.svelte';

/** Ids as they were pasted: one a line, or parted by spaces, commas or semicolons, each once. Quotes come along in lists. */
export function idsOf(text: string): string[] {
  const words = text.split(/[\s,;]+/).map((word) => word.replaceAll(/^["'[]+|["'\]]+$/g, ''));
  return [...new Set(words.filter((word) => word !== ''))];
}

/** The watch list as the page works on it; the session holds what is known. */
export class Watch {
  /** Ids that are to be put on it, as they are typed. */
  typed = $state('');
  readonly adding: Work;
  readonly removing: Work;
  #within = $state<string>();
  /** What was asked about each job. */
  readonly #asked = new Map<string, Asked>();
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
    this.adding = new Work(session);
    this.removing = new Work(session);
  }

  readonly ids = $derived.by(() => idsOf(this.typed));

  /** The setting, until something else is typed. */
  get within(): string {
    return this.#within ?? writeDuration((this.#session.app?.settings.sume.expect_within_s ?? 90) * 1000);
  }

  set within(text: string) {
    this.#within = text;
  }

  readonly fault = $derived.by(() => {
    const ms = parseDuration(this.within, 's');
    return ms === undefined || ms < 1000 || ms % 1000 !== 0 ? 'Whole seconds, as 90 s or 5 min.' : undefined;
  });

  readonly ready = $derived.by(() => this.ids.length > 0 && this.fault === undefined);

  /** What was asked about a job. */
  asked(jobId: string): Asked {
    const found = this.#asked.get(jobId) ?? new Asked(this.#session);
    this.#asked.set(jobId, found);
    return found;
  }

  async add(): Promise<void> {
    if (!this.ready) return;
    const { ids } = this;
    const expect_within_s = Math.round((parseDuration(this.within, 's') ?? 0) / 1000);
    const done = await this.adding.ask('add', (session) =>
      session.rpc('sume.watch', { job_ids: ids, expect_within_s }),
    );
    if (!done) return;
    this.#take(done);
    this.typed = '';
    this.adding.said = ids.length === 1 ? 'It is watched now.' : `${ids.length} jobs are watched now.`;
  }

  async remove(job_id: string): Promise<void> {
    const done = await this.removing.ask(job_id, (session) => session.rpc('sume.unwatch', { job_id }));
    if (!done) return;
    this.#take(done);
    this.#asked.delete(job_id);
  }

  #take({ jobs }: Watched): void {
    this.#session.watched = jobs;
  }
}
