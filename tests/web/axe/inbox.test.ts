import { expect } from 'vitest';
import { Looks } from '../../support/axe';
import { detail, row } from '../../support/pages';
import { deliver, post, postRaw, signed } from '../../support/program';
import { test } from '../../support/web';

test('the Inbox: empty, full, filtered, and a filter that is not understood', async ({ page, served }) => {
  const look = new Looks(page);
  await page.getByText('Or paste this').waitFor();
  await look.at('the first start');

  await deliver(served.listener, 'job_1');
  await deliver(served.listener, 'job_1', '/hook', { more: 1 });
  await deliver(served.listener, `job_${'long'.repeat(200)}`, `/${'path/'.repeat(60)}`);
  await post(`${served.listener}/hook`, '{"job_id":"forged"}', { 'X-Sume-Signature': 'v1=00' });
  await post(`${served.listener}/hook`, 'not JSON', {});
  await row(page, 5).waitFor();
  await look.at('the list');
  await look.at("a row's menu", () => row(page, 2).click({ button: 'right' }));
  await look.at('the menu of columns', () => page.getByRole('button', { name: 'Columns' }).click());

  const filter = page.getByRole('textbox', { name: 'Filter' });
  await filter.fill('job:nothing-like-it');
  await page.getByText('Nothing matches this filter.').waitFor();
  await look.at('a filter that finds nothing');
  await filter.fill('status>=many');
  await page.getByRole('alert').filter({ hasText: 'many' }).waitFor();
  await look.at('a filter that is not understood');
  expect(look.found).toEqual([]);
});

test('the detail: every tab, of what won, failed, and is no JSON', async ({ page, served }) => {
  const look = new Looks(page);
  const body = JSON.stringify({
    event: 'job.completed',
    job_id: 'job_1',
    list: [1, 2, { a: null, b: true, c: 'text' }],
  });
  const headers = Object.entries(signed(body)).flat();
  await postRaw(
    `${served.listener}/hook`,
    [...headers, 'X-Twice', 'a', 'x-twice', 'b', 'Cookie', 'a=b'],
    body,
  );
  await deliver(served.listener, 'job_1', '/hook', { more: 1 });
  await post(`${served.listener}/hook`, `${body}\n`, signed(body));
  await post(`${served.listener}/hook`, new Uint8Array([0, 159, 146, 150, 255]), {});

  await row(page, 4).waitFor();
  await detail(page, 2, 'Overview');
  await deliver(served.listener, 'job_2');
  await page.getByTestId('new-pill').waitFor();
  await look.at('Overview of a duplicate, and the pill');
  await page.getByTestId('new-pill').click();
  // The rows have moved when the newest is there.
  await row(page, 5).waitFor();
  for (const [seq, tab, shown] of [
    [1, 'Headers', 'X-Twice'],
    [1, 'Body', 'job_1'],
    [1, 'Signature', 'valid'],
    [1, 'Job', 'came'],
    [1, 'Response', '204'],
    [3, 'Signature', 'invalid'],
    [4, 'Body', 'Hex'],
  ] as const) {
    const at = await detail(page, seq, tab);
    await at.getByText(shown).first().waitFor();
    await look.at(`${tab} of #${seq}`);
  }
  const at = await detail(page, 1, 'Body');
  for (const view of ['Text', 'Hex']) {
    await at.getByRole('radiogroup', { name: 'Show as' }).getByText(view, { exact: true }).click();
    await look.at(`Body as ${view}`);
  }
  await look.at('More', () => at.getByRole('button', { name: 'More' }).click());
  expect(look.found).toEqual([]);
});

test('what is done with deliveries: compared, exported, deleted and not yet gone', async ({
  page,
  served,
}) => {
  const look = new Looks(page);
  await deliver(served.listener, 'apple');
  await deliver(served.listener, 'apple', '/hook', { more: { of: ['it', 1, null] } });
  await deliver(served.listener, 'pear');
  await row(page, 3).click();
  await page.keyboard.press('d');
  await page.getByTestId('compare-bar').waitFor();
  await look.at('another is to be chosen');
  await page.keyboard.press('Escape');
  await row(page, 2).click();
  await page.keyboard.press('d');
  const comparison = page.getByRole('region', { name: '#1 compared with #2' });
  await comparison.getByText('more').first().waitFor();
  await look.at('a comparison');
  await page.keyboard.press('Escape');
  await comparison.waitFor({ state: 'detached' });

  await row(page, 2).click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Export/ }).click();
  await page.getByRole('dialog').waitFor();
  await look.at('the export');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await row(page, 2).click();
  await page.keyboard.press('Delete');
  await page.getByRole('button', { name: /^Undo/ }).waitFor();
  await look.at('what can be undone');
  expect(look.found).toEqual([]);
});
