import type { AppState } from '$bindings/AppState';
import { HostError } from './host';
import type { Session } from './session.svelte';

/** What is asked of the engine at one place of a page, one thing at a time, and what came of it. */
export class Work {
  error = $state.raw<HostError>();
  /** What is being done, by a name of the caller's. */
  busy = $state<string>();
  said = $state('');
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  /** Asks, unless something is on its way; nothing where it failed, and `error` says why. */
  async ask<R>(what: string, work: (session: Session) => Promise<R>): Promise<R | undefined> {
    if (this.busy !== undefined) return undefined;
    this.busy = what;
    this.error = undefined;
    this.said = '';
    try {
      return await work(this.session);
    } catch (thrown) {
      this.error = HostError.from(thrown);
      return undefined;
    } finally {
      this.busy = undefined;
    }
  }

  /** Asks for something that answers with the app's state. Says whether it was done; `said` is shown then. */
  async run(what: string, work: (session: Session) => Promise<AppState>, said = ''): Promise<boolean> {
    const app = await this.ask(what, work);
    if (!app) return false;
    this.session.take(app);
    this.said = said;
    return true;
  }
}
