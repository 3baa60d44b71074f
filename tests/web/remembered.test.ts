import { expect } from 'vitest';
import { go } from '../support/pages';
import { deliver } from '../support/program';
import { test } from '../support/web';

/** What another version, or anybody, may have left where the page looks. */
const HOSTILE = [
  'null',
  '7',
  '"<b>"',
  '[null,{"a":[]}]',
  '{"hidden":["size",7],"widths":{"size":"wide","__proto__":1e999}}',
  '{"kind":{},"urls":"no","toString":1}',
  'not json',
  '',
];

// The panes' library says so in the console, and puts it right.
test.override('allowed', [/Invalid \d+ pane layout/]);

test('whatever was left in the storage, every page opens', async ({ page, served }) => {
  await deliver(served.listener, 'job_1');
  await go(page, 'Settings');
  for (const name of ['Inbox', 'Fire', 'Check'] as const) await go(page, name);
  // The sizes of the panes are kept as soon as they are known.
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith('paneforge'))))
    .toBe(true);
  const panes = await page.evaluate(
    () => Object.entries(localStorage).filter(([key]) => key.startsWith('paneforge')) as [string, string][],
  );
  for (const hostile of HOSTILE) {
    const layouts = panes.map(([key, value]): [string, string] => [
      key,
      // In their own form, with sizes that cannot be.
      hostile === 'null' ? value.replaceAll(/"layout":\[[^\]]*\]/g, '"layout":[900,-3]') : hostile,
    ]);
    await page.evaluate(
      ([hostile, layouts]) => {
        const names = ['page', 'theme', 'columns', 'detail', 'body', 'fire.targets', 'check.form'];
        const kept = Object.keys(localStorage).filter((key) => key.startsWith('hooktwice.'));
        for (const key of [...names.map((name) => `hooktwice.${name}`), ...kept])
          localStorage.setItem(key, hostile);
        for (const [key, value] of layouts) localStorage.setItem(key, value);
      },
      [hostile, layouts] as const,
    );
    await page.goto(served.page);
    for (const name of ['Inbox', 'Fire', 'Check', 'Claims', 'Sume', 'Demo', 'Settings'] as const)
      await go(page, name);
    await go(page, 'Inbox');
    await page.getByTestId('delivery-row').first().click();
    await page.getByRole('tab', { name: 'Body' }).click();
    const widths = await page.evaluate(() =>
      [...document.querySelectorAll('[data-pane]')].map((pane) => pane.getBoundingClientRect().width),
    );
    for (const width of widths.filter((width) => width > 0)) expect(width).toBeGreaterThan(100);
  }
});
