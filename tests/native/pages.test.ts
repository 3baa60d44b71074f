import { expect } from 'vitest';
import { test } from '../support/native';
import { burst, deliver, post, until } from '../support/program';
import type { AppWindow } from '../support/window';

const MIB = 1024 * 1024;

/** The letter of each page after `g`, its name, and its main control (a selector). */
const PAGES = [
  ['f', 'Fire', '[data-testid="fire-go"]'],
  ['c', 'Check', '[data-testid="check-go"]'],
  ['l', 'Claims', 'input[type="search"]'],
  ['s', 'Sume', '[data-testid="sume-key-state"] button'],
  ['d', 'Demo', '[data-testid="demo-sentence"]'],
  [',', 'Settings', '[data-testid="listener-state"] button'],
  ['i', 'Inbox', '[data-testid="delivery-row"]'],
] as const;

/** Notes what goes wrong in the page from now on: errors, rejections, lines of the console, breaks of its policy. */
async function listen(window: AppWindow): Promise<void> {
  await window.run(`
    const faults = (window.faults = []);
    addEventListener('error', ({ message }) => faults.push(message));
    addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason)));
    document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => faults.push(violatedDirective));
    for (const kind of ['error', 'warn']) {
      const write = console[kind];
      console[kind] = (...words) => { faults.push(words.join(' ')); write(...words); };
    }`);
}

/** Whether something is drawn. */
const isDrawn = (window: AppWindow, selector: string) =>
  window.run<boolean>(
    'return [...document.querySelectorAll(arguments[0])].some((one) => one.getClientRects().length > 0)',
    selector,
  );

test('each page opens by its keys with its heading and its main control, and no key reloads it', async ({
  window,
  listener,
}) => {
  await window.shows('Waiting for the first delivery');
  await listen(window);
  // A plugin's script would have called what no page may call, before anything could listen.
  expect(await window.run('return String(window.Notification)')).toContain('[native code]');
  expect(await deliver(listener, 'job_1')).toBe(204);
  for (const [key, name, control] of PAGES) {
    await window.press('g', key);
    const heading = `return document.querySelector('main h1')?.textContent.trim()`;
    await until(name, async () => (await window.run(heading)) === name, 5000);
    await until(`the main control of ${name}`, () => isDrawn(window, control), 5000);
    expect(await window.run('return document.title')).toBe(`${name} · Hooktwice`);
    expect(await window.run(`return document.querySelector('[data-testid="listener"]').innerText`)).toContain(
      'Listening',
    );
  }
  await window.press('?');
  await until('the keys', () => isDrawn(window, '[role="dialog"]'), 5000);
  await window.press('Escape');
  await until('no dialog', async () => !(await isDrawn(window, '[role="dialog"]')), 5000);

  // The page would have lost its mark.
  for (const keys of [['F5'], ['Control', 'r'], ['Control', 'Shift', 'r'], ['Control', 'F5']])
    await window.chord(...keys);
  await window.press('g', 'l');
  await until('Claims', async () => (await window.run('return document.title')) === 'Claims · Hooktwice');
  expect(await window.run('return window.faults')).toEqual([]);
});

test('c79_10_mib_come_in_slices_and_a_list_of_5_000_has_no_bodies', async ({ window, listener }) => {
  await window.shows('Waiting for the first delivery');
  await listen(window);
  const { statuses } = await burst(listener, 5000, 1, 10, 'sume');
  expect(statuses).toEqual({ 204: 5000 });
  const [head, tail] = ['{"job_id":"large","text":"', '"}'];
  const body = head + 'x'.repeat(10 * MIB - head.length - tail.length) + tail;
  expect(await post(`${listener}/hook`, body)).toBe(204);
  await until('its row', () => isDrawn(window, '[data-testid="delivery-row"][data-seq="5001"]'));
  const page = await window.rpc('deliveries.list', { filter: '', limit: 200, before: null, offset: 0 });
  expect(page.rows[0]).toMatchObject({ seq: 5001, size: 10 * MIB });
  expect(JSON.stringify(page).length).toBeLessThan(200 * 1024);
  const one = await window.rpc('deliveries.body', { seq: 5001, offset: 0, length: 10 * MIB });
  expect(Buffer.from(one.base64, 'base64').length).toBeLessThanOrEqual(MIB);

  await window.run(`
    const frames = (window.frames = { longest: 0, on: true });
    let last = performance.now();
    const frame = (now) => {
      frames.longest = Math.max(frames.longest, now - last);
      last = now;
      if (frames.on) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);`);
  await window.click("//*[@data-testid='delivery-row'][@data-seq='5001']");
  await window.click("//*[@role='tab'][normalize-space(.) = 'Body']");
  await window.shows('Shown: the first 64 KiB of 10 MiB.');
  await window.click("//button[normalize-space(.) = 'Load all']");
  await until('all of it is there', async () => !(await window.text()).includes('Shown: the first'), 30_000);
  expect(await isDrawn(window, '[data-testid="body-tree"]')).toBe(true);
  expect(await isDrawn(window, '[data-testid="json-break"]')).toBe(false);
  const longest = await window.run<number>('window.frames.on = false; return window.frames.longest');
  console.info(`10 MiB in the window: longest frame ${Math.round(longest)} ms`);
  expect(longest).toBeLessThan(2000);
  expect(await window.run('return window.faults')).toEqual([]);
});
