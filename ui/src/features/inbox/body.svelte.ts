import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { concat, fromBase64, utf8 } from '$lib/bytes';

/** What is loaded at first. */
export const FIRST_SLICE = 64 * 1024;
/** What one question may ask for. */
export const LARGEST_SLICE = 1024 * 1024;

/** A body's exact bytes, loaded in slices when asked for (C79). */
export class Body {
  bytes = $state.raw<Uint8Array<ArrayBuffer>>(new Uint8Array());
  total = $state(0);
  /** How many have come while more are on their way. */
  fetched = $state(0);
  /** Where its JSON breaks, for the whole body. */
  jsonError = $state<string>();
  loading = $state(false);
  loaded = $state(false);
  error = $state.raw<HostError>();
  readonly seq: number;
  readonly #session: Session;
  #stopped = false;

  constructor(session: Session, seq: number) {
    this.#session = session;
    this.seq = seq;
  }

  get whole(): boolean {
    return this.loaded && this.bytes.length >= this.total;
  }

  /**
   * What is loaded as text, and whether bytes that are not UTF-8 were replaced in it. A character that the end of a
   * slice splits is left for the next one (C59).
   */
  readonly text = $derived.by(() => decoded(this.bytes, this.whole));

  /** Loads some more, up to what one question may ask for. */
  more(length = LARGEST_SLICE): Promise<void> {
    return this.#load(this.bytes.length + Math.min(length, LARGEST_SLICE));
  }

  /** Loads all of it, slice by slice, until it is whole, fails or is stopped. */
  rest(): Promise<void> {
    return this.#load(Infinity);
  }

  /** What is fetched is shown at the end: a large body is decoded and drawn once, not with every slice. */
  async #load(end: number): Promise<void> {
    if (this.loading || this.whole) return;
    this.loading = true;
    this.#stopped = false;
    const parts: Uint8Array[] = [this.bytes];
    this.fetched = this.bytes.length;
    try {
      do {
        const length = Math.min(end - this.fetched, LARGEST_SLICE);
        const offset = this.fetched;
        const slice = await this.#session.rpc('deliveries.body', { seq: this.seq, offset, length });
        const bytes = fromBase64(slice.base64);
        if (!this.loaded) this.jsonError = slice.json_error ?? undefined;
        this.loaded = true;
        this.total = slice.total;
        parts.push(bytes);
        this.fetched += bytes.length;
        if (bytes.length === 0) break;
      } while (this.fetched < Math.min(end, this.total) && !this.#stopped);
      this.error = undefined;
    } catch (thrown) {
      this.error = HostError.from(thrown);
    } finally {
      this.bytes = concat(parts);
      this.loading = false;
    }
  }

  stop(): void {
    this.#stopped = true;
  }
}

function decoded(bytes: Uint8Array, whole: boolean): { text: string; exact: boolean } {
  const usable = whole ? bytes : bytes.subarray(0, wholeCharacters(bytes));
  const text = utf8(usable);
  if (text !== undefined) return { text, exact: true };
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(usable), exact: false };
}

/** How many bytes hold whole characters of UTF-8: less than all when the last character has only begun. */
export function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
