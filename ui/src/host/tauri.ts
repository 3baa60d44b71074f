import type { Batch } from '$bindings/Batch';
import type { Rgb } from '$lib/theme.svelte';
import { Channel, invoke } from '@tauri-apps/api/core';
import type { Command, Connection, Host, Params, Result } from './host';
import { HostError } from './host';

/** Asks the shell; whatever goes wrong is a `HostError`. */
async function ask<T>(...asked: Parameters<typeof invoke>): Promise<T> {
  try {
    return await invoke<T>(...asked);
  } catch (thrown) {
    throw HostError.from(thrown);
  }
}

/** The desktop shell: one command for everything, one channel for events. */
export class TauriHost implements Host {
  readonly windowed = true;

  async rpc<C extends Command>(command: C, params: Params<C>): Promise<Result<C>> {
    return ask<Result<C>>('rpc', { command, params });
  }

  async save(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    return ask<string>('save_file', bytes, { headers: { name: encodeURIComponent(name) } });
  }

  readonly notifications = async (attempt: boolean): Promise<void> => {
    await ask('notifications', { attempt });
  };

  readonly background = (rgb: Rgb): void => {
    // The shell writes down what goes wrong; to the page it makes no difference.
    void ask('background', { rgb }).catch(() => undefined);
  };

  subscribe(from: number, onBatch: (batch: Batch) => void, onState: (state: Connection) => void): () => void {
    let open = true;
    const channel = new Channel<Batch>((batch) => {
      if (open) onBatch(batch);
    });
    invoke('subscribe', { from, channel }).then(
      () => {
        if (open) onState('live');
      },
      () => {
        if (open) onState('lost');
      },
    );
    return () => {
      open = false;
    };
  }
}
