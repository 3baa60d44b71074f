import { createHmac } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { addSecret, detail, go, row } from '../support/pages';
import { SECRET, post, rpc, signed } from '../support/program';
import { test } from '../support/web';

const OLD = 'the-secret-of-last-year';
const NEW = 'the-secret-of-this-year';

/** The headers that Sume would send, by another secret. */
function signedWith(secret: string, body: string): Record<string, string> {
  const at = Math.floor(Date.now() / 1000);
  const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return { ...signed(body, at), 'X-Sume-Signature': `v1=${digest}` };
}

/** The secrets of the scheme in use, in their order, as the page lists them. */
const listed = (page: Page) =>
  page
    .getByTestId('secrets-sume')
    .getByTestId('secret-row')
    .evaluateAll((rows) => rows.map((one) => one.querySelector('code')?.textContent));

/** Tries a delivery with a secret that is typed. */
async function tryTyped(shown: Locator, secret: string): Promise<Locator> {
  await shown.getByRole('textbox', { name: 'Secret to try' }).fill(secret);
  await shown.getByRole('button', { name: 'Try it' }).click();
  return shown.getByTestId('trial-verdict');
}

test('c20_c21_a_second_secret_signs_and_the_older_one_verifies_still_and_is_named', async ({
  page,
  served,
}) => {
  await go(page, 'Settings');
  await addSecret(page, 'old-2025', OLD);
  await addSecret(page, 'new-2026', NEW);
  expect(await listed(page)).toEqual(['new-2026', 'old-2025']);
  const banner = page.getByRole('banner');
  await banner.getByText('new-2026').waitFor();
  await banner.getByText('+1', { exact: true }).waitFor();

  const hook = `${served.listener}/hook`;
  const body = '{"job_id":"rotated"}';
  expect(await post(hook, body, signedWith(OLD, body))).toBe(204);
  // What the program was started with is set aside.
  expect(await post(hook, body, signedWith(SECRET, body))).toBe(401);
  await go(page, 'Inbox');
  const overview = await detail(page, 1, 'Overview');
  await overview.getByText('by the secret old-2025').waitFor();
  const signature = await detail(page, 1, 'Signature');
  await signature.getByText('It matches the secret old-2025.').waitFor();

  await go(page, 'Settings');
  await page.getByRole('button', { name: 'Sign with old-2025' }).click();
  await page.getByText('old-2025 signs now.').waitFor();
  expect(await listed(page)).toEqual(['old-2025', 'new-2026']);
  await rpc(served, 'sample.fire', {});
  await expect
    .poll(async () => (await rpc(served, 'deliveries.show', { seq: 3 })).signature)
    .toMatchObject({ state: 'valid', secret: 'old-2025' });

  await page.getByRole('button', { name: 'Take out old-2025' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Take out' }).click();
  await page.getByText('old-2025 is taken out.').waitFor();
  expect(await listed(page)).toEqual(['new-2026']);
  expect(await post(hook, body, signedWith(OLD, body))).toBe(401);
  // What was judged at receipt stays.
  expect((await rpc(served, 'deliveries.show', { seq: 1 })).signature).toMatchObject({ state: 'valid' });
});

test('a trial with a typed secret says whether it fits, and leaves what was judged', async ({
  page,
  served,
}) => {
  const body = '{"job_id":"tried"}';
  await post(`${served.listener}/hook`, body, signedWith(OLD, body));
  const shown = await detail(page, 1, 'Signature');
  const wrong = await tryTyped(shown, 'another');
  await wrong.getByText('Tried: The signature does not match this body').waitFor();
  const right = await tryTyped(shown, OLD);
  await right.getByText('Tried: The signature matches').waitFor();
  await right.getByText('What was judged at receipt stays.').waitFor();
  await shown.getByTestId('signature-verdict').first().getByText('does not match this body').waitFor();
  await row(page, 1).getByText('invalid', { exact: true }).waitFor();
  expect((await rpc(served, 'deliveries.show', { seq: 1 })).signature.state).toBe('invalid');
  expect((await rpc(served, 'app.state', {})).secrets.map(({ name }) => name)).toEqual(['HOOK_SECRET']);

  // The typed one does not outlive its tab, its delivery or its page.
  const field = shown.getByRole('textbox', { name: 'Secret to try' });
  await shown.getByRole('tab', { name: 'Overview' }).click();
  await shown.getByRole('tab', { name: 'Signature' }).click();
  expect(await field.inputValue()).toBe('');
  await field.fill(OLD);
  await go(page, 'Settings');
  await go(page, 'Inbox');
  expect(await field.inputValue()).toBe('');
});

test('another scheme whose header came is offered, and fits with the secret in use', async ({
  page,
  served,
}) => {
  const body = '{"job_id":"hub"}';
  const digest = createHmac('sha256', SECRET).update(body).digest('hex');
  await post(`${served.listener}/hook`, body, { 'X-Hub-Signature-256': `sha256=${digest}` });
  const shown = await detail(page, 1, 'Signature');
  const scheme = shown.getByRole('combobox', { name: 'Scheme' });
  await expect.poll(() => scheme.inputValue()).toBe('github');
  await shown.getByRole('combobox', { name: 'Secret' }).selectOption('in-use');
  await shown.getByRole('button', { name: 'Try it' }).click();
  await shown.getByTestId('trial-verdict').getByText('Tried: The signature matches').waitFor();
  await shown.getByTestId('signature-verdict').first().getByText('There is no signature').waitFor();
});

test('sixteen secrets and one with a long name fit, and a seventeenth is refused', async ({
  page,
  served,
}) => {
  const long = `rotated-${'and-rotated-again-'.repeat(12)}2026`;
  for (let n = 0; n < 15; n += 1) {
    await rpc(served, 'secret.set', { scheme: 'sume', name: `s${n}`, secret: `secret ${n}` });
  }
  await rpc(served, 'secret.set', { scheme: 'sume', name: long, secret: 'long' });
  await go(page, 'Settings');
  await expect.poll(() => listed(page).then((names) => names.length)).toBe(16);
  expect((await listed(page))[0]).toBe(long);
  for (const width of [1280, 900]) {
    await page.setViewportSize({ width, height: 600 });
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('main, header, [data-testid^=secrets-]')]
        .filter((one) => one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.tagName),
    );
    expect(wide, `${width} wide`).toEqual([]);
    // The frame stands still whatever is scrolled into view.
    const root = await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
    expect(root, `${width} wide`).toBe(0);
  }
  const form = page.getByRole('form', { name: 'Add one' });
  await form.getByRole('textbox', { name: 'Name' }).fill('more');
  await form.getByRole('textbox', { name: 'Secret', exact: true }).fill('more');
  await form.getByRole('button', { name: 'Add the secret' }).click();
  await form.getByRole('alert').filter({ hasText: '16 secrets' }).waitFor();
});

describe('a scheme that signs something after the body', () => {
  const custom = {
    signed: '{timestamp}\n{body}\u200b|{path} ',
    signature_header: 'X-Acme-Signature',
    timestamp: { kind: 'header' as const, name: 'X-Acme-Time' },
    id_header: '',
    algorithm: 'sha256' as const,
    encoding: 'hex' as const,
    prefix: '',
    separator: ',',
    secret: 'text' as const,
  };
  test.override('settings', {
    listen: { scheme: 'custom' },
    schemes: { custom },
  });

  test('shows it after the body, with what cannot be seen', async ({ page, served }) => {
    const at = String(Math.floor(Date.now() / 1000));
    const body = '{"job_id":"acme"}\r\n';
    const text = `${at}\n${body}\u200b|/hook `;
    const digest = createHmac('sha256', SECRET).update(text).digest('hex');
    const headers = { 'X-Acme-Signature': digest, 'X-Acme-Time': at };
    expect(await post(`${served.listener}/hook`, body, headers)).toBe(204);
    const shown = await detail(page, 1, 'Signature');
    const signedText = shown.getByLabel('Signed text');
    await signedText.waitFor();
    expect(await signedText.textContent()).toBe(text);
    const marks = await signedText
      .locator('[data-mark]')
      .evaluateAll((found) => found.map((one) => one.getAttribute('data-mark')));
    expect(marks).toEqual(['LF', 'CRLF', 'U+200B', 'SP']);
  });
});
