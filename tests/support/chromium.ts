import { chromium, type Browser, type Page } from 'playwright-core';

/** Debian's Chromium, without what it would look for on the network. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** An empty page in a browser profile of its own, and whatever it gets wrong by itself. */
export async function blank(browser: Browser): Promise<Page & { faults: string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  // A break of the content security policy is an error in the console too.
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  return Object.assign(page, { faults });
}

/** Such a page, with our pages in it. */
export async function open(browser: Browser, url: string): Promise<Page & { faults: string[] }> {
  const page = await blank(browser);
  await page.goto(url);
  // Loaded is not shown yet: the pages wait a moment for their first answer, and a key before that is for nobody.
  await page.getByRole('main').waitFor();
  return page;
}
