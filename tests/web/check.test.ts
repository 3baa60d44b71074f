import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { handler as start, type Handler } from '../support/handlers';
import { listen } from '../support/listen';
import { go } from '../support/pages';
import { rpc, until } from '../support/program';
import { test as base } from '../support/web';

/** How long a check of a few scenarios may take on a slow machine, in milliseconds. */
const LONG = 45_000;

const test = base
  .extend('file', (): string => 'python_claim.py')
  /** The sample handler that is checked. */
  .extend('handler', async ({ file }, { onCleanup }): Promise<Handler> => {
    const started = await start(file);
    onCleanup(() => started.stop());
    return started;
  });

/** Opens the page, and says what to check and how its effect is seen. */
async function fill(page: Page, { url, effects }: Pick<Handler, 'url' | 'effects'>): Promise<void> {
  await go(page, 'Check');
  await page.getByRole('textbox', { name: 'Target' }).fill(url);
  await page.getByTestId('check-add-probe').click();
  await page.getByRole('menuitem', { name: /^URL/ }).click();
  await page.getByRole('textbox', { name: 'URL, with {job_id}' }).fill(effects);
  await page.getByRole('textbox', { name: 'Where the number is' }).fill('/count');
}

/** Leaves out all scenarios but these, and searches for a race only shortly. */
async function only(page: Page, ...ids: string[]): Promise<void> {
  await page.getByText(/^More: /).click();
  await page.getByRole('textbox', { name: 'Search for a race' }).fill('3s');
  await page.getByText(/^Scenarios: /).click();
  await page.getByRole('button', { name: 'Only the first' }).click();
  for (const id of ids) await page.getByRole('checkbox', { name: new RegExp(`^${id} `) }).check();
}

function scenario(page: Page, id: string): Locator {
  return page.locator(`[data-testid="scenario"][data-id="${id}"]`);
}

async function verdict(page: Page, word: string): Promise<void> {
  await page.getByTestId('check-verdict').filter({ hasText: word }).waitFor({ timeout: LONG });
}

test('a handler that claims by insert passes, and is told so in every form', async ({ page, handler }) => {
  await fill(page, handler);
  await only(page, 'retry', 'concurrent', 'race-search', 'forged-signature');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('check-head').and(page.locator('[data-state="running"]')).waitFor();
  await verdict(page, 'Pass');
  for (const id of ['first-delivery', 'retry', 'concurrent', 'race-search', 'forged-signature'])
    expect([id, await scenario(page, id).getAttribute('data-standing')]).toEqual([id, 'pass']);
  await page.getByTestId('check-facts').getByText('deliveries').waitFor();

  // From the keyboard: down to one, open it, into its time line.
  await scenario(page, 'first-delivery').getByRole('button').first().focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  const detail = page.getByRole('region', { name: 'concurrent' });
  await detail.getByTestId('check-timeline').focus();
  await page.keyboard.press('ArrowDown');
  await detail.getByText(/^Copy 1.*: 200/).waitFor();
  expect(await detail.getByRole('option', { name: /^Copy / }).count()).toBe(20);

  for (const [item, ending, content] of [
    ['HTML, one page', 'html', /^<!doctype html>/i],
    ['Markdown, for a pull request', 'md', /concurrent/],
    ['JUnit XML', 'xml', /<testsuites?\b/],
    ['JSON', 'json', /"overall"/],
  ] as const) {
    await page.getByRole('button', { name: 'Export…' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: item }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(
      new RegExp(String.raw`^hooktwice-check-\d{8}-\d{6}\.${ending}$`),
    );
    expect(await readFile(await saved.path(), 'utf8')).toMatch(content);
  }
  await page.getByRole('status').filter({ hasText: 'Saved as hooktwice-check-' }).waitFor();
  await page.getByRole('button', { name: 'Export…' }).click();
  await page.getByRole('menuitem', { name: /^Copy the command/ }).click();
  await page.getByRole('status').filter({ hasText: 'on the clipboard' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^hooktwice check .*--url http/);
});

test.describe('a handler that looks and inserts later', () => {
  test.override('file', 'node_look_then_insert.mjs');

  test('fails, with advice and what was seen, and the next check says what changed', async ({
    page,
    handler,
  }) => {
    await fill(page, handler);
    await only(page, 'retry', 'concurrent');
    await page.getByTestId('check-go').click();
    await verdict(page, 'Fail');
    await page.getByTestId('check-sentence').getByText('The effect ran too often in concurrent.').waitFor();
    // What failed is open by itself.
    const detail = page.getByRole('region', { name: 'concurrent' });
    await detail
      .getByTestId('check-advice')
      .getByText(/unique key/)
      .waitFor();
    await detail.getByTestId('check-timeline').waitFor();
    await detail
      .getByLabel(/^The command that shows concurrent again/)
      .first()
      .waitFor();
    expect(await detail.getByText(/^\d+, expected 1$/).textContent()).not.toBe('1, expected 1');

    // A good one in its place, by the form as it is remembered.
    const right = await start('python_claim.py');
    try {
      await page.reload();
      await page.getByRole('textbox', { name: 'Target' }).fill(right.url);
      await page.getByRole('textbox', { name: 'URL, with {job_id}' }).fill(right.effects);
      await page.getByTestId('check-go').click();
      await verdict(page, 'Pass');
      const list = page.getByTestId('last-check');
      await expect.poll(() => list.count()).toBe(2);
      await list.nth(1).getByRole('button', { name: 'Compare' }).click();
      const change = page.getByTestId('check-change');
      expect(await change.evaluateAll((rows) => rows.map((row) => row.dataset['id']))).toEqual([
        'concurrent',
      ]);
      await list.nth(1).getByRole('button').first().click();
      await verdict(page, 'Fail');
    } finally {
      await right.stop();
    }
  });
});

test('a probe is tried alone, and says what it sees or why it cannot', async ({ page, handler }) => {
  await fill(page, handler);
  const probe = page.getByTestId('check-probe');
  const sight = probe.getByTestId('check-sight');
  await probe.getByRole('button', { name: 'Try' }).click();
  await sight.getByText('It sees 0 effects of job_1.').waitFor();
  await page.getByRole('textbox', { name: 'Where the number is' }).fill('/nowhere');
  await probe.getByRole('button', { name: 'Try' }).click();
  await sight.getByText(/\/nowhere/).waitFor();
});

/** A handler that takes bodies and does nothing, not even answer. */
async function silent(): Promise<{ url: string; bodies: string[]; server: Server }> {
  const bodies: string[] = [];
  const server = createServer((request) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => bodies.push(body));
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, bodies, server };
}

test('the usual body is the one that is shown, and a check is stopped', async ({ page, onTestFinished }) => {
  const { url, bodies, server } = await silent();
  onTestFinished(() => void server.close());
  await fill(page, { url, effects: `${url}/{job_id}` });
  await page.getByText(/^More: /).click();
  const shown = await page.getByLabel('The usual body').textContent();
  await page.getByTestId('check-go').click();
  const sent = await until('a delivery came', () => bodies.find((body) => body.startsWith('{')));
  const plain = (body: string) =>
    body
      .replace(/("job_id":)"[^"]*"/, '$1""')
      .replace(/("artifacts":\[\{"type":"video","url":)"[^"]*"/, '$1""');
  expect(plain(sent)).toBe(plain(shown ?? ''));
  await page.getByTestId('check-stop').click();
  await verdict(page, 'Stopped');
  await page.getByTestId('check-go').waitFor();
});

test('what is missing is said, and a host that is not this machine is asked about', async ({
  page,
  served,
}) => {
  await go(page, 'Check');
  await page.getByTestId('check-go').click();
  await page.getByText(/^Give the URL of the handler/).waitFor();
  expect(
    await page.getByRole('textbox', { name: 'Target' }).evaluate((at) => at === document.activeElement),
  ).toBe(true);
  await fill(page, { url: 'http://192.0.2.1/hook', effects: 'http://127.0.0.1:9/{job_id}' });
  await page.getByTestId('check-go').click();
  const question = page.getByRole('dialog', { name: 'Check a handler at 192.0.2.1?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect((await rpc(served, 'check.runs', {})).checks).toEqual([]);
});

test('in the smallest window everything has its place', async ({ page, handler }) => {
  await page.setViewportSize({ width: 900, height: 600 });
  await fill(page, handler);
  await only(page, 'retry');
  await page.getByTestId('check-go').click();
  await verdict(page, 'Pass');
  await scenario(page, 'retry').getByRole('button').first().click();
  await page.getByTestId('check-timeline').waitFor();
  const sizes = await page.evaluate(() => {
    const of = (element: Element | null) => [
      (element?.scrollWidth ?? 0) - (element?.clientWidth ?? 0),
      element === document.documentElement ? element.scrollHeight - element.clientHeight : 0,
    ];
    return [document.documentElement, ...document.querySelectorAll('.result, .fields')].map(of);
  });
  for (const size of sizes) expect(size).toEqual([0, 0]);
});
