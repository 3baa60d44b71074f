import type { Batch } from '$bindings/Batch';
import type { WireError } from '$bindings/WireError';
import type { Command, Connection, Host, Params, Result } from './host';
import { HostError } from './host';
import { saveFile } from '$lib/clipboard';
import { lines } from './ndjson';

const BACK_OFF_MS = [250, 500, 1000, 2000, 4000];

/** `hooktwice serve`: its cookie holds the token, so every request is to the same origin. */
export class BrowserHost implements Host {
  readonly windowed = false;

  async rpc<C extends Command>(command: C, params: Params<C>): Promise<Result<C>> {
    let answer: { ok: Result<C> } | { error: WireError };
    try {
      const response = await fetch('rpc', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        credentials: 'same-origin',
        body: JSON.stringify({ command, params }),
      });
      if (response.status === 401 || response.status === 403) {
        throw new HostError({
          code: 'bad-input',
          message: 'This page has no valid token. Open the address that `hooktwice serve` printed.',
        });
      }
      answer = (await response.json()) as typeof answer;
    } catch (thrown) {
      if (thrown instanceof HostError) throw thrown;
      throw new HostError({
        code: 'unreachable',
        message: 'Hooktwice does not answer. Is `hooktwice serve` still running?',
        detail: String(thrown),
      });
    }
    if ('error' in answer) throw new HostError(answer.error);
    return answer.ok;
  }

  save(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<undefined> {
    saveFile(name, bytes);
    return Promise.resolve(undefined);
  }

  subscribe(from: number, onBatch: (batch: Batch) => void, onState: (state: Connection) => void): () => void {
    const stop = new AbortController();
    void this.#read(from, onBatch, onState, stop.signal);
    return () => stop.abort();
  }

  async #read(
    from: number,
    onBatch: (batch: Batch) => void,
    onState: (state: Connection) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let next = from;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const response = await fetch(`events?from=${next}`, { credentials: 'same-origin', signal });
        if (!response.ok || !response.body) throw new Error(`events answered ${response.status}`);
        failures = 0;
        onState('live');
        for await (const line of lines(response.body)) {
          const batch = line as Batch;
          next = batch.first + batch.events.length;
          onBatch(batch);
        }
      } catch {
        // Told below: a stream that ends and one that breaks are the same to the page.
      }
      if (signal.aborted) return;
      onState('lost');
      const wait = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length - 1)] ?? 4000;
      failures += 1;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
