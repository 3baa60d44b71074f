import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { test } from '../support/native';
import { burst, deliver, until } from '../support/program';

const link = (name: string) => `//nav//a[contains(., '${name}')]`;
const button = (name: string) => `//button[contains(normalize-space(.), '${name}')]`;

test('the first start is useful at once', async ({ window, listener }) => {
  await window.shows('Waiting for the first delivery');
  await window.shows(`curl`);
  expect(await window.text()).toContain(listener);
  expect(await window.run('return document.title')).toBe('Inbox · Hooktwice');
  await window.click(button('Fire a sample delivery'));
  await window.shows('valid');
  await window.shows('won');
});

test('deliveries arrive while it is open, and a duplicate names the one that won', async ({
  window,
  listener,
}) => {
  await window.shows('Waiting for the first delivery');
  expect(await deliver(listener, 'job_1')).toBe(204);
  await window.shows('won');
  expect(await deliver(listener, 'job_1')).toBe(204);
  await window.shows('duplicate of #1');
});

test('a volley of 20 is fired from the page, and its lanes appear', async ({ window }) => {
  await window.click(link('Fire'));
  await window.click("//label[normalize-space(.) = '20']");
  await window.click("//*[@data-testid='fire-go']");
  await window.shows('20 copies at once, all answered 204');
  const answered = `return document.querySelectorAll('[data-testid="lane"][data-outcome="answered"]').length`;
  expect(await window.run(answered)).toBe(20);
  const counts = await window.rpc('deliveries.counts', { filter: '' });
  expect(counts).toMatchObject({ all: 20, duplicates: 19 });
});

test('a body is saved as a file, byte for byte', async ({ window, listener }) => {
  await window.shows('Waiting for the first delivery');
  await deliver(listener, 'job_1');
  await window.click("//*[@data-testid='delivery-row']");
  await window.click(button('More'));
  await window.click("//*[@role='menuitem'][contains(., 'Save the body')]");
  const saved = await until(
    'it says where',
    async () => / are saved in (\S+)/.exec(await window.text())?.[1],
  );
  const { base64 } = await window.rpc('deliveries.body', { seq: 1, offset: 0, length: 1000 });
  expect(readFileSync(saved).toString('base64')).toBe(base64);
});

describe('a burst', () => {
  test('10,000 deliveries are counted within a second after the last', async ({ window, listener }) => {
    await window.shows('Waiting for the first delivery');
    await window.run(`
      const look = () => {
        if (document.querySelector('[data-testid="count-inbox"]')?.textContent === '10,000') window.countedAt = Date.now();
        else setTimeout(look, 20);
      };
      look();`);
    const sent = burst(listener, 10_000, 2);
    // It answers meanwhile.
    await window.click(link('Claims'));
    await until(
      'the Claims page is shown',
      () => window.run('return document.title.startsWith("Claims")'),
      3000,
    );
    const { statuses, ended } = await sent;
    expect(statuses).toEqual({ 204: 10_000 });
    const at = await until('all are counted', () =>
      window.run<number | undefined>('return window.countedAt'),
    );
    expect(at - ended).toBeLessThan(1000);
  });
});
