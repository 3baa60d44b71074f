import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { deliver } from '../support/program';
import { addSecret, go, row } from '../support/pages';
import { test } from '../support/web';

/** Where the focus is, as a word: its name, or its tag. */
const focus = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at?.getAttribute('aria-label') ?? at?.textContent.trim() ?? at?.tagName;
  });

/** A click in the corner of the window. */
const beside = (page: Page) => page.mouse.click(4, 4);

test('a dialog keeps the keys, closes by a click beside it, and gives the focus back', async ({
  page,
  served,
}) => {
  await deliver(served.listener, 'a');
  await row(page, 1).waitFor();
  const facets = page.getByRole('button', { name: 'Facets' });
  await facets.focus();
  const before = await focus(page);
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keys' });
  await sheet.waitFor();
  // Neither by Tab nor by a click within it do the keys fall to the page.
  for (let times = 0; times < 4; times += 1) await page.keyboard.press('Tab');
  await sheet.getByRole('heading', { name: 'Everywhere' }).click();
  // A selection that ends beside it is no click beside it.
  await page.mouse.down();
  await page.mouse.move(4, 4);
  await page.mouse.up();
  for (const key of ['g', 'f', 'j', 'x', 'Delete']) await page.keyboard.press(key);
  expect(await sheet.count()).toBe(1);
  await page.getByRole('main', { name: 'Inbox', includeHidden: true }).waitFor();
  expect(await page.locator('[data-testid="undo"]').count()).toBe(0);

  await beside(page);
  await sheet.waitFor({ state: 'detached' });
  await expect.poll(() => focus(page)).toBe(before);
});

test('a question is not closed by a click beside it, and Escape leaves everything as it was', async ({
  page,
}) => {
  await go(page, 'Settings');
  await addSecret(page, 'old', 'the-secret-of-last-year');
  const take = page.getByRole('button', { name: 'Take out old' });
  await take.click();
  const question = page.getByRole('alertdialog');
  await question.waitFor();
  await beside(page);
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  expect(await question.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await page.getByRole('main', { name: 'Settings' }).waitFor();
  await expect.poll(() => take.evaluate((one) => one === document.activeElement)).toBe(true);
});

describe('a menu that does not come', () => {
  test.override('allowed', [/Failed to load resource/, /dynamically imported module/]);

  test('is said, and comes when it is asked for again', async ({ page }) => {
    await page.route(/MenuList-[^/]*\.js$/, (route) => route.abort());
    await page.reload();
    const button = page.getByRole('button', { name: /^Answers/ });
    await button.click();
    await page.getByRole('alert').filter({ hasText: 'dynamically imported module' }).waitFor();
    await page.unroute(/MenuList-[^/]*\.js$/);
    await button.click();
    await page.getByRole('menu').waitFor();
  });
});
