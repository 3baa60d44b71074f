import { chromium, type Browser, type Page } from 'playwright-core';

/** Debian's Chromium, without what it would look for on the network. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
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

/** A page that fails the test where the page itself had an error. */
export async function open(browser: Browser, url: string): Promise<Page & { faults: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, permissions: ['clipboard-write'] });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(url);
  return Object.assign(page, { faults });
}
