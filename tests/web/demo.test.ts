import { expect } from 'vitest';
import { go } from '../support/pages';
import { test } from '../support/web';

test('the naive handler ran its effect more than once, and the claiming one once', async ({ page }) => {
  await go(page, 'Demo');
  await page.getByRole('button', { name: /^Run/ }).click();
  await page.getByRole('button', { name: 'To the end' }).click();
  const effects = (side: string) =>
    page.getByTestId(`demo-${side}`).getByTestId('effects').textContent().then(Number);
  await expect.poll(() => effects('claim')).toBe(1);
  expect(await effects('naive')).toBeGreaterThan(1);
  await page.getByTestId('demo-claim').getByText('ran once').waitFor();
  await page
    .getByTestId('demo-naive')
    .getByText(/ran \d+ times/)
    .waitFor();
  const naive = await effects('naive');
  expect(await page.getByTestId('demo-sentence').textContent()).toContain(String(naive));
  // It is played again from what was measured, without another run.
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('button', { name: 'To the end' }).click();
  expect(await effects('naive')).toBe(naive);
});
