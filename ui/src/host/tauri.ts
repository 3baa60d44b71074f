import type { Batch } from '$bindings/Batch';
import { Channel, invoke } from '@tauri-apps/api/core';
import type { Command, Connection, Host, Params, Result } from './host';
import { HostError } from './host';

/** The desktop shell: one command for everything, one channel for events. */
export class TauriHost implements Host {
  readonly windowed = true;

  async rpc<C extends Command>(command: C, params: Params<C>): Promise<Result<C>> {
    try {
      return await invoke<Result<C>>('rpc', { command, params });
    } catch (thrown) {
      throw HostError.from(thrown);
    }
  }

  async save(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    try {
      return await invoke<string>('save_file', bytes, { headers: { name: encodeURIComponent(name) } });
    } catch (thrown) {
      throw HostError.from(thrown);
    }
  }

  readonly notifications = async (attempt: boolean): Promise<void> => {
    try {
      await invoke('notifications', { attempt });
    } catch (thrown) {
      throw HostError.from(thrown);
    }
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
