import { createServer } from 'node:net';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { listen } from '../support/listen';
import { detail, go } from '../support/pages';
import { deliver, rpc } from '../support/program';
import { test } from '../support/web';

/** Waits for the sentence that says what happened. */
async function said(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).waitFor();
}

test('a volley of 20 is fired from the page, and its lanes appear', async ({ page, served }) => {
  await go(page, 'Fire');
  await page.getByRole('radiogroup', { name: 'How' }).getByText('20', { exact: true }).click();
  expect(await page.getByRole('textbox', { name: 'Copies' }).inputValue()).toBe('20');
  await page.getByTestId('fire-go').click();
  await said(page, /20 copies at once, all answered 204\b.*one won the claim and 19 were duplicates/i);
  const lanes = page.getByTestId('lane');
  expect(await lanes.count()).toBe(20);
  expect(
    await lanes.evaluateAll((all) => all.filter((lane) => lane.dataset['outcome'] === 'answered').length),
  ).toBe(20);
  await lanes.nth(19).hover();
  expect(await lanes.nth(19).getAttribute('aria-label')).toMatch(
    /^Copy 20: 204 .* (won|duplicate), first byte after /,
  );

  // The same in figures.
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Table').click();
  const table = page.getByRole('table', { name: 'The copies of this run' });
  expect(await table.getByRole('row').count()).toBe(21);
  await page.getByTestId('fire-facts').getByText('20 × 204').waitFor();

  // One of them won, and the other 19 name it.
  await go(page, 'Inbox');
  await page.getByRole('button', { name: 'Duplicates 19' }).waitFor();
  const { rows } = await rpc(served, 'deliveries.list', { filter: '', limit: 50, before: null, offset: 0 });
  expect(rows.filter(({ claim }) => claim === 'won')).toHaveLength(1);
});

test('the last runs stay, over a reload too, and one is laid over another', async ({ page }) => {
  await go(page, 'Fire');
  await page.getByRole('radiogroup', { name: 'How' }).getByText('2 in a row').click();
  await page.keyboard.press('Control+Enter');
  await said(page, '2 copies in a row, all answered 204');
  await page.getByRole('radiogroup', { name: 'How' }).getByText('10', { exact: true }).click();
  await page.keyboard.press('Control+Enter');
  await said(page, '10 copies at once, all answered 204');
  await page.reload();
  const runs = page.getByRole('region', { name: 'Last runs' }).getByTestId('run');
  await expect.poll(() => runs.count()).toBe(2);
  await runs.first().getByRole('button').first().click();
  await said(page, '10 copies at once, all answered 204');
  await runs.nth(1).getByRole('button', { name: 'Lay over' }).click();
  await page.getByTestId('fire-facts').getByText('2 × 204').waitFor();
});

test('a run is stopped while its target says nothing', async ({ page, onTestFinished }) => {
  const silent = createServer(() => undefined);
  onTestFinished(() => void silent.close());
  const port = await listen(silent);
  await go(page, 'Fire');
  await page.getByRole('textbox', { name: 'Target' }).fill(`http://127.0.0.1:${port}/hook`);
  await page.getByRole('textbox', { name: 'Timeout' }).fill('60s');
  await page.getByTestId('fire-go').click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await said(page, /Stopped: /);
});

test('a target that is not this machine is asked about first', async ({ page }) => {
  await go(page, 'Fire');
  await page.getByRole('textbox', { name: 'Target' }).fill('http://192.0.2.1/hook');
  await page.getByTestId('fire-go').click();
  const question = page.getByRole('dialog', { name: 'Fire at 192.0.2.1?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await page.getByTestId('lane').count()).toBe(0);
});

test('a stored delivery is edited and fired', async ({ page, served }) => {
  await deliver(served.listener, 'old');
  const shown = await detail(page, 1, 'Body');
  await shown.getByRole('button', { name: 'Edit and fire' }).click();
  const origin = page.getByTestId('fire-body-origin');
  await expect.poll(() => origin.textContent()).toMatch(/from #1.*bytes kept/);
  const editor = page.getByRole('textbox', { name: 'Body' });
  await editor.fill('{"event":"job.completed","job_id":"new"}');
  await page.getByText('edited', { exact: true }).waitFor();
  await page.getByRole('radiogroup', { name: 'How' }).getByText('once', { exact: true }).click();
  await page.getByTestId('fire-go').click();
  await said(page, /One copy, answered 204/);
  await expect
    .poll(() => rpc(served, 'deliveries.show', { seq: 2 }).then(({ job_id }) => job_id))
    .toBe('new');
  await editor.fill('{"job_id":');
  await page.getByText(/^Not JSON: /).waitFor();
});
