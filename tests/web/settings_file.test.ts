import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { go } from '../support/pages';
import { deliver, serve, dataFolder, type Serving } from '../support/program';
import { test as web } from '../support/web';

/** Over a `settings.json` with this text. */
const test = web
  .extend('text', () => '')
  .extend('served', async ({ text }, { onCleanup }): Promise<Serving> => {
    const own = dataFolder();
    writeFileSync(join(own.path, 'settings.json'), text);
    const served = await serve({ folder: own.path });
    onCleanup(async () => {
      await served.stop();
      own.remove();
    });
    return served;
  });

const BANNER = 'Some of the settings are not understood';
const kept = ({ folder }: Serving) =>
  readdirSync(folder).filter((name) => name.startsWith('settings.json.broken-'));
const file = ({ folder }: Serving) => readFileSync(join(folder, 'settings.json'), 'utf8');

for (const [what, text, named] of [
  [
    'a word of a newer version',
    '{"listen":{"responder":{"kind":"queue"}}}',
    'listen.responder.kind: unknown variant',
  ],
  ['no JSON at all', '{ listen: "here', 'key must be a string'],
] as const) {
  describe(what, () => {
    test.override('text', text);

    test('is told, works with what is there at first, and is kept aside at the next save', async ({
      page,
      served,
    }) => {
      const banner = page.getByRole('alert').filter({ hasText: BANNER });
      await banner.getByText(named).waitFor();
      expect(await deliver(served.listener, 'a')).toBe(204);
      expect(file(served)).toBe(text);
      expect(kept(served)).toEqual([]);

      await go(page, 'Settings');
      await page.getByRole('switch', { name: 'On a duplicate' }).click();
      await page.getByRole('button', { name: 'Save: Notifications' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      await banner.waitFor({ state: 'detached' });
      expect(JSON.parse(file(served))).toMatchObject({ notify: { duplicates: true } });
      const [aside] = kept(served);
      expect(readFileSync(join(served.folder, aside ?? ''), 'utf8')).toBe(text);
    });
  });
}

describe('what a newer version wrote beside it', () => {
  test.override('text', '{"notify":{"sounds":["bell"]},"sync":{"with":"laptop"}}');

  test('is still there after a save', async ({ page, served }) => {
    await go(page, 'Settings');
    await page.getByText('This page in a browser does not').waitFor();
    await page.getByRole('switch', { name: 'On a bad signature' }).click();
    await page.getByRole('button', { name: 'Save: Notifications' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(JSON.parse(file(served))).toMatchObject({
      notify: { sounds: ['bell'], bad_signatures: true },
      sync: { with: 'laptop' },
    });
    expect(kept(served)).toEqual([]);
  });
});
