import { expect } from 'vitest';
import { numbers, row } from '../support/pages';
import { deliver } from '../support/program';
import { test } from '../support/web';

test('everything is reached from the keyboard alone', async ({ page, served }) => {
  for (const job of ['a', 'b', 'c']) await deliver(served.listener, job);
  await row(page, 3).waitFor();
  const keys = async (...names: string[]) => {
    for (const name of names) await page.keyboard.press(name);
  };
  const selected = () => page.getByRole('row', { selected: true }).getAttribute('data-seq');

  await keys('j');
  await expect.poll(selected).toBe('3');
  await keys('j', 'ArrowDown');
  await expect.poll(selected).toBe('1');
  await keys('k');
  await expect.poll(selected).toBe('2');

  // Into the detail, along its tabs, and out again.
  await keys('Enter');
  const shown = page.getByRole('region', { name: 'Delivery #2' });
  await expect
    .poll(() =>
      shown.getByRole('tab', { name: 'Overview' }).evaluate((tab) => tab === document.activeElement),
    )
    .toBe(true);
  await keys('ArrowRight');
  await expect
    .poll(() => shown.getByRole('tab', { name: 'Headers' }).getAttribute('aria-selected'))
    .toBe('true');
  await keys('Escape');
  await shown.waitFor({ state: 'detached' });

  // Letters are letters while typing.
  await keys('/');
  await page.keyboard.type('job:b');
  await expect.poll(() => numbers(page)).toEqual([2]);
  await page.getByRole('main', { name: 'Inbox' }).waitFor();
  await keys('Escape', 'Escape');
  await expect.poll(() => numbers(page)).toEqual([3, 2, 1]);

  await keys('?');
  const sheet = page.getByRole('dialog', { name: 'Keys' });
  await sheet.waitFor();
  // None of them beneath it.
  await keys('g', 'f');
  await keys('Escape');
  await sheet.waitFor({ state: 'detached' });
  await page.getByRole('main', { name: 'Inbox' }).waitFor();

  for (const [key, name] of [
    ['f', 'Fire'],
    ['c', 'Check'],
    ['l', 'Claims'],
    ['s', 'Sume'],
    ['d', 'Demo'],
    [',', 'Settings'],
    ['i', 'Inbox'],
  ] as const) {
    await keys('g', key);
    await page.getByRole('main', { name }).waitFor();
    await expect.poll(() => page.title()).toBe(`${name} · Hooktwice`);
  }

  // The newest, fired again.
  await keys('j', 'r');
  await page.getByRole('main', { name: 'Fire' }).waitFor();
  await keys('g', 'i');
  await page.getByTestId('new-pill').waitFor();
  await keys('Escape', ' ');
  await row(page, 4).getByText('duplicate of #3').waitFor();

  // What is typed while they come is searched for, and fires nothing by itself.
  await keys('Control+k', 'e', 'x', 'Backspace', 'Backspace');
  await page.keyboard.type('fire a sample');
  const sample = page.getByRole('option', { name: 'Fire a sample delivery' });
  await expect.poll(() => sample.getAttribute('aria-selected')).toBe('true');
  await keys('Enter');
  await row(page, 5).getByText('won', { exact: true }).waitFor();
});

test('the page can be walked with Tab, and what has the focus is named', async ({ page, served }) => {
  await deliver(served.listener, 'a');
  await row(page, 1).waitFor();
  const seen: string[] = [];
  for (let n = 0; n < 32; n += 1) {
    await page.keyboard.press('Tab');
    seen.push(
      await page.evaluate(
        () => document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? '',
      ),
    );
  }
  const walked = seen.map((name) => name.trim());
  for (const name of ["Copy the listener's URL", 'Commands, Ctrl K', 'Filter', 'Deliveries'])
    expect(walked).toContain(name);
  expect(walked.some((name) => name === '')).toBe(false);
});
