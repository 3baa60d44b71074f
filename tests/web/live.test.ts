import { createServer } from 'node:http';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { listen } from '../support/listen';
import { detail, go } from '../support/pages';
import { deliver, post, rpc } from '../support/program';
import { test } from '../support/web';

/** A real program between the public URL and the listener. */
const RELAY = `exec node ${resolve(import.meta.dirname, '../support/relay.mjs')} {port}`;

const pill = (page: Page) => page.getByTestId('tunnel');
const state = (page: Page, word: string) =>
  page.locator(`[data-testid="tunnel"][data-state="${word}"]`).waitFor();

async function setCommand(page: Page, command: string): Promise<void> {
  await go(page, 'Settings');
  await page.getByRole('combobox', { name: 'Tunnel through' }).selectOption('command');
  await page.getByRole('textbox', { name: 'Command' }).fill(command);
  await page.getByRole('textbox', { name: 'Path of the handler' }).fill('/webhooks/sume?team=7');
  await page.getByRole('button', { name: 'Save: Tunnel' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
}

describe('the tunnel', () => {
  test('is started after its command was shown, proven, copied with the path, and stopped', async ({
    page,
    served,
  }) => {
    await setCommand(page, RELAY);
    await pill(page).getByRole('button', { name: 'Tunnel: off' }).click();
    const panel = page.getByRole('dialog', { name: 'Tunnel' });
    await panel.getByLabel('The command that would run').getByText('relay.mjs').waitFor();
    await panel.getByRole('button', { name: 'Start the tunnel' }).click();
    await state(page, 'live');
    await page.keyboard.press('Escape');
    await pill(page).getByRole('button', { name: 'Copy the public URL' }).click();
    const url = await page.evaluate(() => navigator.clipboard.readText());
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhooks\/sume\?team=7$/);
    // What comes through it is a delivery like any other; the proof was none.
    const body = '{"event":"job.completed","job_id":"job_1"}';
    expect(await post(url, body)).toBe(204);
    const { rows } = await rpc(served, 'deliveries.list', { filter: '', limit: 9, before: null, offset: 0 });
    expect(rows.map(({ path, query }) => `${path}?${query}`)).toEqual(['/webhooks/sume?team=7']);

    await go(page, 'Sume');
    expect(await page.getByRole('textbox', { name: 'To' }).inputValue()).toBe(url);
    await pill(page)
      .getByRole('button', { name: /^Tunnel: live/ })
      .click();
    await panel.getByRole('button', { name: 'Stop the tunnel' }).click();
    await state(page, 'off');
  });

  test('that goes away says why, with its last lines, and counts down', async ({ page }) => {
    await setCommand(page, 'echo no account is known >&2; exit 3');
    await pill(page).getByRole('button', { name: 'Tunnel: off' }).click();
    const panel = page.getByRole('dialog', { name: 'Tunnel' });
    await panel.getByRole('button', { name: 'Start the tunnel' }).click();
    await panel.getByText('no account is known').waitFor();
    await expect.poll(() => pill(page).innerText()).toMatch(/again in \d+ s|failed/);
    expect(await pill(page).evaluate((found) => found.scrollWidth <= found.clientWidth)).toBe(true);
  });

  test('fits into a narrow window in every state', async ({ page }) => {
    await page.setViewportSize({ width: 900, height: 600 });
    await setCommand(page, RELAY);
    await pill(page).getByRole('button', { name: 'Tunnel: off' }).click();
    await page.getByRole('button', { name: 'Start the tunnel' }).click();
    await state(page, 'live');
    const strip = page.getByRole('banner');
    expect(await strip.evaluate((found) => found.scrollWidth <= found.clientWidth)).toBe(true);
    const boxes = await strip
      .locator('> *')
      .evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
      );
    for (const [at, box] of boxes.entries())
      expect(box.left, `part ${at}`).toBeGreaterThanOrEqual((boxes[at - 1]?.right ?? 0) - 0.5);
  });
});

test('a delivery is forwarded, and both answers are shown', async ({ page, served, onTestFinished }) => {
  const bodies: string[] = [];
  const handler = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(202).end('taken');
    });
  });
  onTestFinished(() => void handler.close());
  const target = `http://127.0.0.1:${await listen(handler)}`;

  await go(page, 'Settings');
  await page.getByRole('radiogroup', { name: 'Responder' }).getByText('Forward').click();
  await page.getByRole('textbox', { name: 'Forward to' }).fill(target);
  await page.getByRole('textbox', { name: 'Copies' }).fill('2');
  await page.getByRole('button', { name: 'Save: Responder' }).click();
  await page
    .getByRole('banner')
    .getByText(/forward to 127\.0\.0\.1:\d+, 2 at once/)
    .waitFor();
  expect(await deliver(served.listener, 'job_1')).toBe(202);
  await expect.poll(() => bodies.length).toBe(2);
  expect(new Set(bodies).size).toBe(1);

  await go(page, 'Inbox');
  const shown = await detail(page, 1, 'Response');
  const forwarded = shown.getByTestId('forwarded');
  await forwarded.getByText(target).waitFor();
  expect(await forwarded.getByRole('row').filter({ hasText: '202' }).count()).toBe(2);
});

describe('a handler that is down', () => {
  test('is said in the record, and the sender gets 502', async ({ page, served }) => {
    const { settings } = await rpc(served, 'app.state', {});
    const forward = { ...settings.listen.forward, url: 'http://127.0.0.1:9' };
    await rpc(served, 'settings.set', {
      ...settings,
      listen: { ...settings.listen, responder: { kind: 'forward' }, forward },
    });
    expect(await deliver(served.listener, 'job_1')).toBe(502);
    const shown = await detail(page, 1, 'Response');
    await shown.getByRole('alert').filter({ hasText: '127.0.0.1:9' }).waitFor();
  });
});

describe('Sume’s schedule', () => {
  test.override('settings', { listen: { fail_first: 2 } });

  test('delivers until a 2xx, at a time scale, and the job is laid over it', async ({ page, served }) => {
    await go(page, 'Fire');
    await page.getByRole('radiogroup', { name: 'How' }).getByText('Sume’s ten').click();
    await page.getByRole('textbox', { name: 'Time scale' }).fill('100');
    // Five seconds as it goes, so that a busy machine is no timeout.
    await page.getByRole('textbox', { name: 'Timeout' }).fill('500 s');
    await page.getByTestId('fire-go').click();
    const sentence = page.getByTestId('deliver-sentence');
    await sentence.filter({ hasText: 'Attempt 3 of 10 was answered 204' }).waitFor();
    // Three attempts, and what a Redeliver would add.
    const lanes = page.getByTestId('schedule').getByTestId('lane');
    expect(await lanes.evaluateAll((all) => all.map((lane) => lane.getAttribute('data-attempt')))).toEqual([
      '1',
      '2',
      '3',
      '+1',
    ]);
    await page.getByTestId('schedule').focus();
    await page.keyboard.press('ArrowDown');
    await page
      .getByText(/^Attempt 1/)
      .last()
      .waitFor();

    const [report] = (await rpc(served, 'deliver.runs', {})).reports;
    expect(report?.attempts.map(({ status }) => status)).toEqual([500, 500, 204]);
    await go(page, 'Inbox');
    const shown = await detail(page, 3, 'Job');
    await shown.getByTestId('job-standing').waitFor();
    expect(await shown.getByTestId('job-schedule').getByTestId('lane').count()).toBe(3);
  });

  test('is stopped while a gap passes', async ({ page }) => {
    await go(page, 'Fire');
    await page.getByRole('radiogroup', { name: 'How' }).getByText('Sume’s ten').click();
    await page.getByTestId('fire-go').click();
    await page
      .getByTestId('deliver-next')
      .filter({ hasText: /^Attempt 2 in (30|29) s$/ })
      .waitFor();
    await page.getByTestId('fire-stop').click();
    await page.getByTestId('deliver-sentence').filter({ hasText: 'Stopped after 1 attempt of 10' }).waitFor();
  });
});
