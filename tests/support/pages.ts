import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A page of the app, by its name in the navigation. */
export async function go(
  page: Page,
  name: 'Inbox' | 'Fire' | 'Check' | 'Claims' | 'Sume' | 'Demo' | 'Settings',
): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  await page.getByRole('main', { name }).waitFor();
}

/** The rows of the Inbox that are drawn, newest first. */
export function rows(page: Page): Locator {
  return page.getByRole('grid', { name: 'Deliveries' }).getByTestId('delivery-row');
}

/** A row of the Inbox by its number. */
export function row(page: Page, seq: number): Locator {
  return page.locator(`[data-testid="delivery-row"][data-seq="${seq}"]`);
}

/** Opens a delivery, and one of its tabs. */
export async function detail(page: Page, seq: number, tab: string): Promise<Locator> {
  await row(page, seq).click();
  const shown = page.getByRole('region', { name: `Delivery #${seq}`, exact: true });
  await shown.getByRole('tab', { name: tab }).click();
  return shown;
}

/** Adds a secret in the settings, which are shown; it signs from then on. */
export async function addSecret(page: Page, name: string, secret: string): Promise<void> {
  const form = page.getByRole('form', { name: 'Add one' });
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('textbox', { name: 'Secret', exact: true }).fill(secret);
  await form.getByRole('button', { name: 'Add the secret' }).click();
  await page.getByText(`${name} signs now.`).waitFor();
}

/** Fires what the page Fire shows, by its key; the page has seen so many runs, and the end of this one. */
export async function fire(page: Page, runs: number): Promise<void> {
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => page.getByTestId('run').count()).toBe(runs);
  // While it goes on, the key is for nothing.
  await page.getByTestId('fire-sentence').filter({ hasText: 'answered' }).waitFor();
}

/** Opens the commands, by their key; what is typed next is in their field. */
export async function commands(page: Page): Promise<Locator> {
  await page.keyboard.press('Control+k');
  const shown = page.getByRole('dialog', { name: 'Commands' });
  const field = shown.getByPlaceholder('What do you want to do?');
  await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
  return shown;
}

/** The numbers of the rows that are drawn, from the top. */
export function numbers(page: Page): Promise<number[]> {
  return rows(page).evaluateAll((found) => found.map((one) => Number(one.getAttribute('data-seq'))));
}
