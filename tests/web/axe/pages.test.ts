import { expect } from 'vitest';
import { Looks } from '../../support/axe';
import { addSecret, go } from '../../support/pages';
import { deliver, rpc } from '../../support/program';
import { standIn } from '../../support/sume';
import { test } from '../../support/web';

test('Claims: none, some, none that matches, and one that is released', async ({ page, served }) => {
  const look = new Looks(page);
  await go(page, 'Claims');
  await page.getByText('Nothing is claimed').waitFor();
  await look.at('Claims, none');
  for (const job of ['apple', 'pear', 'apple', 'long'.repeat(300)]) await deliver(served.listener, job);
  await expect.poll(() => page.getByTestId('claim-row').count()).toBe(3);
  await look.at('Claims, some');
  const filter = page.getByRole('searchbox', { name: 'Filter claims' });
  await filter.fill('nothing like it');
  await page.getByText('No claim matches this filter.').waitFor();
  await look.at('Claims, no match');
  await filter.fill('');
  await page.getByRole('button', { name: 'Release apple' }).click();
  await expect.poll(() => page.getByTestId('claim-row').count()).toBe(2);
  await look.at('Claims, one released');
  expect(look.found).toEqual([]);
});

test('Demo: before, in, and after it', async ({ page }) => {
  const look = new Looks(page);
  await go(page, 'Demo');
  await look.at('Demo, before');
  await page.getByRole('button', { name: /^Run/ }).click();
  await page.getByTestId('demo-claim').getByText('ran once').waitFor();
  await look.at('Demo, after');
  expect(look.found).toEqual([]);
});

test('Settings: every section, with what was typed wrong, and the questions', async ({ page }) => {
  const look = new Looks(page);
  await go(page, 'Settings');
  await page.getByText('Data folder').waitFor();
  await look.at('Settings');
  for (const name of ['Naive', 'A status', 'Forward']) {
    await page.getByRole('radiogroup', { name: 'Responder' }).getByText(name).click();
    await look.at(`Settings, ${name}`);
  }
  await page.getByRole('textbox', { name: 'Port' }).fill('many');
  await page.getByRole('combobox', { name: 'Tunnel through' }).selectOption('command');
  await look.at('Settings, typed wrong');
  await addSecret(page, 'mine', 'a-secret-of-mine');
  await look.at('Settings, two secrets');
  expect(look.found).toEqual([]);
});

test('Sume: without a key, with one, jobs that are watched, and an error', async ({
  page,
  served,
  onTestFinished,
}) => {
  const sume = await standIn();
  onTestFinished(() => sume.stop());
  const look = new Looks(page);
  await go(page, 'Sume');
  await page.getByTestId('sume-key-state').getByText('not set').waitFor();
  await look.at('Sume, without a key');

  const { settings } = await rpc(served, 'app.state', {});
  await rpc(served, 'settings.set', { ...settings, sume: { ...settings.sume, base_url: sume.base } });
  await rpc(served, 'sume.set_key', { key: sume.key });
  sume.jobs.set('job_lost', 'COMPLETED').set('job_open', 'processing');
  await page.getByRole('textbox', { name: 'Watch jobs' }).fill('job_lost, job_open');
  await page.getByRole('textbox', { name: 'Expect within' }).fill('1 s');
  await page.getByRole('button', { name: 'Watch 2 jobs' }).click();
  await page.getByTestId('watch-sentence').filter({ hasText: '1 webhook was missed' }).waitFor();
  await look.at('Sume, one missed');
  await page.getByRole('button', { name: 'Redeliver job_lost' }).click();
  await page.getByRole('alertdialog').waitFor();
  await look.at('Sume, a question');
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'Job id' }).fill('job_1');
  await page.getByRole('button', { name: 'Status', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'job_1' }).waitFor();
  await look.at('Sume, an error of the API');
  expect(look.found).toEqual([]);
});

test('the frame: keys, commands, the responder, the tunnel, and a listener that is stopped', async ({
  page,
}) => {
  const look = new Looks(page);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await look.at('the keys');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  await look.at('the commands');
  await page.keyboard.type('nothing like it');
  await page.getByText('There is no such command.').waitFor();
  await look.at('no such command');
  await page.keyboard.press('Escape');
  await look.at('the responders', () => page.getByRole('button', { name: /^Answers: / }).click());
  await page.getByRole('button', { name: 'Tunnel: off' }).click();
  await page.getByRole('dialog', { name: 'Tunnel' }).waitFor();
  await look.at('the tunnel');
  await page.keyboard.press('Escape');

  await go(page, 'Settings');
  await page.getByTestId('listener-state').getByRole('button', { name: 'Stop' }).click();
  await page.getByTestId('listener').getByText('Stopped').waitFor();
  await go(page, 'Inbox');
  await look.at('a listener that is stopped');
  expect(look.found).toEqual([]);
});
