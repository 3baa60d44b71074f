import type { Browser, Page } from 'playwright-core';
import { expect, test as base } from 'vitest';
import { launch, open } from './chromium';
import { serve, type Serving, type SettingsFile } from './program';

/** Keeps a picture of a page whose test failed. */
async function keep(page: Page, name: string): Promise<void> {
  const path = `test-results/${name.replaceAll(/\W+/g, '-')}.png`;
  await page.screenshot({ path }).catch(() => undefined);
}

/**
 * A test with `hooktwice serve` over a fresh data folder and its pages in Chromium. What the page itself got wrong (an
 * error, a line in its console, a break of its content security policy) fails the test.
 */
export const test = base
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }): Promise<Browser> => {
    const browser = await launch();
    onCleanup(() => browser.close());
    return browser;
  })
  /** What `settings.json` says at the start: `test.override('settings', …)`. */
  .extend('settings', (): SettingsFile => ({}))
  /** Where the listener is to listen; 0 is any free port. */
  .extend('listenPort', (): number => 0)
  /** What the page itself may get wrong in this test. */
  .extend('allowed', (): RegExp[] => [])
  .extend('served', async ({ settings, listenPort }, { onCleanup }): Promise<Serving> => {
    const served = await serve({ settings, listenPort });
    onCleanup(() => served.stop());
    return served;
  })
  .extend('page', async ({ browser, served, allowed, task }, { onCleanup }): Promise<Page> => {
    const page = await open(browser, served.page);
    onCleanup(async () => {
      if (task.result?.state === 'fail') await keep(page, task.name);
      await page.context().close();
      expect(page.faults.filter((fault) => !allowed.some((pattern) => pattern.test(fault)))).toEqual([]);
    });
    return page;
  });
