import type { DeliveryDetail } from '$bindings/DeliveryDetail';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { editable } from '$lib/body';
import { fromBase64 } from '$lib/bytes';
import { plural } from '$lib/format';
import { withoutMark } from '$lib/json';
import { Body, LARGEST_SLICE } from '../body.svelte';
import { byteRows, firstDifference, WINDOW, windowStart, type ByteRow } from './bytes';
import type { JsonComparison } from './json';
import { compareTexts } from './offload';

/** Up to here a body is loaded without being asked for. */
export const QUIET = 1024 * 1024;
/** Past this a body is not compared value by value. */
export const MOST = 4 * 1024 * 1024;

export type BodyResult =
  | { kind: 'same' }
  | { kind: 'empty' }
  | { kind: 'json'; json: JsonComparison; texts: [string, string] }
  /** Not both are JSON. */
  | { kind: 'text'; texts: [string, string]; isJson: [boolean, boolean] }
  | { kind: 'bytes'; offset: number; first: ByteRow[]; second: ByteRow[]; binary: boolean };

/** How two bodies differ. They are loaded for it when they are small, or when asked. */
export class BodyComparison {
  result = $state.raw<BodyResult>();
  error = $state.raw<HostError>();
  working = $state(false);
  /** Bytes of both that were looked at. */
  done = $state(0);
  /** Bytes of both that are there. */
  readonly total: number;
  /** Too large to be compared value by value. */
  readonly large: boolean;
  readonly first: DeliveryDetail;
  readonly second: DeliveryDetail;
  readonly #session: Session;
  #stop = new AbortController();

  constructor(session: Session, first: DeliveryDetail, second: DeliveryDetail) {
    this.#session = session;
    this.first = first;
    this.second = second;
    this.total = first.size + second.size;
    const largest = Math.max(first.size, second.size);
    this.large = largest > MOST;
    if (first.size === second.size && first.body_sha256 === second.body_sha256)
      this.result = { kind: 'same' };
    else if (first.size === 0 || second.size === 0) this.result = { kind: 'empty' };
  }

  /** Begins by itself where the bodies are small. */
  start(): void {
    if (!this.result && Math.max(this.first.size, this.second.size) <= QUIET) void this.run();
  }

  async run(): Promise<void> {
    if (this.working) return;
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.working = true;
    this.error = undefined;
    this.done = 0;
    try {
      const result = await (this.large ? this.#search(signal) : this.#compare(signal));
      if (!signal.aborted) this.result = result;
    } catch (thrown) {
      if (!signal.aborted) this.error = HostError.from(thrown);
    } finally {
      if (!signal.aborted) this.working = false;
    }
  }

  stop(): void {
    this.#stop.abort();
    this.working = false;
  }

  async #compare(signal: AbortSignal): Promise<BodyResult | undefined> {
    const one = await this.#load(this.first.seq, signal);
    const other = await this.#load(this.second.seq, signal);
    if (signal.aborted) return undefined;
    const texts = [editable(one), editable(other)] as const;
    if (texts[0] === undefined || texts[1] === undefined) {
      const offset = firstDifference(one, other) ?? 0;
      const from = windowStart(offset);
      const window = (bytes: Uint8Array) => bytes.subarray(from, from + WINDOW);
      return ofBytes(offset, window(one), window(other), true);
    }
    return ofTexts(texts[0], texts[1], signal);
  }

  async #load(seq: number, signal: AbortSignal): Promise<Uint8Array> {
    const body = new Body(this.#session, seq);
    const before = this.done;
    while (!body.whole && !signal.aborted) {
      const { length } = body.bytes;
      await body.more();
      if (body.error) throw body.error;
      // Half a body is not compared as if it were whole.
      if (body.bytes.length === length && !body.whole) {
        throw new Error(`The body of #${seq} ends after ${length} of ${plural(body.total, 'byte')}.`);
      }
      if (!signal.aborted) this.done = before + body.bytes.length;
    }
    return body.bytes;
  }

  /** Looks for the first byte that differs, slice by slice, and keeps none. */
  async #search(signal: AbortSignal): Promise<BodyResult | undefined> {
    const end = Math.max(this.first.size, this.second.size);
    for (let at = 0; at < end && !signal.aborted; at += LARGEST_SLICE) {
      const [one, other] = await this.#slices(at, LARGEST_SLICE);
      const place = firstDifference(one, other);
      if (place !== undefined) {
        const offset = at + place;
        return ofBytes(offset, ...(await this.#slices(windowStart(offset), WINDOW)), false);
      }
      if (!signal.aborted) this.done += one.length + other.length;
    }
    return undefined;
  }

  #slices(offset: number, length: number): Promise<[Uint8Array, Uint8Array]> {
    const slice = async ({ seq, size }: DeliveryDetail) => {
      if (offset >= size) return new Uint8Array();
      return fromBase64((await this.#session.rpc('deliveries.body', { seq, offset, length })).base64);
    };
    return Promise.all([slice(this.first), slice(this.second)]);
  }
}

/** The windows of both around where they differ first. */
function ofBytes(offset: number, one: Uint8Array, other: Uint8Array, binary: boolean): BodyResult {
  const from = windowStart(offset);
  return {
    kind: 'bytes',
    offset,
    first: byteRows(one, other, from),
    second: byteRows(other, one, from),
    binary,
  };
}

async function ofTexts(first: string, second: string, signal: AbortSignal): Promise<BodyResult | undefined> {
  const texts: [string, string] = [first, second];
  const [one, other] = [withoutMark(first), withoutMark(second)];
  const found = await compareTexts(one, other, signal);
  if (!found) return undefined;
  if ('isJson' in found) return { kind: 'text', texts, isJson: found.isJson };
  const marked = (one === first) !== (other === second);
  const form = marked ? ['the byte order mark', ...found.json.form] : found.json.form;
  return { kind: 'json', json: { ...found.json, form }, texts };
}
