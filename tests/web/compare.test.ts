import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { Looks } from '../support/axe';
import { watch } from '../support/frames';
import { row } from '../support/pages';
import { deliver, post, signed } from '../support/program';
import { test } from '../support/web';

const shown = (page: Page) => page.getByTestId('compare');
const section = (page: Page, name: string) => shown(page).getByRole('region', { name, exact: true });

/** Sends a body as a delivery of its own, and waits for its row. */
async function send(page: Page, listener: string, body: string | Buffer, seq: number): Promise<void> {
  const bytes = typeof body === 'string' ? body : Uint8Array.from(body);
  await post(`${listener}/hook`, bytes, signed(bytes));
  await row(page, seq).waitFor();
}

test('d compares a duplicate with the delivery that won: only what differs, by its path', async ({
  page,
  served,
}) => {
  const items = (list: unknown[]) => ({ items: list, amount: 1 });
  await deliver(served.listener, 'job_1', '/hook', items([{ n: 1 }, { n: 2 }]));
  await deliver(served.listener, 'job_2');
  await deliver(served.listener, 'job_1', '/hook?again=1', items([{ n: 0 }, { n: 1 }, { n: 2 }]));
  await row(page, 3).click();
  await page.keyboard.press('d');
  await shown(page).waitFor();
  expect(await shown(page).getAttribute('aria-label')).toBe('#1 compared with #3');
  await section(page, 'Body').getByText('the JSON differs in 1 place').waitFor();
  const found = section(page, 'Body').getByRole('listitem');
  expect(await found.count()).toBe(1);
  await found.getByText('items[0]').waitFor();
  await found.getByText('{"n":0}').waitFor();
  const facts = section(page, 'Overview').getByRole('rowheader');
  expect(await facts.allInnerTexts()).toEqual(['Query', 'Claim', 'Body']);
  // The signature is another one each time; what is the same is not shown unless asked for.
  const headers = section(page, 'Headers');
  await headers.getByText('x-sume-signature', { exact: false }).waitFor();
  expect(await headers.getByText('content-type', { exact: false }).count()).toBe(0);
  await shown(page).getByText('All', { exact: true }).click();
  await headers.getByText('content-type', { exact: false }).waitFor();

  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Delivery #3', exact: true }).waitFor();
  expect(await shown(page).count()).toBe(0);
});

test('c74_the_same_json_in_other_bytes_is_told_and_so_is_a_digit', async ({ page, served }) => {
  await send(page, served.listener, '{"job_id":"j","id":1152921506151679042,"v":1.0}', 1);
  await send(page, served.listener, '{"v":1,\n"id":1152921506151679042,"job_id":"j"}', 2);
  await send(page, served.listener, '{"job_id":"j","id":1152921506151679041,"v":1.0}', 3);
  await row(page, 2).click();
  await page.keyboard.press('d');
  const body = section(page, 'Body');
  const same =
    'the same JSON, other bytes: the order of keys, the spelling of numbers and white space differ';
  await body.getByText(same).waitFor();
  await body.getByText('worth the same, spelled otherwise').waitFor();

  await shown(page).getByRole('button', { name: '#2, choose another one' }).click();
  await page.getByRole('menuitem', { name: /^#3 / }).click();
  await body.getByText('the JSON differs in 1 place').waitFor();
  const lines = await body.getByRole('listitem').innerText();
  expect(lines).toContain('1152921506151679042');
  expect(lines).toContain('1152921506151679041');
  expect(lines).toContain('64 bits');
});

test('where there is no other one of the job, a row is chosen; Esc ends the choice', async ({
  page,
  served,
}) => {
  await deliver(served.listener, 'job_1');
  await deliver(served.listener, 'job_2');
  await row(page, 2).waitFor();
  await row(page, 1).click();
  await page.keyboard.press('d');
  const bar = page.getByTestId('compare-bar');
  await bar.getByText('It is the only one of its job.').waitFor();
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });
  await page.keyboard.press('d');
  await bar.waitFor();
  await row(page, 2).click();
  await page.keyboard.press('d');
  await shown(page).waitFor();
  expect(await shown(page).getAttribute('aria-label')).toBe('#1 compared with #2');
  await section(page, 'Body').getByText('job_id', { exact: true }).waitFor();

  await shown(page).getByRole('button', { name: 'Swap' }).click();
  expect(await shown(page).getAttribute('aria-label')).toBe('#2 compared with #1');
  await shown(page).getByRole('button', { name: '#1, choose another one' }).click();
  await page.getByRole('menuitem', { name: 'Another row…' }).click();
  await bar.getByText('#2').waitFor();
  await bar.getByRole('button', { name: 'Cancel' }).click();
  await shown(page).getByRole('button', { name: 'Close the comparison' }).click();
  await shown(page).waitFor({ state: 'detached' });
});

test('whole texts are laid side by side, as they were sent and, where asked, formatted', async ({
  page,
  served,
}) => {
  const lines = (last: string) => [...Array(40).keys()].map((n) => `line ${n}`).join('\r\n') + last;
  await send(page, served.listener, lines('\tone'), 1);
  await send(page, served.listener, lines('\ttwo'), 2);
  await row(page, 1).click();
  await page.keyboard.press('d');
  await row(page, 2).click();
  await page.keyboard.press('d');
  await section(page, 'Body').getByText('the text differs; it is not JSON').waitFor();
  const merge = page.getByTestId('merge');
  await merge
    .getByText(/3\d unchanged lines/)
    .first()
    .waitFor();
  await merge.getByText('one', { exact: false }).first().waitFor();
  await page.getByRole('switch', { name: 'Unchanged lines' }).check();
  await merge.getByText('line 20').first().waitFor();

  // One leaves the comparison, one the row: then the list follows.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await send(page, served.listener, '{"job_id":"j","a":[1,2,3]}', 3);
  await send(page, served.listener, '{"job_id":"j","a":[1,4,3]}', 4);
  await row(page, 4).click();
  await page.keyboard.press('d');
  await shown(page).getByRole('button', { name: 'Show the whole texts' }).click();
  await merge.getByText('{"job_id":"j","a":[1,4,3]}').waitFor();
  await shown(page).getByText('Formatted', { exact: true }).click();
  await shown(page).getByText('the white space is not as it was sent').waitFor();
  await merge.getByText('"job_id": "j",').first().waitFor();
});

test('axe finds nothing in a comparison, in its texts and bytes, and where a row is to be chosen', async ({
  page,
  served,
}) => {
  const seen = new Looks(page);
  const value = (n: number) => JSON.stringify({ job_id: 'j', n, text: `é${n}`, list: [1, 2, n] });
  await send(page, served.listener, value(1), 1);
  await send(page, served.listener, value(2), 2);
  await send(page, served.listener, Buffer.from([0xff, 1]), 3);
  await row(page, 2).click();
  await page.keyboard.press('d');
  await section(page, 'Body').getByText('the JSON differs in 3 places').waitFor();
  await seen.at('a comparison');
  await shown(page).getByText('All', { exact: true }).click();
  await shown(page).getByRole('button', { name: 'Show the whole texts' }).click();
  await page.getByTestId('merge').getByText('"list"').first().waitFor();
  await seen.at('all of both, and the texts');
  await shown(page).getByRole('button', { name: '#2, choose another one' }).click();
  await page.getByRole('menuitem', { name: 'Another row…' }).click();
  await page.getByTestId('compare-bar').waitFor();
  await seen.at('a row is to be chosen');
  await row(page, 3).click();
  await page.keyboard.press('d');
  await page.getByRole('group', { name: 'Bytes of #3 around the first difference' }).waitFor();
  await seen.at('bytes');
  expect(seen.found).toEqual([]);
});

test('bytes that are not text are shown around the first that differs', async ({ page, served }) => {
  const bytes = (last: number) => Buffer.from([...Array(100).keys(), 0xff, last]);
  await send(page, served.listener, bytes(1), 1);
  await send(page, served.listener, bytes(2), 2);
  await row(page, 1).click();
  await page.keyboard.press('d');
  await row(page, 2).click();
  await page.keyboard.press('d');
  await section(page, 'Body').getByText('the first byte that differs is byte 101, counted from 0').waitFor();
  const rows = page.getByRole('group', { name: 'Bytes of #2 around the first difference' });
  expect(await rows.innerText()).toContain('60 61 62 63 ff 02');
});

test('a pair of 1 MiB is compared without a stall', async ({ page, served }) => {
  const body = (changed: number) =>
    JSON.stringify({
      job_id: 'large',
      items: [...Array(12_000).keys()].map((n) => ({
        id: `item_${n}`,
        value: n === changed ? -n : n,
        tags: ['a', 'b'],
        note: 'as it was sent, no more and no less',
      })),
    });
  expect(body(1).length).toBeGreaterThan(1024 * 1024);
  await send(page, served.listener, body(10), 1);
  await send(page, served.listener, body(9000), 2);
  await row(page, 2).click();
  const smoothness = await watch(page);
  await page.keyboard.press('d');
  const said = section(page, 'Body');
  await said.getByRole('button', { name: 'Load and compare them' }).click();
  await said.getByText('the JSON differs in 2 places').waitFor({ timeout: 30_000 });
  await said.getByText('items[9000].value').waitFor();
  const { longestFrame } = await smoothness();
  // Generous, for a machine that does other things too; on the page's own thread it takes far longer.
  expect(longestFrame).toBeLessThan(400);
  await shown(page).getByRole('button', { name: 'Show the whole texts' }).click();
  await shown(page)
    .getByText(/is too long to be laid beside another/)
    .waitFor();
}, 120_000);
