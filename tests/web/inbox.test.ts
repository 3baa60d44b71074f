import { expect } from 'vitest';
import { detail, go, numbers, row, rows } from '../support/pages';
import { deliver, post, postRaw, rpc, signed } from '../support/program';
import { test } from '../support/web';

test('deliveries arrive while the page is open, and a duplicate names the one that won', async ({
  page,
  served,
}) => {
  await page.getByText('Waiting for the first delivery').waitFor();
  expect(await deliver(served.listener, 'job_1')).toBe(204);
  await row(page, 1).getByText('won', { exact: true }).waitFor();
  expect(await deliver(served.listener, 'job_2')).toBe(204);
  expect(await deliver(served.listener, 'job_1', '/hook', { more: 1 })).toBe(204);
  await row(page, 3).getByText('duplicate of #1', { exact: true }).waitFor();
  await row(page, 3).getByText('body differs', { exact: true }).waitFor();
  expect(await numbers(page)).toEqual([3, 2, 1]);
  // Its kin are marked with it.
  await row(page, 3).click();
  await expect.poll(() => row(page, 1).getAttribute('class')).toContain('kin');
  expect(await row(page, 2).getAttribute('class')).not.toContain('kin');
});

test('the filter and the chips narrow the list and count', async ({ page, served }) => {
  await deliver(served.listener, 'apple');
  await deliver(served.listener, 'apple');
  await deliver(served.listener, 'pear', '/other');
  await post(`${served.listener}/hook`, '{"job_id":"forged"}', { 'X-Sume-Signature': 'v1=00' });
  await row(page, 4).waitFor();

  const show = page.getByRole('group', { name: 'Show' });
  await show.getByRole('button', { name: 'All 4' }).waitFor();
  await show.getByRole('button', { name: 'Duplicates 1' }).click();
  await expect.poll(() => numbers(page)).toEqual([2]);
  await show.getByRole('button', { name: 'Bad signature 1' }).click();
  await expect.poll(() => numbers(page)).toEqual([4]);
  await show.getByRole('button', { name: /^All/ }).click();

  const filter = page.getByRole('textbox', { name: 'Filter' });
  for (const [text, seqs] of [
    ['job:apple', [2, 1]],
    ['path:/other', [3]],
    ['status>=400', [4]],
    ['-job:apple -sig:invalid', [3]],
    ['claim:won pear', [3]],
  ] as const) {
    await filter.fill(text);
    await expect.poll(() => numbers(page), { message: text }).toEqual(seqs);
  }
  await filter.fill('job:nothing-like-it');
  await page.getByText('Nothing matches this filter.').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await expect.poll(() => numbers(page)).toEqual([4, 3, 2, 1]);
  // What cannot be read is said where it stands.
  await filter.fill('status>=many');
  await page.getByRole('alert').filter({ hasText: 'many' }).waitFor();
});

test('the detail shows the exact headers, in their order, repeated, and masks what is sensitive', async ({
  page,
  served,
}) => {
  const body = '{"job_id":"exact"}';
  const given = Object.entries(signed(body)).flat();
  const headers = [...given, 'X-Twice', 'a', 'x-twice', 'b', 'Authorization', 'Bearer hush-hush'];
  await postRaw(`${served.listener}/hook`, headers, body);
  const shown = await detail(page, 1, 'Headers');
  const lines = shown.getByRole('table', { name: /^Headers/ }).getByRole('row');
  await lines.filter({ hasText: 'X-Twice' }).first().waitFor();
  const texts = (await lines.allInnerTexts()).map((line) => line.trim().split(/\s+/));
  const twice = texts.filter(([name]) => name?.toLowerCase() === 'x-twice');
  expect(twice).toEqual([
    ['X-Twice', 'a'],
    ['x-twice', 'b'],
  ]);
  expect(await shown.innerText()).not.toContain('hush-hush');
  await shown.getByRole('button', { name: 'Show Authorization' }).click();
  await shown.getByText('Bearer hush-hush').waitFor();
});

test('the job tab tells every delivery of the job, oldest first', async ({ page, served }) => {
  for (let n = 0; n < 3; n += 1) await deliver(served.listener, 'job_1');
  await deliver(served.listener, 'job_2');
  await row(page, 4).waitFor();
  const shown = await detail(page, 2, 'Job');
  const table = shown.getByRole('table', { name: 'Deliveries of this job, oldest first' });
  await table.getByRole('row').nth(3).waitFor();
  const first = await table.getByRole('row').allInnerTexts();
  expect(first).toHaveLength(4);
  expect(first[1]).toContain('won');
  expect(first[3]).toContain('duplicate of #1');
  await shown.getByText('came 3 times').waitFor();
});

test('the signature tab says why a signature fails', async ({ page, served }) => {
  const body = '{"job_id":"tampered"}';
  await post(`${served.listener}/hook`, `${body}\n`, signed(body));
  await row(page, 1).getByText('invalid', { exact: true }).waitFor();
  const shown = await detail(page, 1, 'Signature');
  await shown
    .getByText(/last newline|trailing newline|without.*newline/i)
    .first()
    .waitFor();
});

test('fire again sends the same bytes, which are a duplicate', async ({ page, served }) => {
  await deliver(served.listener, 'again', '/hook?x=1');
  const shown = await detail(page, 1, 'Overview');
  await shown.getByRole('button', { name: 'Fire again' }).click();
  await page.getByRole('main', { name: 'Fire' }).waitFor();
  await go(page, 'Inbox');
  // The list is held while a row is selected.
  await page.getByRole('button', { name: '1 new' }).click();
  await row(page, 2).getByText('duplicate of #1').waitFor();
  const [first, second] = await Promise.all([1, 2].map((seq) => rpc(served, 'deliveries.show', { seq })));
  expect(second?.body_sha256).toBe(first?.body_sha256);
});

test('a delivery is pinned, its claim released, and it is deleted', async ({ page, served }) => {
  await deliver(served.listener, 'job_1');
  const shown = await detail(page, 1, 'Overview');
  const more = async (name: string) => {
    await shown.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await more('Pin');
  await row(page, 1).getByText('pinned').waitFor({ state: 'attached' });

  await more('Release its claim');
  await expect
    .poll(() => rpc(served, 'claims.list', { offset: 0, limit: 10 }).then(({ total }) => total))
    .toBe(0);
  await deliver(served.listener, 'job_1');
  await page.getByRole('button', { name: '1 new' }).click();
  await row(page, 2).getByText('won', { exact: true }).waitFor();

  await more('Delete');
  await row(page, 1).waitFor({ state: 'detached' });
  await expect.poll(() => rows(page).count()).toBe(1);
});
