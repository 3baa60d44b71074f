import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { listen } from '../support/listen';
import { addSecret, go } from '../support/pages';
import { SECRET, deliver, post, rpc } from '../support/program';
import { test } from '../support/web';

/** A port that something else holds. */
async function takenPort(): Promise<{ port: number; server: Server }> {
  const server = createServer();
  return { port: await listen(server), server };
}

/** The URL that the frame shows. */
const shownUrl = (page: Page) => page.getByTestId('listener-url').textContent();

test('the responder is changed, and the next delivery is answered by it', async ({ page, served }) => {
  await go(page, 'Settings');
  await page.getByRole('radiogroup', { name: 'Responder' }).getByText('A status').click();
  await page.getByRole('textbox', { name: 'Status' }).fill('503');
  await page.getByRole('button', { name: 'Save: Responder' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await deliver(served.listener, 'a')).toBe(503);
  await page.getByRole('banner').getByText('status 503').waitFor();
  const kept = JSON.parse(readFileSync(join(served.folder, 'settings.json'), 'utf8')) as {
    listen: { responder: unknown };
  };
  expect(kept.listen.responder).toEqual({ kind: 'status', code: 503 });
});

test('c77_a_port_in_use_is_said_and_another_can_be_chosen', async ({ page, onTestFinished }) => {
  const { port, server } = await takenPort();
  onTestFinished(() => void server.close());
  await go(page, 'Settings');
  await page.getByRole('textbox', { name: 'Port' }).fill(String(port));
  await page.getByRole('button', { name: 'Save: Listener' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: String(port) })
    .first()
    .waitFor();

  await page.getByRole('textbox', { name: 'Port' }).fill('0');
  await page.getByRole('button', { name: 'Save: Listener' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await expect.poll(() => shownUrl(page)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await deliver((await shownUrl(page)) ?? '', 'a')).toBe(204);
});

describe('a port in use at the start', () => {
  test.override('listenPort', async ({}, { onCleanup }) => {
    const { port, server } = await takenPort();
    onCleanup(() => void server.close());
    return port;
  });

  test('c77_the_page_opens_and_says_so', async ({ page, listenPort }) => {
    const notice = page.getByRole('alert').filter({ hasText: 'The listener could not be started' });
    await notice.filter({ hasText: String(listenPort) }).waitFor();
    expect(await page.getByTestId('listener').innerText()).toContain('Not listening');
    await page.getByText('The listener is not running').waitFor();
  });
});

test('the listener is stopped and started', async ({ page, served }) => {
  await go(page, 'Settings');
  await page.getByTestId('listener-state').getByRole('button', { name: 'Stop' }).click();
  await page.getByTestId('listener').getByText('Stopped').waitFor();
  await expect(deliver(served.listener, 'a')).rejects.toThrow();
  await page.getByTestId('listener').getByRole('button', { name: 'Start' }).click();
  await page.getByTestId('listener').getByText('Listening').waitFor();
  expect(await deliver((await shownUrl(page)) ?? '', 'a')).toBe(204);
});

test('a secret goes one way only', async ({ page, served }) => {
  const secret = 'whsec-seen-by-nobody-7f3a';
  const answers: Promise<string>[] = [];
  page.on('response', (answer) => {
    // The stream of events never ends.
    if (!answer.url().includes('/events')) answers.push(answer.text().catch(() => ''));
  });
  await go(page, 'Settings');
  await addSecret(page, 'mine', secret);
  await page.getByTestId('secrets-sume').getByText('mine', { exact: true }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Secret', exact: true }).inputValue()).toBe('');

  // It is in use: what another one signed is refused, what the page fires is not.
  expect(await deliver(served.listener, 'other')).toBe(401);
  await rpc(served, 'sample.fire', {});
  await expect
    .poll(() => rpc(served, 'claims.list', { offset: 0, limit: 1 }).then(({ total }) => total))
    .toBe(1);

  for (const name of ['Inbox', 'Fire', 'Claims', 'Demo', 'Settings'] as const) {
    await go(page, name);
    expect(await page.content(), name).not.toContain(secret);
  }
  const said = await Promise.all(answers);
  expect(said.length).toBeGreaterThan(3);
  expect(said.filter((text) => text.includes(secret))).toEqual([]);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(secret);
  await page.goto('about:blank');
  served.process.kill('SIGTERM');
  await expect.poll(() => served.process.exitCode).toBe(0);
  for (const file of readdirSync(served.folder, { recursive: true, withFileTypes: true })) {
    if (file.isFile())
      expect(readFileSync(join(file.parentPath, file.name)).includes(secret), file.name).toBe(false);
  }
});

test('another scheme is chosen: its deliveries are taken, and those of the one before are not', async ({
  page,
  served,
}) => {
  await go(page, 'Settings');
  await page.getByRole('combobox', { name: 'Scheme' }).selectOption({ label: 'GitHub' });
  await page.getByText('X-Hub-Signature-256').waitFor();
  await page.getByRole('button', { name: 'Save: Scheme' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('banner').getByText('github').waitFor();

  expect(await deliver(served.listener, 'sume')).toBe(401);
  const body = '{"job_id":"hub"}';
  const digest = createHmac('sha256', SECRET).update(body).digest('hex');
  expect(await post(served.listener, body, { 'X-Hub-Signature-256': `sha256=${digest}` })).toBe(204);
  const { total } = await rpc(served, 'claims.list', { offset: 0, limit: 1 });
  expect(total).toBe(1);

  for (const name of ['Fire', 'Check'] as const) {
    await go(page, name);
    await page.getByTestId(`${name.toLowerCase()}-secret`).getByText('github').waitFor();
  }
});

test('a scheme of one’s own is described, and holds at once', async ({ page, served }) => {
  await go(page, 'Settings');
  await page.getByRole('combobox', { name: 'Scheme' }).selectOption({ label: 'Custom' });
  const signed = page.getByRole('textbox', { name: 'What is signed' });
  await signed.fill('{method}');
  await page.getByText('Without {body} anybody could change it.').waitFor();
  expect(await page.getByRole('button', { name: 'Save: Scheme' }).isDisabled()).toBe(true);
  await signed.fill(String.raw`{method} {path}?{query}\n{body}`);
  await page.getByRole('textbox', { name: 'Signature header' }).fill('X-Acme-Signature');
  await page.getByRole('combobox', { name: 'Timestamp' }).selectOption({ label: 'not signed' });
  await page.getByRole('combobox', { name: 'Digest written in' }).selectOption({ label: 'base64' });
  await page.getByRole('textbox', { name: 'Prefix' }).fill('s1=');
  await page.getByRole('button', { name: 'Save: Scheme' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();

  const body = '{"job_id":"acme"}';
  const digest = (target: string) =>
    createHmac('sha256', SECRET).update(`POST ${target}\n${body}`).digest('base64');
  const send = (target: string, of = target) =>
    post(served.listener + target, body, { 'X-Acme-Signature': `s1=${digest(of)}` });
  expect(await send('/hook?x=1')).toBe(204);
  expect(await send('/hook?x=2', '/hook?x=1')).toBe(401);
});

test('what cannot be a scheme is refused by the engine too, and nothing changes', async ({ served }) => {
  const { settings } = await rpc(served, 'app.state', {});
  const { sume, custom } = settings.schemes;
  // The custom scheme is not the one in use.
  const bodiless = { ...settings, schemes: { sume, custom: { ...custom, signed: '{timestamp}' } } };
  await expect(rpc(served, 'settings.set', bodiless)).rejects.toThrow(/has no {body}/);
  const nameless = { ...settings, schemes: { sume: { ...sume, signature_header: 'X S' }, custom } };
  await expect(rpc(served, 'settings.set', nameless)).rejects.toThrow(/Sume's signature header is/);
  const unknown = { ...settings, listen: { ...settings.listen, scheme: 'strip' } };
  await expect(rpc(served, 'settings.set', unknown)).rejects.toThrow(/no scheme `strip`.*stripe/);
  expect((await rpc(served, 'app.state', {})).settings).toEqual(settings);
});

test('the theme is chosen and stays', async ({ page }) => {
  await go(page, 'Settings');
  const theme = () => page.evaluate(() => document.documentElement.dataset['theme']);
  await page.getByRole('radiogroup', { name: 'Theme' }).getByText('Dark').click();
  expect(await theme()).toBe('dark');
  await page.reload();
  expect(await theme()).toBe('dark');
  await go(page, 'Settings');
  await page.getByRole('radiogroup', { name: 'Theme' }).getByText('As the system').click();
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(theme).toBe('light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(theme).toBe('dark');
});
