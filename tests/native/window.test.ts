import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataFolder, until } from '../support/program';
import { AppWindow } from '../support/window';

let folder: ReturnType<typeof dataFolder>;
let app: AppWindow;

beforeEach(async () => {
  folder = dataFolder();
  writeFileSync(join(folder.path, 'settings.json'), JSON.stringify({ listen: { port: 0 } }));
  app = await AppWindow.open(folder.path);
});

afterEach(async () => {
  await app.close();
  folder.remove();
});

test('the first start is useful at once', async () => {
  await until('the listener is shown', async () => (await app.text()).includes('Listening'));
  expect(await app.run('return document.title')).toBe('Hooktwice');
  writeFileSync('/tmp/native.png', await app.picture());
});
