import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base } from 'vitest';
import { dataFolder, SECRET, type SettingsFile } from './program';
import { AppWindow, freePort, type Place } from './window';

/** A test with the real window. */
export const test = base
  /** What `settings.json` says at the start: `test.override('settings', …)`. */
  .extend('settings', (): SettingsFile => ({}))
  /** What the window remembers is in its home, so each test has its own. */
  .extend('place', async ({}, { onCleanup }): Promise<Required<Place>> => {
    const root = dataFolder();
    onCleanup(() => root.remove());
    const place = { home: join(root.path, 'home'), folder: join(root.path, 'data') };
    mkdirSync(place.home);
    mkdirSync(place.folder);
    return place;
  })
  .extend('listener', async ({ settings, place }): Promise<string> => {
    const port = await freePort();
    const listen = { ...settings.listen, port };
    writeFileSync(join(place.folder, 'settings.json'), JSON.stringify({ ...settings, listen }));
    return `http://127.0.0.1:${port}`;
  })
  .extend('window', async ({ place, listener }, { onCleanup }): Promise<AppWindow> => {
    const window = await AppWindow.open(place);
    onCleanup(() => window.close());
    await window.shows(listener);
    await window.rpc('secret.set', { scheme: 'sume', name: 'test', secret: SECRET });
    return window;
  });
