import { editable } from '$lib/body';
import { fromBase64, toBase64 } from '$lib/bytes';

/** What is sent where no body is given; the engine's own, with the two places that change. */
export const USUAL =
  '{"event":"job.completed","job_id":"job_0","status":"completed","status_url":"https://api.sume.com/v1/jobs/job_0/status","artifacts":[{"type":"video","url":"https://example.com/video.mp4"}]}';

/** The most that the editor takes and that is remembered, in bytes. */
const LARGE = 64 * 1024;

/** The body that every delivery is made from: the usual one, or the exact bytes of one of the person's own. */
export class Template {
  own = $state(false);
  /** Where the bytes came from. */
  name = $state('');
  /** As they came, until their text is edited. */
  bytes = $state.raw<Uint8Array<ArrayBuffer>>(new Uint8Array());
  /** The editor's text; nothing where the bytes are no text or too many to edit. */
  text = $state<string>();
  /** Rises when the text was replaced from outside the editor. */
  revision = $state(0);
  #original = $state.raw<string>();

  readonly size = $derived.by(() => this.current().length);

  /** The bytes of the person's own body. */
  current(): Uint8Array<ArrayBuffer> {
    return this.text === undefined || this.text === this.#original
      ? this.bytes
      : new TextEncoder().encode(this.text);
  }

  /** As the engine takes it. */
  get base64(): string | null {
    return this.own ? toBase64(this.current()) : null;
  }

  /** What may be remembered: text, and not too much of it. */
  get kept(): string | null {
    return this.own && this.text !== undefined && this.text.length <= LARGE ? this.text : null;
  }

  /** Writes one's own, beginning with the usual one. */
  write(text = USUAL): void {
    this.#set(new TextEncoder().encode(text), '');
  }

  async load(file: File): Promise<void> {
    this.#set(new Uint8Array(await file.arrayBuffer()), file.name);
  }

  /** Takes what a check was started with. */
  take(base64: string | null): void {
    if (base64 === null) this.own = false;
    else this.#set(fromBase64(base64), '');
  }

  #set(bytes: Uint8Array<ArrayBuffer>, name: string): void {
    this.own = true;
    this.name = name;
    this.bytes = bytes;
    this.#original = bytes.length <= LARGE ? editable(bytes) : undefined;
    this.text = this.#original;
    this.revision += 1;
  }
}
