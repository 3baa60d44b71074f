import { expect } from 'vitest';
import { go, row } from '../support/pages';
import { deliver } from '../support/program';
import { test } from '../support/web';

test('claims say who won and how many came, and are released', async ({ page, served }) => {
  for (const job of ['apple', 'pear', 'apple', 'apple']) await deliver(served.listener, job);
  await go(page, 'Claims');
  const claims = page.getByTestId('claim-row');
  await expect.poll(() => claims.count()).toBe(2);
  const apple = claims.filter({ hasText: 'apple' });
  expect(await apple.getByRole('cell').nth(3).innerText()).toBe('#1');
  await expect.poll(() => apple.getByRole('cell').nth(4).innerText()).toBe('3');

  // What comes while it is open is counted.
  await deliver(served.listener, 'apple');
  await expect.poll(() => apple.getByRole('cell').nth(4).innerText()).toBe('4');

  await page.getByRole('searchbox', { name: 'Filter claims' }).fill('PEAR');
  await expect.poll(() => claims.count()).toBe(1);
  await page.getByRole('searchbox', { name: 'Filter claims' }).fill('');

  await page.getByRole('button', { name: 'Release apple' }).click();
  await expect.poll(() => claims.count()).toBe(1);
  await deliver(served.listener, 'apple');
  await expect.poll(() => claims.count()).toBe(2);

  await page.getByRole('button', { name: 'Release all' }).click();
  await page.getByText('Nothing is claimed').waitFor();
  await deliver(served.listener, 'pear');
  await go(page, 'Inbox');
  await row(page, 7).getByText('won', { exact: true }).waitFor();
});
