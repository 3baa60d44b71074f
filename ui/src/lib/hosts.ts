import { hostOf, isLoopback } from './target';

/** The hosts that are not this machine and that the person gave a word for; it holds until the window closes. */
export class AllowedHosts {
  readonly #allowed = new Set<string>();

  allow(host: string): void {
    this.#allowed.add(host.toLowerCase());
  }

  has(host: string): boolean {
    return this.#allowed.has(host.toLowerCase());
  }

  /** Those of the URLs' hosts that are allowed, each once. */
  of(urls: readonly string[]): string[] {
    return [...new Set(urls.map(hostOf).filter((host) => this.has(host)))];
  }

  /** The host that a refusal is about: the first without a word, one that looks like another machine before all. */
  unasked(urls: readonly string[]): string | undefined {
    const hosts = urls.map(hostOf).filter((host) => !this.has(host));
    return hosts.find((host) => !isLoopback(host)) ?? hosts[0];
  }
}
