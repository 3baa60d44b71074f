import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deliveries } from '$features/inbox/deliveries.svelte';
import { HostError } from '$host/host';
import { Session } from '$host/session.svelte';
import { TauriHost } from '$host/tauri';
import { appState } from './fake';

/** What the shell was asked, in order. */
let asked: string[];
let state: () => unknown;

beforeEach(() => {
  asked = [];
  state = () => appState();
  const invoke = (name: string, payload: { command?: string }) => {
    const command = payload.command ?? name;
    asked.push(command);
    if (command === 'app.state') return Promise.resolve().then(state);
    return Promise.resolve(command === 'deliveries.list' ? { rows: [], total: 0, more: false } : undefined);
  };
  vi.stubGlobal('__TAURI_INTERNALS__', { invoke, transformCallback: () => 1 });
});
afterEach(() => {
  vi.unstubAllGlobals();
  delete window.hooktwiceEarly;
});

/** Runs what the shell runs before the page. */
async function before() {
  window.eval(readFileSync('src-tauri/src/early.js', 'utf8'));
  const answers = [...(window.hooktwiceEarly?.values() ?? [])];
  expect(answers).toHaveLength(2);
  await Promise.allSettled(answers);
}

it('what the pages ask first was asked before them, and is not asked again', async () => {
  await before();
  expect(asked).toEqual(['app.state', 'deliveries.list']);
  const session = new Session(new TauriHost());
  const list = new Deliveries(session);
  const stop = list.start();
  await session.start();
  await vi.waitFor(() => expect(list.loaded).toBe(true));
  expect(session.app).toEqual(appState());
  const again = asked.slice(2);
  expect(again).toContain('subscribe');
  expect(again.filter((command) => ['app.state', 'deliveries.list'].includes(command))).toEqual([]);
  stop();
  session.stop();
});

it('an answer is taken once, and not later than the first page asks', async () => {
  await before();
  const host = new TauriHost();
  await host.rpc('app.state', {});
  await host.rpc('app.state', {});
  expect(asked).toEqual(['app.state', 'deliveries.list', 'app.state']);
  await vi.waitFor(() => expect(window.hooktwiceEarly?.size).toBe(0));
});

it('what failed so early is asked again, and the last error is told', async () => {
  state = () => Promise.reject(new HostError({ code: 'internal', message: 'too early' }));
  await before();
  expect(asked).toEqual(['app.state']);
  state = () => appState();
  expect(await new TauriHost().rpc('app.state', {})).toEqual(appState());

  state = () => Promise.reject(new HostError({ code: 'internal', message: 'still not' }));
  await before();
  await expect(new TauriHost().rpc('app.state', {})).rejects.toThrow('still not');
});
