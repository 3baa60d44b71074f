import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { watch } from '../support/frames';
import { detail, go, row } from '../support/pages';
import { post, postRaw, rpc, signed } from '../support/program';
import { test } from '../support/web';

/** The longest frame while a body is opened. The target is 100 ms; a machine that does more besides is given more. */
const STALL_MS = 800;
const MIB = 1024 * 1024;

/** Opens something, and holds the page to its frames meanwhile. */
async function smoothly(page: Page, what: string, open: () => Promise<Locator>): Promise<Locator> {
  const smoothness = await watch(page);
  const shown = await open();
  const smooth = await smoothness();
  console.info(`${what}:`, smooth);
  expect(smooth.longestFrame, what).toBeLessThan(STALL_MS);
  return shown;
}

async function view(shown: Locator, name: 'Tree' | 'Text' | 'Hex'): Promise<void> {
  await shown.getByRole('radiogroup', { name: 'Show as' }).getByText(name, { exact: true }).click();
}

test('bodies of 10 MiB, JSON and binary, one nested 100,000 deep, and an id of 4 KiB', async ({
  page,
  served,
}) => {
  const at = `${served.listener}/hook`;
  const id = 'long'.repeat(1024);
  const [head, tail] = ['{"job_id":"large","text":"', '"}'];
  const large = head + 'x'.repeat(10 * MIB - head.length - tail.length) + tail;
  const binary = Uint8Array.from({ length: 10 * MIB }, (_, n) => (n * 31 + (n >> 8)) % 256);
  const deep = `{"job_id":"deep","in":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const broken = `{"job_id":"deep","in":${'['.repeat(1000)}}`;
  const statuses = [];
  for (const body of [large, binary, deep, broken, `{"job_id":"${id}"}`]) statuses.push(await post(at, body));
  // No id is read out of what is no JSON, or nested deeper than readers take it (C73).
  expect(statuses).toEqual([204, 400, 400, 400, 204]);
  await row(page, 5).waitFor();

  const json = await smoothly(page, '10 MiB of JSON', async () => {
    const shown = await detail(page, 1, 'Body');
    await shown.getByText('Shown: the first 64 KiB of 10 MiB.').waitFor();
    for (const name of ['Text', 'Hex', 'Tree'] as const) await view(shown, name);
    return shown;
  });
  await json.getByRole('button', { name: /^Load 1 MiB more$/ }).click();
  await json.getByText(/Shown: the first 1\.\d+ MiB of 10 MiB\./).waitFor();
  await view(json, 'Text');
  await smoothly(page, 'all 10 MiB as text', async () => {
    await json.getByRole('button', { name: 'Load all' }).click();
    await json.getByText('Shown: the first').waitFor({ state: 'detached' });
    return json;
  });
  expect(await json.getByTestId('json-break').count()).toBe(0);
  await json.getByText('Characters 1 to 262,144 of 10,485,760 that are loaded.').waitFor();
  await json.getByRole('button', { name: 'Later' }).click();
  await json.getByText('Characters 262,145 to 524,288 of 10,485,760 that are loaded.').waitFor();

  await smoothly(page, '10 MiB of bytes', async () => {
    const shown = await detail(page, 2, 'Body');
    await shown.getByText('not UTF-8', { exact: false }).waitFor();
    await view(shown, 'Hex');
    await shown.getByText('Shown: the first 64 KiB of 10 MiB.').waitFor();
    return shown;
  });
  const hex = page.getByTestId('body-hex');
  await hex.getByText('00000000').first().waitFor();
  const first = [...binary.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  expect((await hex.innerText()).replaceAll(/\s+/g, ' ')).toContain(first);
  // Every byte of it is kept.
  const { body_sha256 } = await rpc(served, 'deliveries.show', { seq: 2 });
  const digest = await crypto.subtle.digest('SHA-256', binary);
  expect(body_sha256).toBe(Buffer.from(digest).toString('hex'));

  await smoothly(page, '100,000 levels', async () => {
    const shown = await detail(page, 3, 'Body');
    await view(shown, 'Tree');
    await shown.getByTestId('body-tree').getByText('job_id').waitFor();
    await shown.getByRole('button', { name: /^Load .* more$/ }).click();
    await shown.getByText('Shown: the first').waitFor({ state: 'detached' });
    await view(shown, 'Text');
    await view(shown, 'Tree');
    return shown;
  });

  const shown = await detail(page, 4, 'Body');
  expect(await shown.getByTestId('json-break').innerText()).toMatch(/breaks at line 1, column 1023/);

  await smoothly(page, 'an id of 4 KiB', () => detail(page, 5, 'Overview'));
  const { job_id } = await rpc(served, 'deliveries.show', { seq: 5 });
  expect(job_id).toBe(id);
  const layout = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(layout).toBeLessThanOrEqual(0);
  await page
    .getByRole('region', { name: 'Delivery #5', exact: true })
    .getByRole('button', { name: 'More' })
    .click();
  await page.getByRole('menuitem', { name: 'Copy the job id' }).click();
  await page
    .getByRole('status')
    .filter({ hasText: 'The job id is on the clipboard' })
    .waitFor({ state: 'attached' });
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
  await detail(page, 5, 'Job');
  await go(page, 'Claims');
  await expect.poll(() => page.getByTestId('claim-row').count()).toBe(2);
});

test('300 headers: too many are refused and said, and shown in their order where they are allowed', async ({
  page,
  served,
}) => {
  const body = '{"job_id":"headers"}';
  const many = Array.from({ length: 300 }, (_, n) => [`X-Number-${n}`, `${n}`]).flat();
  const send = () =>
    postRaw(`${served.listener}/hook`, [...Object.entries(signed(body)).flat(), ...many], body);
  expect(await send()).toBe(431);
  await row(page, 1).getByText('431').waitFor();
  const refused = await detail(page, 1, 'Overview');
  await refused
    .getByText(/headers/i)
    .first()
    .waitFor();

  await go(page, 'Settings');
  await page.getByRole('textbox', { name: 'Number of headers' }).fill('400');
  await page.getByRole('button', { name: 'Save: Limits and retention' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const url = await page.getByTestId('listener-url').textContent();
  expect(url).not.toBe('');
  expect(await send()).toBe(204);
  await go(page, 'Inbox');
  await page.getByTestId('new-pill').click();
  const shown = await smoothly(page, '300 headers', () => detail(page, 2, 'Headers'));
  const names = await shown
    .getByRole('table', { name: /^Headers/ })
    .getByRole('row')
    .allInnerTexts();
  const numbered = names.flatMap((line) => /X-Number-(\d+)\s+(\d+)/.exec(line)?.slice(1) ?? []);
  expect(numbered).toEqual(Array.from({ length: 300 }, (_, n) => [`${n}`, `${n}`]).flat());
});
