import type { Locator, Page } from 'playwright-core';

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

/** The numbers of the rows that are drawn, from the top. */
export function numbers(page: Page): Promise<number[]> {
  return rows(page).evaluateAll((found) => found.map((one) => Number(one.getAttribute('data-seq'))));
}
