import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { handler } from '../support/handlers';
import { listen } from '../support/listen';
import { fire, go, numbers, row } from '../support/pages';
import { bodyOf, deliver, rpc } from '../support/program';
import { test } from '../support/web';

test('c07_the_line_ends_that_are_shown_are_the_ones_that_are_signed_and_sent', async ({ page, served }) => {
  const text = '{\r\n"job_id":"a1"\r\n}';
  const ends = page.getByTestId('fire-line-end');
  const fired = async (seq: number) => {
    await fire(page, seq);
    expect((await rpc(served, 'deliveries.show', { seq })).signature.state).toBe('valid');
    return (await bodyOf(served, seq)).toString();
  };
  await go(page, 'Fire');
  await page.getByRole('radiogroup', { name: 'How' }).getByText('once', { exact: true }).click();

  // From a file: byte for byte.
  const file = { name: 'body.json', mimeType: 'application/json', buffer: Buffer.from(text) };
  await page.getByLabel('A file to fire').setInputFiles(file);
  await page.getByTestId('fire-body-origin').getByText('bytes kept').waitFor();
  expect(await ends.inputValue()).toBe('CRLF');
  expect(await fired(1)).toBe(text);

  // Pasted: what the editor makes of it is what it says.
  const editor = page.getByRole('textbox', { name: 'Body' });
  await page.evaluate((pasted) => navigator.clipboard.writeText(pasted), text);
  await editor.press('Control+a');
  await editor.press('Control+v');
  await editor.getByText('a1').waitFor();
  const shown = await ends.inputValue();
  expect(['LF', 'CRLF']).toContain(shown);
  expect(await fired(2)).toBe(shown === 'LF' ? text.replaceAll('\r\n', '\n') : text);

  // And it can be chosen.
  await ends.selectOption(shown === 'LF' ? 'CRLF' : 'LF');
  expect(await fired(3)).toBe(shown === 'LF' ? text : text.replaceAll('\r\n', '\n'));
});

test('c38_a_check_names_the_effect_before_the_failure_and_says_what_helps', async ({
  page,
  onTestFinished,
}) => {
  const early = await handler('python_effect_first.py');
  onTestFinished(() => early.stop());
  await go(page, 'Check');
  await page.getByRole('textbox', { name: 'Target' }).fill(early.url);
  await page.getByTestId('check-add-probe').click();
  await page.getByRole('menuitem', { name: /^URL/ }).click();
  await page.getByRole('textbox', { name: 'URL, with {job_id}' }).fill(early.effects);
  await page.getByRole('textbox', { name: 'Where the number is' }).fill('/count');
  await page.getByText(/^Scenarios: /).click();
  await page.getByRole('button', { name: 'Only the first' }).click();
  await page.getByRole('checkbox', { name: /^work-fails / }).check();
  await page.getByTestId('check-go').click();
  await page.getByTestId('check-verdict').filter({ hasText: 'Fail' }).waitFor({ timeout: 45_000 });
  const detail = page.getByRole('region', { name: 'work-fails' });
  await detail.getByText(/^2, expected 1$/).waitFor();
  const scenario = page.locator('[data-testid="scenario"][data-id="work-fails"]');
  expect(await scenario.innerText()).toContain('The effect was kept although the delivery failed');
  expect(await detail.getByTestId('check-advice').innerText()).toMatch(/transaction/i);
});

test('c85_after_a_sleep_the_listener_takes_what_comes_the_page_goes_on_and_nothing_bursts', async ({
  page,
  served,
  onTestFinished,
}) => {
  const attempts: number[] = [];
  const failing = createServer((request, response) => {
    attempts.push(Date.now());
    request.resume();
    response.writeHead(503).end();
  });
  onTestFinished(() => void failing.close());
  const target = `http://127.0.0.1:${await listen(failing)}/hook`;
  await go(page, 'Fire');
  await page.getByRole('textbox', { name: 'Target' }).fill(target);
  await page.getByRole('radiogroup', { name: 'How' }).getByText('Sume’s ten').click();
  await page.getByRole('textbox', { name: 'Gap' }).fill('1s');
  await page.getByTestId('fire-go').click();
  await expect.poll(() => attempts.length).toBe(2);

  served.process.kill('SIGSTOP');
  const during = deliver(served.listener, 'job_1');
  await new Promise((done) => setTimeout(done, 5000));
  const woken = Date.now();
  served.process.kill('SIGCONT');
  expect(await during).toBe(204);
  await expect.poll(() => attempts.length).toBeGreaterThanOrEqual(4);
  const after = attempts.filter((at) => at >= woken);
  // One that was due, and the next a whole gap later.
  expect((after[1] ?? NaN) - (after[0] ?? NaN)).toBeGreaterThan(900);

  await go(page, 'Inbox');
  await row(page, 1).getByText('valid', { exact: true }).waitFor();
  const { received_at } = await rpc(served, 'deliveries.show', { seq: 1 });
  expect(Date.parse(received_at)).toBeGreaterThanOrEqual(woken - 50);
  expect(await deliver(served.listener, 'job_1')).toBe(204);
  await row(page, 2).getByText('duplicate of #1').waitFor();
});

/** Says to the page that nobody sees it, or that somebody does: what a browser says of a window behind others. */
function setHidden(page: Page, hidden: boolean): Promise<void> {
  return page.evaluate((now) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => now });
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (now ? 'hidden' : 'visible'),
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

test('c88_a_page_that_nobody_sees_asks_nothing_and_catches_up_once', async ({ page, served }) => {
  await page.getByText('Waiting for the first delivery').waitFor();
  await setHidden(page, true);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/rpc')) asked.push((request.postDataJSON() as { command: string }).command);
  });
  for (let n = 1; n <= 100; n += 1) await deliver(served.listener, `job_${n}`);
  // The page has heard of the last: its stream is read all the same.
  await page.waitForTimeout(1000);
  expect(asked).toEqual([]);

  await setHidden(page, false);
  await expect.poll(() => page.getByTestId('count-inbox').textContent()).toBe('100');
  await row(page, 100).waitFor();
  const shown = await numbers(page);
  expect(shown).toEqual([...shown].sort((a, b) => b - a));
  await page.waitForTimeout(600);
  expect(asked.filter((command) => command === 'deliveries.list').length).toBeLessThanOrEqual(2);
  expect(asked.filter((command) => command === 'deliveries.counts').length).toBeLessThanOrEqual(2);
});
