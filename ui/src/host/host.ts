import type { Batch } from '$bindings/Batch';
import type { Commands } from '$bindings/Commands';
import type { ErrorCode } from '$bindings/ErrorCode';
import type { WireError } from '$bindings/WireError';
import type { Rgb } from '$lib/theme.svelte';

export type Command = keyof Commands;
export type Params<C extends Command> = Commands[C]['params'];
export type Result<C extends Command> = Commands[C]['result'];

/** Whether events come: `lost` is told while it tries again. */
export type Connection = 'live' | 'lost';

/** What the pages stand on: the desktop shell, or `hooktwice serve` in a browser. */
export interface Host {
  /** The pages are the window of a desktop app: reload keys and the browser's menu are not wanted. */
  readonly windowed: boolean;
  /** Carries out a command. Rejects with a {@link HostError} and nothing else. */
  rpc<C extends Command>(command: C, params: Params<C>): Promise<Result<C>>;
  /** Saves bytes as a file, and says where; `undefined` where the browser decides that. Rejects as `rpc` does. */
  save(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined>;
  /**
   * Rejects, as `rpc` does, where the desktop shows no notifications; `attempt` shows one. Not there where the pages have
   * no desktop.
   */
  readonly notifications?: (attempt: boolean) => Promise<void>;
  /** Takes the page's ground, which is what a window shows until its page is painted. Not there in a browser. */
  readonly background?: (rgb: Rgb) => void;
  /** Reads events from a number on until the returned function is called, over breaks of the connection. */
  subscribe(from: number, onBatch: (batch: Batch) => void, onState: (state: Connection) => void): () => void;
}

/** A command that failed. Act on its code; show its message. */
export class HostError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;

  constructor(error: WireError) {
    super(error.message);
    this.name = 'HostError';
    this.code = error.code;
    this.detail = error.detail;
  }

  /** Makes one of whatever was thrown. */
  static from(thrown: unknown): HostError {
    if (thrown instanceof HostError) return thrown;
    if (isWireError(thrown)) return new HostError(thrown);
    return new HostError({
      code: 'internal',
      message: thrown instanceof Error ? thrown.message : String(thrown),
    });
  }
}

function isWireError(value: unknown): value is WireError {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
