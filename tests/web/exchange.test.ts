import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { detail, fire, go, numbers, row } from '../support/pages';
import { bodyOf, deliver, postRaw, rpc, type Serving } from '../support/program';
import { test } from '../support/web';

/** Drags a file over the window as the system does, and says how to drop it. */
async function drag(page: Page, path: string): Promise<() => Promise<void>> {
  const chromium: CDPSession = await page.context().newCDPSession(page);
  const event = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    chromium.send('Input.dispatchDragEvent', {
      type,
      x: 640,
      y: 420,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });
  await event('dragEnter');
  await event('dragOver');
  return () => event('drop').then(() => undefined);
}

/** Writes a file beside the data. */
function written(served: Serving, name: string, content: string | Buffer): string {
  const path = join(served.folder, name);
  writeFileSync(path, content);
  return path;
}

function har(...requests: { url?: string; body?: string; headers?: [string, string][] }[]): string {
  const entries = requests.map(({ url = 'https://shop.example/hook?a=1', body = '{}', headers = [] }, n) => ({
    startedDateTime: `2026-11-29T11:00:0${n}.000Z`,
    time: 12,
    request: {
      method: 'POST',
      url,
      httpVersion: 'http/2.0',
      headers: headers.map(([name, value]) => ({ name, value })),
      postData: { mimeType: 'application/json', text: body },
    },
    response: { status: 200, headers: [], content: {} },
  }));
  return JSON.stringify({ log: { version: '1.2', entries } }, null, 2);
}

test('a HAR that is dropped is imported, marked, and claims nothing', async ({ page, served }) => {
  await deliver(served.listener, 'live');
  await row(page, 1).waitFor();
  await page.getByRole('textbox', { name: 'Filter' }).fill('job:live');
  await go(page, 'Settings');
  const twice: [string, string][] = [
    ['x-twice', 'a'],
    ['x-twice', 'b'],
  ];
  const path = written(
    served,
    'shop.har',
    har({ body: '{"job_id":"one"}', headers: twice }, { url: 'wss://shop.example/live' }, { body: 'two' }),
  );
  const drop = await drag(page, path);
  await page.getByTestId('drop').getByText('is imported').waitFor();
  await drop();
  // In the Inbox, with no filter that would hide it.
  await page.getByRole('main', { name: 'Inbox' }).waitFor();
  await page.getByText('2 deliveries imported from shop.har · 1 left out').waitFor();
  await page.getByText('Entry 2: its address is no http:// or https:// URL (wss:…)').waitFor();
  expect(await page.getByTestId('drop').count()).toBe(0);
  await expect.poll(() => numbers(page)).toEqual([3, 2, 1]);
  await row(page, 2).getByText('imported', { exact: true }).waitFor();
  await row(page, 2).getByText('unchecked', { exact: true }).waitFor();
  const shown = await detail(page, 2, 'Overview');
  await shown.getByRole('listitem').filter({ hasText: 'imported from shop.har' }).waitFor();
  const headers = await detail(page, 2, 'Headers');
  await headers.getByRole('row').filter({ hasText: 'x-twice' }).nth(1).waitFor();
  // The job is still there to be claimed.
  expect(await deliver(served.listener, 'one')).toBe(204);
  expect((await rpc(served, 'deliveries.show', { seq: 4 })).claim).toBe('won');
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByText('imported from shop.har ·').waitFor({ state: 'detached' });
});

test('a bad file says what is wrong with it, and nothing of it is there', async ({ page, served }) => {
  await deliver(served.listener, 'live');
  await row(page, 1).waitFor();
  const whole = har({}, {});
  await (
    await drag(page, written(served, 'cut.har', whole.slice(0, -9)))
  )();
  const alert = page.getByRole('alert').filter({ hasText: 'cut.har was not imported' });
  await alert.getByText(/not whole JSON: EOF .* at line \d+/).waitFor();
  expect(await numbers(page)).toEqual([1]);
});

test('c60_any_other_file_is_the_body_in_fire_byte_for_byte', async ({ page, served }) => {
  const bytes = Buffer.from([0x00, 0xff, 0x0d, 0x0a, 0x0d, 0x0a, 0x47, 0x45, 0x54, 0x20, 0x2f]);
  await (
    await drag(page, written(served, 'body.bin', bytes))
  )();
  await page.getByRole('main', { name: 'Fire' }).waitFor();
  await page.getByTestId('fire-body-origin').getByText('from body.bin, bytes kept').waitFor();
  await fire(page, 1);
  expect(await bodyOf(served, 1)).toEqual(bytes);
  // Over the editor too, which would take the text of it.
  const text = Buffer.from('{\r\n"job_id":"dropped"\r\n}');
  await (
    await drag(page, written(served, 'text.json', text))
  )();
  await page.getByTestId('fire-body-origin').getByText('from text.json, bytes kept').waitFor();
  await fire(page, 2);
  // Ten copies came of each run.
  expect(await bodyOf(served, 11)).toEqual(text);
});

test('what matches is exported, masked unless asked, and comes back by keyboard', async ({
  page,
  served,
}) => {
  await deliver(served.listener, 'other');
  for (const body of ['{"job_id":"kept"}', '{"job_id":"kept"}\r\n']) {
    await postRaw(`${served.listener}/hook`, ['Authorization', 'Bearer hush', 'X-A', '1', 'x-a', '2'], body);
  }
  await row(page, 3).waitFor();
  await page.getByRole('textbox', { name: 'Filter' }).fill('job:kept');
  await expect.poll(() => numbers(page)).toEqual([3, 2]);

  const save = async (format: 'HAR' | 'JSON lines', reveal: boolean) => {
    await page.getByRole('button', { name: 'Export and import' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Export what matches…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Export 2 deliveries' });
    await dialog.getByRole('radio', { name: format }).check({ force: true });
    if (reveal) await dialog.getByRole('switch').check();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    const file = await download;
    await dialog.waitFor({ state: 'detached' });
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };
  const masked = await save('HAR', false);
  expect(masked.name).toBe('deliveries.har');
  expect(masked.text).not.toContain('hush');
  expect((JSON.parse(masked.text) as { log: { entries: unknown[] } }).log.entries).toHaveLength(2);
  const lines = await save('JSON lines', true);
  expect(lines.name).toBe('deliveries.ndjson');
  expect(lines.text).toContain('hush');

  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Export and import' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Import a HAR or an export…' }).press('Enter');
  await (await chooser).setFiles(written(served, lines.name, lines.text));
  await page.getByText('2 deliveries imported from deliveries.ndjson').waitFor();
  await expect.poll(() => numbers(page)).toEqual([5, 4, 3, 2, 1]);
  const [was, is] = await Promise.all([3, 5].map((seq) => rpc(served, 'deliveries.show', { seq })));
  expect(is?.headers).toEqual(was?.headers);
  expect(is?.body_sha256).toBe(was?.body_sha256);
  expect(is?.received_at).toBe(was?.received_at);
});

test('one delivery is exported from its menu', async ({ page, served }) => {
  await deliver(served.listener, 'one');
  const shown = await detail(page, 1, 'Overview');
  await shown.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Export as HAR or JSON…' }).click();
  const download = page.waitForEvent('download');
  const dialog = page.getByRole('dialog', { name: 'Export #1' });
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  expect((await download).suggestedFilename()).toBe('delivery-1.har');
});

test('an empty Inbox offers the import too', async ({ page, served }) => {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import a file…' }).click();
  await (await chooser).setFiles(written(served, 'shop.har', har({})));
  await row(page, 1).waitFor();
  await page.getByText('1 delivery imported from shop.har').waitFor();
});
