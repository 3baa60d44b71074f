import type { Session } from '$host/session.svelte';
import { Work } from '$host/work.svelte';
import { ownSecrets } from '$lib/secrets';

/** A secret as it is typed: it goes one way only and is forgotten as soon as it was taken. */
export class NewSecret {
  from = $state<'typed' | 'keychain'>('typed');
  value = $state('');
  readonly work: Work;
  #scheme = $state<string>();
  #name = $state<string>();
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
    this.work = new Work(session);
  }

  /** The one in use, until another is chosen. */
  get scheme(): string {
    return this.#scheme ?? this.#session.app?.settings.listen.scheme ?? 'sume';
  }

  set scheme(scheme: string) {
    this.#scheme = scheme;
  }

  /** The scheme's own name for its first one, until another is typed. */
  get name(): string {
    return this.#name ?? (this.#isTaken(this.scheme) ? '' : this.scheme);
  }

  set name(name: string) {
    this.#name = name;
  }

  /** It takes the place of the scheme's secret of that name. */
  readonly replaces = $derived.by(() => this.#isTaken(this.name.trim()));

  /** Another scheme whose secret has that name: the keychain has one entry of a name, which would be overwritten. */
  readonly clash = $derived.by(() => {
    if (this.from !== 'typed') return undefined;
    const isIt = ({ name, kept_in }: { name: string; kept_in: string }) =>
      name === this.name.trim() && kept_in === 'keychain';
    const others = this.#session.app?.secrets.filter(({ scheme }) => scheme !== this.scheme) ?? [];
    return others.find(isIt)?.scheme ?? undefined;
  });

  readonly ready = $derived.by(
    () =>
      this.name.trim() !== '' && (this.from === 'keychain' || this.value !== '') && this.clash === undefined,
  );

  /** What was typed and not set is not kept. */
  forget(): void {
    this.value = '';
  }

  async set(): Promise<void> {
    if (!this.ready) return;
    const { scheme, from, value } = this;
    const name = this.name.trim();
    const done = await this.work.run(
      'set',
      (session) =>
        from === 'typed'
          ? session.rpc('secret.set', { scheme, name, secret: value })
          : session.rpc('secret.use', { scheme, name }),
      `${name} signs now.`,
    );
    if (!done) return;
    this.value = '';
    this.#name = undefined;
  }

  #isTaken(name: string): boolean {
    const app = this.#session.app;
    return app !== undefined && ownSecrets(app, this.scheme).some((secret) => secret.name === name);
  }
}
