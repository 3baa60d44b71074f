import { expect } from 'vitest';
import { Looks } from '../../support/axe';
import { handler } from '../../support/handlers';
import { go } from '../../support/pages';
import { test } from '../../support/web';

test('Check: the form and its faults, while it runs, and a handler that fails', async ({
  page,
  onTestFinished,
}) => {
  const wrong = await handler('node_look_then_insert.mjs');
  onTestFinished(() => wrong.stop());
  const look = new Looks(page);
  await go(page, 'Check');
  await look.at('Check, before the first');
  await page.getByTestId('check-go').click();
  await page.getByText(/^Give the URL of the handler/).waitFor();
  await page.getByRole('textbox', { name: 'Target' }).fill(wrong.url);
  await look.at('Check, the kinds of probes', () => page.getByTestId('check-add-probe').click());
  await page.getByTestId('check-add-probe').click();
  await page.getByRole('menuitem', { name: /^URL/ }).click();
  await page.getByRole('textbox', { name: 'URL, with {job_id}' }).fill(wrong.effects);
  await page.getByRole('textbox', { name: 'Where the number is' }).fill('/nowhere');
  await page.getByTestId('check-probe').getByRole('button', { name: 'Try' }).click();
  await page
    .getByTestId('check-sight')
    .getByText(/\/nowhere/)
    .waitFor();
  await page.getByRole('textbox', { name: 'Where the number is' }).fill('/count');
  await page.getByText(/^More: /).click();
  await page.getByText(/^Scenarios: /).click();
  await look.at('Check, everything unfolded');

  await page.getByRole('button', { name: 'Only the first' }).click();
  for (const id of ['retry', 'concurrent'])
    await page.getByRole('checkbox', { name: new RegExp(`^${id} `) }).check();
  await page.getByTestId('check-go').click();
  await page.getByTestId('check-head').and(page.locator('[data-state="running"]')).waitFor();
  await look.at('Check, running');
  await page.getByTestId('check-verdict').filter({ hasText: 'Fail' }).waitFor({ timeout: 45_000 });
  await page.getByRole('region', { name: 'concurrent' }).getByTestId('check-timeline').waitFor();
  await look.at('Check, a handler that fails, with its evidence');
  await look.at('Check, its export', () => page.getByRole('button', { name: 'Export…' }).click());
  expect(look.found).toEqual([]);
});
