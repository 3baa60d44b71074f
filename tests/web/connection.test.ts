import { describe, expect } from 'vitest';
import { open } from '../support/chromium';
import { go, row } from '../support/pages';
import { dataFolder, deliver, serve } from '../support/program';
import { test } from '../support/web';

test('a reload keeps the page, and events go on', async ({ page, served }) => {
  await deliver(served.listener, 'a');
  await row(page, 1).waitFor();
  await go(page, 'Claims');
  await page.reload();
  await page.getByRole('main', { name: 'Claims' }).waitFor();
  await go(page, 'Inbox');
  await row(page, 1).waitFor();
  await deliver(served.listener, 'a');
  await row(page, 2).getByText('duplicate of #1').waitFor();
});

describe('a part of the pages does not come', () => {
  test.override('allowed', [/net::ERR_FAILED/]);

  test('it is said, and tried again', async ({ page }) => {
    const LATER = '**/assets/{Claims,Palette}-*.js';
    await page.route(LATER, (route) => route.abort());
    const said = (title: string) => page.getByRole('alert').filter({ hasText: title });
    await go(page, 'Claims');
    await said('This page could not be loaded').waitFor();
    await page.keyboard.press('Control+k');
    await said('The commands could not be loaded').waitFor();
    // The keys of the pages are not taken by what is not there.
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('main', { name: 'Inbox' }).waitFor();

    await page.unroute(LATER);
    await said('The commands').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
    await said('The commands').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await go(page, 'Claims');
    await said('This page').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Nothing is claimed').waitFor();
  });

  test('what comes by itself in the end is missing no more', async ({ page }) => {
    // What is loaded a moment after the start is loaded when the test says so.
    await page.addInitScript(() => {
      const held: (() => void)[] = [];
      const timer = window.setTimeout.bind(window);
      Object.assign(window, {
        release: () => held.forEach((run) => run()),
        setTimeout: (run: () => void, ms?: number) => (ms === 500 ? held.push(run) : timer(run, ms)),
      });
    });
    const PALETTE = '**/assets/Palette-*.js';
    await page.route(PALETTE, (route) => route.abort());
    await page.reload();
    await page.getByRole('main', { name: 'Inbox' }).waitFor();
    const alert = page.getByRole('alert').filter({ hasText: 'The commands could not be loaded' });
    await page.keyboard.press('Control+k');
    await alert.waitFor();
    await page.unroute(PALETTE);
    await page.evaluate('release()');
    await alert.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  });

  test('nor the detail: the row stays selected, and Enter enters what came in the end', async ({
    page,
    served,
  }) => {
    await deliver(served.listener, 'a');
    const DETAIL = '**/assets/Detail-*.js';
    await page.route(DETAIL, (route) => route.abort());
    await row(page, 1).click();
    const alert = page.getByRole('alert').filter({ hasText: 'The detail could not be loaded' });
    await alert.waitFor();
    await page.unroute(DETAIL);
    await alert.getByRole('button', { name: 'Try again' }).click();
    const detail = page.getByRole('region', { name: 'Delivery #1', exact: true });
    await detail.waitFor();
    await row(page, 1).click();
    await page.keyboard.press('Enter');
    const tab = detail.getByRole('tab', { name: 'Overview' });
    await expect.poll(() => tab.evaluate((one) => one === document.activeElement)).toBe(true);
  });
});

test('what is long on its way is said to be: the list, and a page', async ({ page, served }) => {
  await deliver(served.listener, 'a');
  await row(page, 1).waitFor();
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  // What the page asks first has the list in it too.
  const isList = (body: string | null) => /"(deliveries\.list|app\.first)"/.test(body ?? '');
  await page.route('**/rpc', async (route) => {
    if (isList(route.request().postData())) await held;
    await route.continue();
  });
  const CLAIMS = '**/assets/Claims-*.js';
  await page.route(CLAIMS, async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await page.getByText('Waiting for the deliveries').waitFor();
  await go(page, 'Claims');
  await page.getByText('Waiting for this page').waitFor();
  answer();
  await page.getByRole('table', { name: 'Claims, newest first' }).waitFor();
  await go(page, 'Inbox');
  await row(page, 1).waitFor();
  expect(await page.getByText('Waiting for').count()).toBe(0);
});

describe('the program is started again', () => {
  test('the page says that it is gone, and goes on with the next one', async ({
    browser,
    onTestFinished,
  }) => {
    const folder = dataFolder();
    onTestFinished(() => folder.remove());
    const first = await serve({ folder: folder.path });
    const page = await open(browser, first.page);
    onTestFinished(() => page.context().close());
    await deliver(first.listener, 'a');
    await row(page, 1).waitFor();

    await first.stop('SIGKILL');
    await page.getByText('reconnecting…').waitFor();
    await page.getByRole('alert').filter({ hasText: 'hooktwice serve' }).waitFor();

    const [port, listenPort] = [first.page, first.listener].map((url) => Number(new URL(url).port));
    const second = await serve({ folder: folder.path, port: port ?? 0, listenPort: listenPort ?? 0 });
    onTestFinished(() => second.stop());
    // A new start has a new token, and the page says where to get it.
    await page.getByText('This page has no valid token.').waitFor();
    const newly = await page.context().newPage();
    await newly.goto(second.page);
    await newly.close();
    await page.getByText('reconnecting…').waitFor({ state: 'detached' });
    await page.getByText('This page has no valid token.').waitFor({ state: 'detached' });
    expect(await deliver(second.listener, 'a')).toBe(204);
    await row(page, 2).getByText('duplicate of #1').waitFor();
  });
});
