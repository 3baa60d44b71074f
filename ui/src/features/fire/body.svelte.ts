import type { Session } from '$host/session.svelte';
import { concat, fromBase64 } from '$lib/bytes';
import { sample } from './sample';
import { LARGE, editable, lineEndOf, withLineEnd, type LineEnd } from '$lib/body';

/** Where a body came from. */
export type Source =
  | { kind: 'sample' }
  | { kind: 'file'; name: string }
  | { kind: 'delivery'; seq: number; method: string; target: string; headers: number };

/** How much of a stored body is asked for at once, in bytes. */
const SLICE = 1024 * 1024;

/** A body whose edits were not fired yet when another took its place. */
type Replaced = { source: Source; bytes: Uint8Array<ArrayBuffer>; text: string | undefined };

/** What is fired: the exact bytes as they came, until the person edits their text. */
export class Body {
  source = $state.raw<Source>({ kind: 'sample' });
  /** As they came. */
  bytes = $state.raw<Uint8Array<ArrayBuffer>>(new Uint8Array());
  /** The editor's text; nothing while the body is binary, or large and not opened. */
  text = $state<string>();
  /** The bytes are on their way from the store. */
  loading = $state(false);
  /** Rises when the text was replaced from outside the editor. */
  revision = $state(0);
  /** Can be brought back. */
  replaced = $state.raw<Replaced>();
  #original = $state.raw<string>();
  /** Tells the load that was asked for last from those before it. */
  #asked = 0;

  constructor() {
    this.loadSample();
  }

  /** The person's text is not the one that came. */
  readonly edited = $derived.by(() => this.text !== undefined && this.text !== this.#original);
  readonly binary = $derived.by(() => this.text === undefined && editable(this.bytes) === undefined);
  readonly lineEnd = $derived.by<LineEnd>(() => lineEndOf(this.text ?? ''));
  readonly size = $derived.by(() => (this.edited ? this.current().length : this.bytes.length));

  /** The bytes that are fired. */
  current(): Uint8Array<ArrayBuffer> {
    return this.edited ? new TextEncoder().encode(this.text) : this.bytes;
  }

  /** A fresh one, so that its first copy wins. */
  loadSample(): void {
    this.#asked += 1;
    this.loading = false;
    this.#set({ kind: 'sample' }, new TextEncoder().encode(sample()));
  }

  async loadFile(file: File): Promise<void> {
    const bytes = new Uint8Array(await file.arrayBuffer());
    this.#asked += 1;
    this.loading = false;
    this.#set({ kind: 'file', name: file.name }, bytes);
  }

  /** Takes a stored delivery and its bytes. False when another body was asked for meanwhile. */
  async loadDelivery(session: Session, seq: number): Promise<boolean> {
    this.#asked += 1;
    const asked = this.#asked;
    this.loading = true;
    try {
      const { method, headers, path, query, size } = await session.rpc('deliveries.show', { seq });
      const parts: Uint8Array[] = [];
      for (let offset = 0; offset < size && asked === this.#asked;) {
        const { base64 } = await session.rpc('deliveries.body', { seq, offset, length: SLICE });
        const part = fromBase64(base64);
        if (part.length === 0) break;
        parts.push(part);
        offset += part.length;
      }
      if (asked !== this.#asked) return false;
      const target = query === '' ? path : `${path}?${query}`;
      this.#set({ kind: 'delivery', seq, method, target, headers: headers.length }, concat(parts));
      return true;
    } finally {
      if (asked === this.#asked) this.loading = false;
    }
  }

  /** Opens a large body in the editor all the same. */
  open(): void {
    this.#original = editable(this.bytes);
    this.text = this.#original;
    this.revision += 1;
  }

  /** Back to the bytes as they came. */
  revert(): void {
    this.text = this.#original;
    this.revision += 1;
  }

  /** Brings back the edited body that another one replaced. */
  restore(): void {
    const { replaced } = this;
    if (!replaced) return;
    this.#asked += 1;
    this.loading = false;
    this.#set(replaced.source, replaced.bytes);
    this.text = replaced.text;
    this.replaced = undefined;
  }

  endLinesWith(end: 'LF' | 'CRLF'): void {
    this.text = withLineEnd(this.text ?? '', end);
    this.revision += 1;
  }

  #set(source: Source, bytes: Uint8Array<ArrayBuffer>): void {
    this.replaced = this.edited ? { source: this.source, bytes: this.bytes, text: this.text } : undefined;
    this.source = source;
    this.bytes = bytes;
    this.#original = undefined;
    this.text = undefined;
    if (bytes.length <= LARGE) this.open();
  }
}
