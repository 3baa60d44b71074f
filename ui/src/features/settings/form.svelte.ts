import type { Settings } from '$bindings/Settings';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import type { Faults, Section } from './sections';

/** How long "Saved" stands, in milliseconds. */
const SAID_MS = 2500;

/**
 * One section while it is edited. What is changed elsewhere meanwhile is taken at once where nothing was typed, and
 * told of where something was; saving only writes this section's part.
 */
export class Form<D extends Record<string, string | boolean>> {
  draft = $state() as D;
  error = $state.raw<HostError>();
  saving = $state(false);
  saved = $state(false);
  /** The settings that the draft began with, as this section reads them. */
  #base = $state.raw() as D;
  /** As they are now. */
  #now = $state.raw() as D;
  readonly #section: Section<D>;
  readonly #session: Session;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: Session, section: Section<D>, settings: Settings) {
    this.#session = session;
    this.#section = section;
    this.#base = section.read(settings);
    this.#now = this.#base;
    this.draft = { ...this.#base };
  }

  readonly faults = $derived.by<Faults<D>>(() => this.#section.check(this.draft));
  readonly dirty = $derived.by(() => !same(this.draft, this.#base));
  /** Somebody else changed this part while it was edited. */
  readonly overtaken = $derived.by(() => this.dirty && !same(this.#base, this.#now));
  readonly valid = $derived.by(() => Object.keys(this.faults).length === 0);

  /** Takes the settings as they are now; what is being typed stays. */
  follow(settings: Settings): void {
    const now = this.#section.read(settings);
    if (same(now, this.#now)) return;
    this.#now = now;
    if (!this.dirty) this.reset();
  }

  /** Back to what is set. */
  reset(): void {
    this.#base = this.#now;
    this.draft = { ...this.#now };
    this.error = undefined;
  }

  async save(): Promise<void> {
    const app = this.#session.app;
    if (!app || !this.valid || this.saving) return;
    this.saving = true;
    this.error = undefined;
    const sent = { ...this.draft };
    try {
      const next = await this.#session.rpc('settings.set', this.#section.apply(app.settings, sent));
      this.#session.take(next);
      this.#now = this.#section.read(next.settings);
      this.#base = this.#now;
      // What was typed while it was being saved stays; else it is shown as it was understood.
      if (same(this.draft, sent)) this.draft = { ...this.#now };
      this.#say();
    } catch (thrown) {
      this.error = HostError.from(thrown);
    } finally {
      this.saving = false;
    }
  }

  #say(): void {
    this.saved = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.saved = false), SAID_MS);
  }
}

function same(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  return Object.keys(a).every((key) => a[key] === b[key]);
}
