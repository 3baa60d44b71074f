import { Remembered } from '$lib/remembered.svelte';
import { isOn } from '$lib/target';

/** How many of the last targets are offered. */
const KEPT = 8;
/** Stands in the list for this program's own listener, whose port may be another next time. */
const OWN = '';
const SAMPLE_PATH = '/webhooks/sume';

/** Where a firing goes: the last target that was fired at, at first the listener itself. */
export class Target {
  #typed = $state<string>();
  #path = $state(SAMPLE_PATH);
  readonly #recent = new Remembered<string[]>('fire.targets', [], isTexts);
  readonly #listener: () => string | undefined;

  /** `listener` is the URL of this program's own, where it runs. */
  constructor(listener: () => string | undefined) {
    this.#listener = listener;
    this.#typed = this.#recent.value[0] || undefined;
  }

  get url(): string {
    return this.#typed ?? this.own ?? '';
  }

  set url(next: string) {
    this.#typed = next;
  }

  /** The listener's own URL with the path that is fired at there. */
  get own(): string | undefined {
    const listener = this.#listener();
    return listener === undefined ? undefined : `${listener}${this.#path}`;
  }

  get isOwn(): boolean {
    return isOn(this.#listener(), this.url);
  }

  /** The last targets besides the listener. */
  get recent(): string[] {
    return this.#recent.value.filter((url) => url !== OWN);
  }

  useOwn(): void {
    this.#typed = undefined;
  }

  /** A delivery that is fired at the listener goes where it went: same path, same query. */
  takePath(target: string): void {
    const onListener = this.#typed === undefined || this.isOwn;
    this.#path = target.startsWith('/') ? target : '/';
    if (onListener) this.#typed = undefined;
  }

  /** Remembers what was fired at. */
  used(): void {
    const entry = this.isOwn ? OWN : this.url.trim();
    this.#recent.value = [entry, ...this.#recent.value.filter((url) => url !== entry)].slice(0, KEPT);
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
