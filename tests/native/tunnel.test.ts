import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { test } from '../support/native';
import { until } from '../support/program';
import { desktop, isRunning, start } from '../support/window';

type Process = { pid: number; parent: number; group: number };

function processes(): Process[] {
  const found: Process[] = [];
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (!['Z', 'X'].includes(fields[0] ?? ''))
        found.push({ pid: Number(name), parent: Number(fields[1]), group: Number(fields[2]) });
    } catch {
      // Gone since it was listed.
    }
  }
  return found;
}

const members = (group: number) => processes().filter((process) => process.group === group);

/** The process that the app started to lead its tunnel, once the program is there too. */
function leash(app: number): Promise<number> {
  return until('the tunnel runs', async () => {
    const leads = ({ pid, parent, group }: Process) =>
      parent === app && group === pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0leash\0');
    const pid = processes().find(leads)?.pid ?? 0;
    return members(pid).length > 1 && pid;
  });
}

describe('a tunnel', () => {
  test.override('settings', {
    // It leads nowhere: what is looked at is who lives.
    tunnel: { preset: 'command', command: 'echo http://127.0.0.1:9; exec cat', autostart: true },
  });

  test('ends when the window is closed, and no page may start a program', async ({ window }) => {
    const group = await leash(window.pid);
    expect((await window.rpc('app.state', {})).tunnel).toMatchObject({ state: 'proving' });
    const refused = await window.run<string>(
      `return window.__TAURI_INTERNALS__.invoke('plugin:shell|execute', { program: 'id', args: [], options: {} })
        .then(() => 'it ran', (error) => String(error));`,
    );
    expect(refused).toContain('not allowed');
    desktop('close', String(window.pid));
    await until('the app is gone', () => !isRunning(window.pid), 5000);
    await until('nobody lives', () => members(group).length === 0, 6000);
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`ends with the app at a ${signal}`, async ({ place, listener }) => {
      const app = start(place);
      await until('the listener answers', () => fetch(listener).then((answer) => answer.ok));
      const group = await leash(app.process.pid ?? 0);
      app.process.kill(signal);
      await app.ended;
      await until('nobody lives', () => members(group).length === 0, 6000);
    });
  }
});
