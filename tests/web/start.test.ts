import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { row, rows } from '../support/pages';
import { test } from '../support/web';

test('a first start says where to send, and a pasted curl command arrives verified', async ({
  page,
  served,
}) => {
  await page.getByText('Waiting for the first delivery').waitFor();
  await expect
    .poll(() => page.getByLabel("The listener's URL", { exact: true }).textContent())
    .toBe(served.listener);
  expect(await page.getByTestId('listener-url').textContent()).toBe(served.listener);

  await page.getByRole('button', { name: 'Copy: A signed delivery with curl' }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toContain(served.listener);
  await promisify(execFile)('sh', ['-c', command]);
  await row(page, 1).getByText('valid', { exact: true }).waitFor();
  await row(page, 1).getByText('won', { exact: true }).waitFor();
  await promisify(execFile)('sh', ['-c', command]);
  await row(page, 2).getByText('duplicate of #1').waitFor();
});

test('a sample delivery is one click away', async ({ page }) => {
  await page.getByRole('button', { name: 'Fire a sample delivery' }).click();
  await row(page, 1).getByText('valid', { exact: true }).waitFor();
  await expect.poll(() => rows(page).count()).toBe(1);
});
