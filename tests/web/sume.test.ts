import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { go } from '../support/pages';
import { rpc, type Serving } from '../support/program';
import { standIn, type StandIn } from '../support/sume';
import { test as base } from '../support/web';

/** With a stand-in for Sume's API, whose webhooks come to this listener. */
const test = base
  .extend('sume', async ({}, { onCleanup }): Promise<StandIn> => {
    const sume = await standIn();
    onCleanup(() => sume.stop());
    return sume;
  })
  .extend('paired', async ({ sume, served }): Promise<Serving> => {
    sume.webhook = `${served.listener}/webhooks/sume`;
    const { settings } = await rpc(served, 'app.state', {});
    await rpc(served, 'settings.set', { ...settings, sume: { ...settings.sume, base_url: sume.base } });
    return served;
  });

async function setKey(page: Page, sume: StandIn): Promise<void> {
  await go(page, 'Settings');
  await page.getByLabel('API key', { exact: true }).fill(sume.key);
  await page.getByRole('button', { name: 'Set the key' }).click();
  await page.getByText('The key is set.').waitFor();
  await go(page, 'Sume');
}

const confirm = (page: Page, name: string) =>
  page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click();

describe('Sume’s API', () => {
  test('a job whose webhook was lost is named, redelivered, and found in the Inbox', async ({
    page,
    sume,
    paired,
  }) => {
    sume.jobs.set('job_lost', 'COMPLETED').set('job_open', 'processing');
    await setKey(page, sume);
    await page.getByRole('textbox', { name: 'Watch jobs' }).fill('job_lost, job_open');
    await page.getByRole('textbox', { name: 'Expect within' }).fill('1 s');
    await page.getByRole('button', { name: 'Watch 2 jobs' }).click();
    const lost = page.getByTestId('watched').filter({ hasText: 'job_lost' });
    await page.getByTestId('watch-sentence').filter({ hasText: '1 webhook was missed' }).waitFor();
    expect(await lost.getAttribute('data-state')).toBe('missed');
    await page.getByRole('link', { name: /^Sume\b.*1 missed/ }).waitFor();
    // The missed ones are on top.
    expect(await page.getByTestId('watched').first().textContent()).toContain('job_lost');

    await lost.getByRole('button', { name: 'Redeliver job_lost' }).click();
    expect(sume.asked.filter((route) => route.endsWith('/redeliver'))).toEqual([]);
    await confirm(page, 'Redeliver');
    await lost
      .getByTestId('sume-answer')
      .getByText(/^req_\d+$/)
      .waitFor();
    await lost.getByRole('button', { name: 'Delivery #1' }).click();
    await page.getByRole('region', { name: 'Delivery #1', exact: true }).waitFor();
    const { job_id, signature } = await rpc(paired, 'deliveries.show', { seq: 1 });
    expect([job_id, signature.state]).toEqual(['job_lost', 'valid']);
    await page.getByRole('link', { name: 'Sume', exact: true }).waitFor();
  });

  test('a test delivery is sent after a question, and an error of the API stays with its code and request', async ({
    page,
    sume,
    paired,
  }) => {
    await setKey(page, sume);
    await page.getByRole('textbox', { name: 'To' }).fill(sume.webhook);
    await page.getByRole('button', { name: 'Send a test delivery' }).click();
    await confirm(page, 'Send it');
    await page.getByTestId('sume-answer').getByText('202').waitFor();
    await expect
      .poll(() => rpc(paired, 'deliveries.counts', { filter: 'event:webhook.test' }).then(({ all }) => all))
      .toBe(1);

    sume.refuse = { status: 403, message: 'This key may not send test deliveries.' };
    await page.getByRole('button', { name: 'Send a test delivery' }).click();
    await confirm(page, 'Send it');
    const alert = page.getByRole('form', { name: 'Send a test delivery' }).getByRole('alert');
    await alert.filter({ hasText: 'This key may not send test deliveries.' }).waitFor();
    expect(await alert.innerText()).toMatch(/403[^]*req_\d+|req_\d+[^]*403/);
  });

  test('the key goes one way only, and is forgotten', async ({ page, sume, paired }) => {
    const answers: Promise<string>[] = [];
    page.on('response', (answer) => {
      // The stream of events never ends.
      if (!answer.url().includes('/events')) answers.push(answer.text().catch(() => ''));
    });
    await setKey(page, sume);
    await page.getByRole('textbox', { name: 'Job id' }).fill('job_1');
    await page.getByRole('button', { name: 'Status', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'job_1' }).waitFor();
    expect(await page.content()).not.toContain(sume.key);
    expect((await Promise.all(answers)).filter((text) => text.includes(sume.key))).toEqual([]);

    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await confirm(page, 'Forget the key');
    await page.getByText('No API key is set.').waitFor();
    expect((await rpc(paired, 'app.state', {})).sume_key).toBeNull();
  });
});
