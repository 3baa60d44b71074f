import type { SignatureReport } from '$bindings/SignatureReport';
import type { TrySecret } from '$bindings/TrySecret';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { schemeLabel } from '$lib/schemes';

/** What a stored delivery is tried with: `in-use`, `typed`, or `named:` and the name of one that is known. */
export type Choice = 'in-use' | 'typed' | `named:${string}`;

/** A stored delivery judged by another scheme or secret. What was judged at receipt stays, and nothing is kept. */
export class Trial {
  typed = $state('');
  choice = $state<Choice>('typed');
  error = $state.raw<HostError>();
  busy = $state(false);
  /** The verdict, and in words what it was tried with. */
  came = $state.raw<{ report: SignatureReport; tried: string }>();
  #scheme = $state<string>();
  readonly #session: Session;
  readonly #seq: number;

  constructor(session: Session, seq: number) {
    this.#session = session;
    this.#seq = seq;
  }

  /** The one that a person chose; until then there is none. */
  get scheme(): string | undefined {
    return this.#scheme;
  }

  set scheme(scheme: string | undefined) {
    this.#scheme = scheme;
  }

  get ready(): boolean {
    return this.choice !== 'typed' || this.typed !== '';
  }

  forget(): void {
    this.typed = '';
  }

  async run(scheme: string): Promise<void> {
    if (!this.ready || this.busy) return;
    this.busy = true;
    this.error = undefined;
    const [secret, words] = this.#secret();
    try {
      const report = await this.#session.rpc('deliveries.judge', { seq: this.#seq, scheme, secret });
      this.came = { report, tried: `the scheme ${schemeLabel(scheme)} and ${words(report)}` };
    } catch (thrown) {
      this.came = undefined;
      this.error = HostError.from(thrown);
    } finally {
      this.busy = false;
    }
  }

  #secret(): [TrySecret, (report: SignatureReport) => string] {
    if (this.choice === 'typed')
      return [{ kind: 'typed', secret: this.typed }, () => 'the secret that was typed'];
    if (this.choice === 'in-use') {
      const words = ({ secret }: SignatureReport) =>
        secret === null ? 'the secrets in use' : `the secrets in use, of which ${secret} matches`;
      return [{ kind: 'in-use' }, words];
    }
    const name = this.choice.slice('named:'.length);
    return [{ kind: 'named', name }, () => `the secret ${name}`];
  }
}
