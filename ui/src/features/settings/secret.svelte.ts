import type { AppState } from '$bindings/AppState';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';

/** The secret as it is typed: it goes one way only and is forgotten as soon as it was taken. */
export class SecretForm {
  name = $state('sume');
  value = $state('');
  error = $state.raw<HostError>();
  busy = $state<'set' | 'generate' | 'clear'>();
  said = $state('');
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  get ready(): boolean {
    return this.name.trim() !== '' && this.value !== '';
  }

  async set(): Promise<void> {
    if (!this.ready) return;
    const done = await this.#carryOut('set', () =>
      this.#session.rpc('secret.set', { name: this.name.trim(), secret: this.value }),
    );
    if (done) {
      this.value = '';
      this.said = 'The secret is set.';
    }
  }

  async generate(): Promise<void> {
    if (await this.#carryOut('generate', () => this.#session.rpc('secret.generate', {}))) {
      this.said = 'A new throwaway secret is in use.';
    }
  }

  async clear(): Promise<void> {
    if (await this.#carryOut('clear', () => this.#session.rpc('secret.clear', {}))) {
      this.said = 'No secret is in use: nothing is verified or signed.';
    }
  }

  async #carryOut(what: 'set' | 'generate' | 'clear', work: () => Promise<AppState>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = what;
    this.error = undefined;
    this.said = '';
    try {
      this.#session.take(await work());
      return true;
    } catch (thrown) {
      this.error = HostError.from(thrown);
      return false;
    } finally {
      this.busy = undefined;
    }
  }
}
