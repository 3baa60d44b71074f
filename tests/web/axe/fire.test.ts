import { createServer } from 'node:net';
import { expect } from 'vitest';
import { Looks } from '../../support/axe';
import { listen } from '../../support/listen';
import { go } from '../../support/pages';
import { test } from '../../support/web';

test('Fire: before a run, in it, after it, and what went wrong', async ({ page, onTestFinished }) => {
  const silent = createServer(() => undefined);
  onTestFinished(() => void silent.close());
  const port = await listen(silent);
  const look = new Looks(page);
  const choose = (name: string) =>
    page.getByRole('radiogroup', { name: 'How' }).getByText(name, { exact: true }).click();
  await go(page, 'Fire');
  await page.getByRole('textbox', { name: 'Body' }).getByText('job_id').first().waitFor();
  await look.at('Fire, before the first run');

  await choose('20');
  await page.getByTestId('fire-go').click();
  await page.getByRole('status').filter({ hasText: '20 copies at once' }).waitFor();
  await look.at('Fire, 20 lanes');
  await page.getByTestId('lane').nth(3).click();
  await look.at('Fire, a copy that is looked at');
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Table').click();
  await look.at('Fire, the table');

  const target = page.getByRole('textbox', { name: 'Target' });
  const own = await target.inputValue();
  await target.fill(`http://127.0.0.1:${port}/hook`);
  await page.getByTestId('fire-go').click();
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  await look.at('Fire, running');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('status').filter({ hasText: 'Stopped' }).waitFor();
  await look.at('Fire, stopped');

  await target.fill('http://127.0.0.1:1/hook');
  await choose('2 in a row');
  await page.getByTestId('fire-go').click();
  await page.getByRole('status').filter({ hasText: '2 copies' }).waitFor();
  await look.at('Fire, nobody there');

  await target.fill('nowhere at all');
  await page.getByRole('textbox', { name: 'Copies' }).fill('many');
  await page.getByRole('textbox', { name: 'Body' }).fill('{"job_id":');
  await page.getByText(/^Not JSON: /).waitFor();
  await look.at('Fire, a form with faults');
  await look.at('Fire, the menu of bodies', () => page.getByRole('button', { name: 'Load…' }).click());

  await target.fill('http://192.0.2.1/hook');
  await page.getByRole('textbox', { name: 'Copies' }).fill('2');
  await page.getByTestId('fire-go').click();
  const question = page.getByRole('dialog', { name: 'Fire at 192.0.2.1?' });
  await question.waitFor();
  await look.at('Fire, a question');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });

  await target.fill(own);
  await choose('Sume’s ten');
  await look.at('Fire, a schedule');
  await page.getByText(/^More: /).click();
  await look.at('Fire, more fields');
  await page.getByTestId('fire-go').click();
  await page
    .getByRole('status')
    .filter({ hasText: /attempt/i })
    .first()
    .waitFor();
  await look.at('Fire, a delivery by schedule');
  expect(look.found).toEqual([]);
});
