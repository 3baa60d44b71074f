import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { detail, go, numbers, row } from '../support/pages';
import { deliver, rpc } from '../support/program';
import { test } from '../support/web';

const undo = (page: Page) => page.getByTestId('undo').filter({ visible: true });
const selected = (page: Page) => page.getByRole('row', { selected: true });

test('deliveries are deleted one after the other and brought back, the newest first', async ({
  page,
  served,
}) => {
  for (const job of ['a', 'b', 'c']) await deliver(served.listener, job);
  await row(page, 3).waitFor();
  await row(page, 2).getByText('204', { exact: true }).waitFor();
  const before = await rpc(served, 'deliveries.show', { seq: 2 });

  await row(page, 3).click();
  await page.keyboard.press('Delete');
  await undo(page).getByText('#3 is deleted').waitFor();
  await expect.poll(() => numbers(page)).toEqual([2, 1]);
  // The next one is selected, so the key can be pressed again.
  await expect.poll(() => selected(page).getAttribute('data-seq')).toBe('2');
  await page.keyboard.press('Delete');
  await undo(page).getByText('#2 is deleted').waitFor();
  await undo(page).getByText('and 1 more').waitFor();
  await expect.poll(() => numbers(page)).toEqual([1]);

  await page.keyboard.press('z');
  await expect.poll(() => numbers(page)).toEqual([2, 1]);
  await expect.poll(() => selected(page).getAttribute('data-seq')).toBe('2');
  expect(await rpc(served, 'deliveries.show', { seq: 2 })).toEqual(before);
  await undo(page).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => numbers(page)).toEqual([3, 2, 1]);
  await undo(page).waitFor({ state: 'detached' });
  // Nothing is left to undo.
  await page.keyboard.press('z');
  expect(await numbers(page)).toEqual([3, 2, 1]);
  // Its claim was never given back.
  await deliver(served.listener, 'b');
  expect((await rpc(served, 'deliveries.show', { seq: 4 })).duplicate_of).toBe(2);
});

test('the last delivery goes and comes back, and what comes meanwhile is not disturbed', async ({
  page,
  served,
}) => {
  await deliver(served.listener, 'a');
  await row(page, 1).click();
  await page.keyboard.press('Delete');
  await page.getByText('Waiting for the first delivery').waitFor();
  await deliver(served.listener, 'b');
  await row(page, 2).waitFor();
  await page.keyboard.press('Control+z');
  await expect.poll(() => numbers(page)).toEqual([2, 1]);
});

test('the offer stays while the pointer is on it, and can be put away', async ({ page, served }) => {
  for (const job of ['a', 'b']) await deliver(served.listener, job);
  await row(page, 2).click();
  await page.clock.install();
  await page.keyboard.press('Delete');
  await undo(page).getByText('#2 is deleted').waitFor();
  await undo(page).getByText('#2 is deleted').hover();
  await page.clock.runFor(12_000);
  expect(await undo(page).count()).toBe(1);
  await page.mouse.move(10, 300);
  await page.clock.runFor(11_000);
  await undo(page).waitFor({ state: 'detached' });

  await page.keyboard.press('Delete');
  await undo(page).getByRole('button', { name: 'Put away' }).click();
  await undo(page).waitFor({ state: 'detached' });
});

test('claims are released and taken back, one and all of them; what was claimed anew stays', async ({
  page,
  served,
}) => {
  for (const job of ['apple', 'pear', 'apple']) await deliver(served.listener, job);
  await go(page, 'Claims');
  const claims = page.getByTestId('claim-row');
  await expect.poll(() => claims.count()).toBe(2);
  const total = () => rpc(served, 'claims.list', { offset: 0, limit: 10 }).then((list) => list.total);
  const before = await rpc(served, 'claims.list', { offset: 0, limit: 10 });

  await page.getByRole('button', { name: 'Release apple' }).click();
  await expect.poll(() => claims.count()).toBe(1);
  await undo(page).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => claims.count()).toBe(2);
  expect(await rpc(served, 'claims.list', { offset: 0, limit: 10 })).toEqual(before);

  await page.getByRole('button', { name: 'Release all' }).click();
  await page.getByText('Nothing is claimed').waitFor();
  await undo(page).getByText('2 claims released').waitFor();
  await deliver(served.listener, 'pear');
  await expect.poll(total).toBe(1);
  await page.keyboard.press('z');
  await undo(page).getByText('1 claim back; 1 claimed anew meanwhile, left as they are').waitFor();
  await expect.poll(total).toBe(2);
  const { claims: kept } = await rpc(served, 'claims.list', { offset: 0, limit: 10 });
  expect(kept.map(({ job_id, first_delivery }) => [job_id, first_delivery])).toEqual([
    ['pear', 4],
    ['apple', 1],
  ]);
});

test('a delivery is raced from the Inbox: 20 copies at once, and the result shows', async ({
  page,
  served,
}) => {
  await deliver(served.listener, 'raced');
  await row(page, 1).click();
  await page.keyboard.press('x');
  await page.getByRole('main', { name: 'Fire' }).waitFor();
  await page
    .getByRole('status')
    .filter({ hasText: /20 copies at once, all answered 204/ })
    .waitFor();
  expect(await page.getByTestId('lane').count()).toBe(20);
  expect(await page.getByRole('textbox', { name: 'Copies' }).inputValue()).toBe('20');
  // The next one that is fired again is one copy.
  await go(page, 'Inbox');
  await page.keyboard.press('r');
  await expect.poll(() => page.getByTestId('lane').count()).toBe(1);
  await page.getByRole('status').filter({ hasText: 'duplicate' }).waitFor();
});

test('the menu of a row has every action, by the pointer and by the keyboard', async ({ page, served }) => {
  for (const job of ['a', 'b']) await deliver(served.listener, job);
  // A list that is held takes no more in.
  await row(page, 2).waitFor();
  await row(page, 1).click({ button: 'right' });
  const menu = page.getByRole('menu');
  await menu.waitFor();
  const named = async () =>
    (await menu.getByRole('menuitem').allInnerTexts()).map((text) => text.split('\n')[0]);
  const pointed = await named();
  for (const label of [
    'Fire again',
    'Edit and fire',
    'Race it',
    'Compare with another…',
    'Copy as curl',
    'Save the body…',
    'Pin',
    'Release its claim',
    'Delete',
  ])
    expect(pointed).toContain(label);
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });

  await page.keyboard.press('k');
  await expect.poll(() => selected(page).getAttribute('data-seq')).toBe('2');
  for (const key of ['Shift+F10', 'ContextMenu']) {
    await page.keyboard.press(key);
    await menu.waitFor();
    expect(await named()).toEqual(pointed);
    const [at, line] = [await menu.boundingBox(), await row(page, 2).boundingBox()];
    expect(Math.abs((at?.y ?? 0) - (line?.y ?? 0) - (line?.height ?? 0))).toBeLessThan(20);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
  }
  // A row that is scrolled away, so far that it is not loaded any more, comes into sight for it; also where more came
  // while the list follows.
  for (let n = 3; n <= 220; n += 1) await deliver(served.listener, `job_${n}`);
  await page.getByTestId('new-pill').click();
  await row(page, 220).waitFor();
  await deliver(served.listener, 'job_221');
  await row(page, 221).waitFor();
  await row(page, 2).waitFor({ state: 'detached' });
  await page.keyboard.press('Shift+F10');
  await menu.waitFor();
  expect(await named()).toEqual(pointed);
  await row(page, 2).and(page.locator('[aria-selected="true"]')).waitFor();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  // By its first letters, as menus go.
  await page.keyboard.press('Shift+F10');
  await menu.waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await undo(page).getByText('#2 is deleted').waitFor();
});

test('too late is said where it stands', async ({ page, served }) => {
  await deliver(served.listener, 'a');
  const shown = await detail(page, 1, 'Overview');
  await shown.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await undo(page).waitFor();
  // Another window was quicker.
  await rpc(served, 'deliveries.restore', { seqs: [1] });
  await page.keyboard.press('z');
  await page.getByRole('alert').filter({ hasText: '#1 cannot be brought back' }).waitFor();
});

test('a duplicate is compared with the delivery that won by a key, and left by another', async ({
  page,
  served,
}) => {
  for (const job of ['a', 'b', 'a']) await deliver(served.listener, job);
  await row(page, 3).click();
  await page.keyboard.press('d');
  const compared = page.getByRole('region', { name: '#1 compared with #3' });
  await compared.waitFor();
  await page.keyboard.press('Escape');
  await compared.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Delivery #3' }).waitFor();

  // The only one of its job: another row is chosen by the same key.
  await row(page, 2).click();
  await page.keyboard.press('d');
  await page.getByTestId('compare-bar').getByText('#2').waitFor();
  await page.keyboard.press('k');
  await page.keyboard.press('d');
  await page.getByRole('region', { name: '#2 compared with #3' }).waitFor();
  // Into it, as into the detail.
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('section')?.ariaLabel))
    .toBe('#2 compared with #3');
});
