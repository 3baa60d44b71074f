import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { commands, go, numbers, row } from '../support/pages';
import { deliver, post, rpc, type Serving } from '../support/program';
import { test } from '../support/web';

const columns = (page: Page) => page.getByRole('grid').getByRole('columnheader').allInnerTexts();
const grip = (page: Page, name: string) =>
  page.getByRole('separator', { name: `Width of ${name}`, exact: true });
const width = (page: Page, name: string) =>
  grip(page, name).evaluate((one) => Math.round(one.parentElement!.getBoundingClientRect().width));

/** Heads and cells stand in the same columns, and no row is wider than the list. */
async function aligned(page: Page): Promise<void> {
  const places = () =>
    page.evaluate(() => {
      const lefts = (selector: string) =>
        [...document.querySelectorAll(selector)].map((one) => Math.round(one.getBoundingClientRect().left));
      const viewport = document.querySelector('[role="grid"] .rows')!;
      const heads = lefts('.heads > span');
      const cells = lefts('[data-testid="delivery-row"]:first-child > span:not([hidden])');
      return {
        off: cells.map((left, at) => left - (heads[at] ?? NaN)),
        wide: viewport.scrollWidth - viewport.clientWidth,
      };
    });
  const shown = await page.locator('.heads > span').count();
  await expect.poll(places).toEqual({ off: Array<number>(shown).fill(0), wide: 0 });
}

test('columns are resized and chosen from the keyboard, and stay so', async ({ page, served }) => {
  await deliver(served.listener, 'job_1');
  await row(page, 1).waitFor();
  expect(await width(page, 'event')).toBe(124);
  await grip(page, 'event').focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => width(page, 'event')).toBe(132);
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(() => width(page, 'event')).toBe(100);
  expect(await grip(page, 'event').getAttribute('aria-valuenow')).toBe('100');
  await page.keyboard.press('Home');
  await expect.poll(() => width(page, 'event')).toBe(44);
  await aligned(page);
  // It fits what is in it: the whole event is to be read.
  await page.keyboard.press('Enter');
  const event = row(page, 1).locator('.event');
  await expect.poll(() => event.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true);
  const fitted = await width(page, 'event');
  expect(fitted).toBeGreaterThan(80);

  // As wide as it may be: what is wanted less gives way, and the row still fits.
  await page.keyboard.press('End');
  await expect.poll(() => width(page, 'event')).toBeGreaterThan(200);
  expect(await grip(page, 'event').getAttribute('aria-valuemax')).toBe(
    await grip(page, 'event').getAttribute('aria-valuenow'),
  );
  expect(await columns(page)).not.toContain('size');
  await aligned(page);
  await page.keyboard.press('Enter');

  const chooser = page.getByRole('button', { name: 'Columns' });
  await chooser.focus();
  await page.keyboard.press('Enter');
  const took = page.getByRole('menuitemcheckbox', { name: 'Took' });
  await took.waitFor();
  expect(await took.getAttribute('aria-checked')).toBe('true');
  await took.press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await expect.poll(() => columns(page)).not.toContain('took');
  await page.reload();
  await row(page, 1).waitFor();
  expect(await columns(page)).not.toContain('took');
  expect(await width(page, 'event')).toBe(fitted);
  await chooser.click();
  await page.getByRole('menuitem', { name: 'As at first' }).click();
  await expect.poll(() => columns(page)).toContain('took');
  expect(await width(page, 'event')).toBe(124);
});

test('a column is dragged, and a double click gives it its width', async ({ page, served }) => {
  for (let n = 0; n < 60; n += 1) await deliver(served.listener, `job_${n}`);
  await row(page, 60).waitFor();
  const drag = async (name: string, by: number) => {
    const box = (await grip(page, name).boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + by / 2, box.y + 200);
    await page.mouse.move(box.x + box.width / 2 + by, box.y + 200);
    await page.mouse.up();
  };
  await drag('time', -30);
  await expect.poll(() => width(page, 'time')).toBe(78);
  await aligned(page);
  // A scroll bar that takes room beside the rows takes it beside the heads too.
  const taken = await page.evaluate(() => {
    const bar = new CSSStyleSheet();
    bar.replaceSync('.rows { scrollbar-gutter: stable !important }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, bar];
    const viewport = document.querySelector<HTMLElement>('[role="grid"] .rows')!;
    return viewport.offsetWidth - viewport.clientWidth;
  });
  expect(taken).toBeGreaterThan(8);
  await aligned(page);
  // Further than there is room: the list is never wider than its place.
  await drag('job', 3000);
  await expect.poll(() => width(page, 'job')).toBeGreaterThan(300);
  await aligned(page);
  await page.setViewportSize({ width: 900, height: 600 });
  await aligned(page);
  await grip(page, 'time').dblclick();
  await expect.poll(() => width(page, 'time')).toBeGreaterThan(90);
});

async function mixed(served: Serving): Promise<void> {
  await deliver(served.listener, 'apple');
  await deliver(served.listener, 'apple');
  await deliver(served.listener, 'pear', '/a%20b');
  await deliver(served.listener, 'plum', '/hook', { event: 'job.failed late' });
  await post(`${served.listener}/hook`, '{"job_id":"forged"}', { 'X-Sume-Signature': 'v1=00' });
}

test('facets count what is in the list, and their values go into the filter and out', async ({
  page,
  served,
}) => {
  await mixed(served);
  await row(page, 5).waitFor();
  await page.getByRole('button', { name: 'Facets' }).click();
  const facets = page.getByRole('dialog', { name: 'Facets' });
  const filter = page.getByRole('textbox', { name: 'Filter' });
  const value = (group: string, name: string) =>
    facets.getByRole('region', { name: group }).getByRole('checkbox', { name });
  await value('Signature', 'valid, 4').waitFor();
  await value('Signature', 'invalid, 1').waitFor();
  await value('Event', 'no event, 1').click();
  await expect.poll(() => filter.inputValue()).toBe('is:no-event');
  await expect.poll(() => numbers(page)).toEqual([5]);
  expect(await value('Event', 'no event').getAttribute('aria-checked')).toBe('true');
  await value('Event', 'no event').press('Space');
  await expect.poll(() => filter.inputValue()).toBe('');

  await value('Event', 'job.failed late, 1').click();
  await expect.poll(() => filter.inputValue()).toBe('event="job.failed late"');
  await value('Claim', 'won, 1').click();
  await expect.poll(() => filter.inputValue()).toBe('event="job.failed late" claim:won');
  await expect.poll(() => numbers(page)).toEqual([4]);
  await value('Claim', 'won, 1').click();
  await value('Event', 'job.failed late').click();
  await expect.poll(() => filter.inputValue()).toBe('');
  // What comes meanwhile is counted.
  await deliver(served.listener, 'cherry');
  await value('Signature', 'valid, 5').waitFor();
  await value('Status', '2xx, 5').waitFor();
  await page.keyboard.press('Escape');
  await facets.waitFor({ state: 'detached' });
});

test('the filter says what can stand in it, completes it, and names what it does not know', async ({
  page,
  served,
}) => {
  await mixed(served);
  await row(page, 5).waitFor();
  await page.keyboard.press('/');
  const filter = page.getByRole('textbox', { name: 'Filter' });
  const help = page.getByRole('listbox', { name: 'What can stand in the filter' });
  await help.getByRole('option', { name: /^job:/ }).waitFor();
  await page.keyboard.type('si');
  await expect.poll(() => help.getByRole('option').count()).toBe(2);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => filter.inputValue()).toBe('sig:');
  await page.keyboard.type('inv');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await expect.poll(() => numbers(page)).toEqual([5]);
  expect(await filter.inputValue()).toBe('sig:invalid');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.type(' colour:red');
  const said = page.getByRole('alert').filter({ hasText: 'colour:red' });
  await said.waitFor();
  expect(await filter.getAttribute('aria-invalid')).toBe('true');
  expect(await filter.getAttribute('aria-errormessage')).toBe(await said.getAttribute('id'));
  await page.keyboard.press('Escape');
  await said.waitFor({ state: 'detached' });
  await expect.poll(() => numbers(page)).toEqual([5, 4, 3, 2, 1]);
});

test('the palette offers first what can be done on the page that is shown', async ({ page, served }) => {
  await deliver(served.listener, 'job_1');
  await row(page, 1).click();
  const palette = await commands(page);
  const options = palette.getByRole('option');
  await palette.getByText('Inbox', { exact: true }).waitFor();
  expect(await options.first().innerText()).toContain('#1: Fire again');
  await page.keyboard.type('pin');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await rpc(served, 'deliveries.show', { seq: 1 })).pinned).toBe(true);
  await palette.waitFor({ state: 'detached' });

  await go(page, 'Fire');
  await commands(page);
  await page.keyboard.type('twenty');
  await palette.getByRole('option', { name: 'How: Twenty copies, released together' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Copies' }).inputValue()).toBe('20');
  await commands(page);
  expect(await palette.getByRole('option', { name: /^#1/ }).count()).toBe(0);
  await page.keyboard.type('settings');
  await page.keyboard.press('Enter');
  await page.getByRole('main', { name: 'Settings' }).waitFor();
  await commands(page);
  await page.keyboard.type('retention');
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { name: 'Limits and retention' });
  await expect.poll(() => heading.evaluate((one) => one.getBoundingClientRect().top)).toBeLessThan(400);
});

test('what cannot be seen is named in a row, and a long id or path does not break it', async ({
  page,
  served,
}) => {
  const id = `a\u202e\u200bb ${'x'.repeat(4000)}\u05d0`;
  await deliver(served.listener, 'r\u202eb\u200b');
  await deliver(served.listener, id, `/${'p'.repeat(8000)}`);
  await row(page, 2).waitFor();
  const job = row(page, 1).locator('.job');
  await job.locator('[data-mark="U+202E"]').waitFor();
  await job.locator('[data-mark="U+200B"]').waitFor();
  expect(await row(page, 2).locator('.job').innerText()).toContain('…');
  const heights = await page
    .getByTestId('delivery-row')
    .evaluateAll((found) => found.map((one) => one.getBoundingClientRect().height));
  expect(heights).toEqual([30, 30]);
  await aligned(page);
});

test('a page that is left and shown again has its list as it was', async ({ page, served }) => {
  for (let n = 0; n < 80; n += 1) await deliver(served.listener, `job_${n}`);
  await row(page, 80).click();
  await page.getByRole('region', { name: 'Delivery #80' }).waitFor();
  const viewport = page.locator('[role="grid"] .rows');
  await viewport.evaluate((list) => {
    list.scrollTop = 900;
    list.setAttribute('data-left', 'here');
  });
  await row(page, 45).waitFor();
  await go(page, 'Claims');
  await go(page, 'Inbox');
  // The same element: it was not built anew for a page without a size.
  expect(await viewport.getAttribute('data-left')).toBe('here');
  expect(await viewport.evaluate((list) => list.scrollTop)).toBe(900);
  await row(page, 45).waitFor();
});
