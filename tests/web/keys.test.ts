import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { commands, go, row } from '../support/pages';
import { deliver, rpc, type Serving } from '../support/program';
import { test } from '../support/web';

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const selected = (page: Page) =>
  page.getByRole('row', { selected: true }).getAttribute('data-seq').then(Number);
const all = (served: Serving) =>
  rpc(served, 'deliveries.counts', { filter: '' }).then((counts) => counts.all);

test('the keys of the list', async ({ page, served }) => {
  for (let n = 1; n <= 60; n += 1) await deliver(served.listener, `job_${n}`);
  await row(page, 60).waitFor();
  for (const [key, seq] of [
    ['j', 60],
    ['j', 59],
    ['ArrowDown', 58],
    ['k', 59],
    ['ArrowUp', 60],
    ['k', 60],
    ['PageDown', 40],
    ['End', 1],
    ['j', 1],
    ['PageUp', 21],
    ['Home', 60],
  ] as const) {
    await press(page, key);
    await expect.poll(() => selected(page), { message: key }).toBe(seq);
    await expect.poll(() => row(page, seq).isVisible()).toBe(true);
  }
  await press(page, 'Enter');
  const detail = page.getByRole('region', { name: 'Delivery #60', exact: true });
  await detail.getByRole('tab', { selected: true }).and(page.locator(':focus')).waitFor();
  await press(page, 'Escape');
  await detail.waitFor({ state: 'detached' });

  const follow = page.getByRole('button', { name: /^(Following|Held)$/ });
  await page.getByRole('grid', { name: 'Deliveries' }).focus();
  for (const pressed of ['false', 'true', 'false']) {
    await press(page, ' ');
    await expect.poll(() => follow.getAttribute('aria-pressed')).toBe(pressed);
  }
});

test('the keys of the delivery that is selected', async ({ page, served }) => {
  await deliver(served.listener, 'apple');
  await deliver(served.listener, 'apple', '/hook', { more: 1 });
  await deliver(served.listener, 'pear');
  await row(page, 3).waitFor();
  await press(page, 'j', 'j');
  await expect.poll(() => selected(page)).toBe(2);

  await press(page, 'c');
  await page
    .getByRole('status')
    .filter({ hasText: '#2 as curl is on the clipboard' })
    .waitFor({ state: 'attached' });
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('| curl ');
  await press(page, 'p');
  await row(page, 2).getByText('pinned').waitFor({ state: 'attached' });
  await press(page, 'p');
  await row(page, 2).getByText('pinned').waitFor({ state: 'detached' });
  await press(page, 'Shift+F10');
  await page.getByRole('menu').getByRole('menuitem', { name: 'Fire again' }).waitFor();
  await press(page, 'Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });

  // With the one that won; then with one that is chosen.
  await press(page, 'd');
  const comparison = page.getByRole('region', { name: '#1 compared with #2' });
  await comparison.waitFor();
  await press(page, 'Escape');
  await comparison.waitFor({ state: 'detached' });
  await press(page, 'k');
  await expect.poll(() => selected(page)).toBe(3);
  await press(page, 'd');
  await page.getByTestId('compare-bar').waitFor();
  await press(page, 'j', 'd');
  await page.getByRole('region', { name: '#2 compared with #3' }).waitFor();
  await press(page, 'Escape');

  await press(page, 'Delete');
  await row(page, 2).waitFor({ state: 'detached' });
  await press(page, 'z');
  await row(page, 2).waitFor();
  expect(await all(served)).toBe(3);

  // To Fire: opened, fired, raced.
  await press(page, 'e');
  await page.getByRole('main', { name: 'Fire' }).waitFor();
  await page.getByTestId('fire-body-origin').getByText('from #2').waitFor();
  expect(await all(served)).toBe(3);
  await press(page, 'Escape');
  await go(page, 'Inbox');
  await press(page, 'r');
  await page.getByRole('status').filter({ hasText: 'One copy, answered 204' }).waitFor();
  await go(page, 'Inbox');
  await press(page, 'x');
  await page.getByRole('status').filter({ hasText: '20 copies at once' }).waitFor();
  expect(await all(served)).toBe(24);
});

test('none of them while typing, and the commands everywhere', async ({ page, served }) => {
  await deliver(served.listener, 'apple');
  await row(page, 1).waitFor();
  await press(page, 'j', '/');
  const letters = 'jkrecpxdz?gigf ';
  await page.keyboard.type(letters);
  const filter = page.getByRole('textbox', { name: 'Filter' });
  expect(await filter.inputValue()).toBe(letters);
  await page.getByRole('main', { name: 'Inbox' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await press(page, 'Escape', 'Escape');
  expect(await all(served)).toBe(1);

  await press(page, 'g', 'f');
  const editor = page.getByRole('textbox', { name: 'Body' });
  await editor.press('Control+a');
  await page.keyboard.type(letters);
  await expect.poll(() => editor.innerText()).toContain(letters.trim());
  await page.getByRole('main', { name: 'Fire' }).waitFor();

  // Open and shut, from a field too, and each page is among them.
  await press(page, 'Control+k');
  const palette = page.getByRole('dialog', { name: 'Commands' });
  await palette.waitFor();
  await press(page, 'Control+k');
  await palette.waitFor({ state: 'detached' });
  for (const name of ['Check', 'Claims', 'Sume', 'Demo', 'Settings', 'Fire', 'Inbox']) {
    await commands(page);
    await page.keyboard.type(`go to ${name}`);
    await press(page, 'Enter');
    await page.getByRole('main', { name }).waitFor();
    // Until then the keys are its field's.
    await palette.waitFor({ state: 'detached' });
  }

  // Every key of the sheet is on it, once it is asked for.
  await press(page, '?');
  const sheet = page.getByRole('dialog', { name: 'Keys' });
  await sheet.waitFor();
  const told = await sheet.locator('dt').allInnerTexts();
  const keys = told.map((text) => text.replaceAll(/\s+/g, ' ').trim());
  for (const key of ['r', 'e', 'x', 'd', 'c', 'p', 'z', '/', 'Space', 'Enter', '?', 'Esc'])
    expect(keys).toContain(key);
  await press(page, 'Escape');
  await sheet.waitFor({ state: 'detached' });
});

test('Ctrl+Enter runs what the page is for', async ({ page }) => {
  const run = async (key: string, name: string) => {
    await press(page, 'g', key);
    await page
      .getByTestId(`page-${name}`)
      .getByRole('button', { name: /^(Fire|Run)/ })
      .first()
      .waitFor();
    await press(page, 'Control+Enter');
  };
  await run('f', 'fire');
  await page.getByTestId('fire-sentence').filter({ hasText: 'answered' }).waitFor();
  await run('d', 'demo');
  await page.getByTestId('demo-claim').getByText('ran once').waitFor();
  await run('c', 'check');
  await page.getByText(/^Give the URL of the handler/).waitFor();
});
