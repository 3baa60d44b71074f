import type { JobStatus } from '$bindings/JobStatus';
import type { SumeAnswer } from '$bindings/SumeAnswer';
import { Work } from '$host/work.svelte';

/** Something that was asked of Sume's API at one place of the page, and its answer. Both stay until the next. */
export class Asked extends Work {
  answer = $state.raw<SumeAnswer>();
  /** Where the job is, for a status. */
  status = $state.raw<JobStatus>();
  /** What was asked for, in a word or two: it stands before the answer. */
  what = $state('');

  test(url: string): Promise<void> {
    return this.#put('Test delivery', (session) => session.rpc('sume.test', { url }));
  }

  redeliver(job_id: string): Promise<void> {
    return this.#put('Redeliver', (session) => session.rpc('sume.redeliver', { job_id }));
  }

  async look(job_id: string): Promise<void> {
    await this.#put('Status', async (session) => {
      const status = await session.rpc('sume.status', { job_id });
      this.status = status;
      return status.answer;
    });
  }

  async #put(what: string, work: Parameters<typeof this.ask<SumeAnswer>>[1]): Promise<void> {
    if (this.busy !== undefined) return;
    this.what = what;
    this.answer = undefined;
    this.status = undefined;
    this.answer = await this.ask(what, work);
  }
}
