import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../support/native';
import { deliver, rpc, serve, until } from '../support/program';
import { desktop, isRunning, start } from '../support/window';

const RELAY = resolve(import.meta.dirname, '../support/relay.mjs');

/** The tunnel's program: the one process that relays to this listener. */
function relays(listener: string): number[] {
  const { port } = new URL(listener);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return words.includes(RELAY) && words.includes(port) && isRunning(pid);
      } catch {
        return false;
      }
    });
}

const appears = (listener: string) => until('the tunnel runs', () => relays(listener)[0]);
const isGone = (listener: string) =>
  until('nothing of the tunnel is left', () => relays(listener).length === 0, 5000);

describe('the tunnel', () => {
  // The program is a child of a shell, as it is behind many a wrapper.
  test.override('settings', {
    tunnel: {
      preset: 'command',
      command: `node ${RELAY} {port}; true`,
      pattern: String.raw`https?://\S+`,
      autostart: true,
    },
  });

  test('comes with the app, is seen in the frame, and goes when the window is closed', async ({
    window,
    listener,
  }) => {
    await window.shows('live');
    await appears(listener);
    const { tunnel } = await window.rpc('app.state', {});
    expect(await deliver('url' in tunnel ? tunnel.url : '', 'job_1')).toBe(204);
    desktop('close', String(window.pid));
    await isGone(listener);
    await until('the app is gone', () => !isRunning(window.pid), 3000);
  });

  test('goes with a SIGTERM', async ({ place, listener }) => {
    const app = start(place);
    await appears(listener);
    app.process.kill('SIGTERM');
    expect(await app.ended).toBe(0);
    await isGone(listener);
  });

  test('goes with a SIGKILL, and the next start finds no half record', async ({
    place,
    listener,
    onTestFinished,
  }) => {
    const app = start(place);
    onTestFinished(() => void app.process.kill('SIGKILL'));
    await appears(listener);
    // Signed with a secret that this app does not know.
    expect(await deliver(listener, 'job_1')).toBe(401);
    app.process.kill('SIGKILL');
    await app.ended;
    await isGone(listener);
    const next = await serve({ folder: place.folder });
    const { rows } = await rpc(next, 'deliveries.list', { filter: '', limit: 9, before: null, offset: 0 });
    await next.stop();
    // What was answered is written after the answer, so the kill may come first; then the record says that.
    expect(rows.map(({ job_id, status, ended }) => [job_id, ended, status])).toEqual([
      rows[0]?.ended === 'answered' ? ['job_1', 'answered', 401] : ['job_1', 'interrupted', null],
    ]);
  });

  test('that is killed is started again', async ({ window, listener }) => {
    await window.shows('live');
    const first = await appears(listener);
    process.kill(first, 'SIGKILL');
    const next = await until('another runs', () => relays(listener).find((pid) => pid !== first), 20_000);
    expect(next).not.toBe(first);
    await until(
      'it is live',
      async () => (await window.rpc('app.state', {})).tunnel.state === 'live',
      20_000,
    );
  });
});
