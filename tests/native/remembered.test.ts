import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../support/native';
import { deliver, until } from '../support/program';
import { AppWindow, colorsUntilPainted, desktop, isRunning, start, type Place } from '../support/window';

const link = (name: string) => `//nav//a[contains(., '${name}')]`;

/** X, Y, width and height of its window. */
const placeOf = (window: AppWindow) => desktop('place', String(window.pid)).split(' ').map(Number);

/** Closes it as a person does, and not as the driver would. */
async function closed(window: AppWindow): Promise<void> {
  desktop('close', String(window.pid));
  await until('the app has ended', () => !isRunning(window.pid));
  await window.close();
}

function stateFile({ home }: Place): string {
  return join(home, '.config/dev.hooktwice.app/.window-state.json');
}

test('the next start finds page, tab, columns, splits, size and place', async ({
  place,
  listener,
  onTestFinished,
}) => {
  const first = await AppWindow.open(place);
  onTestFinished(() => first.close());
  await first.shows('Waiting for the first delivery');
  await deliver(listener, 'job_1');
  await first.click("//*[@data-testid='delivery-row']");
  await first.click("//*[@role='tab'][contains(., 'Headers')]");
  // The line between list and detail is moved by the keyboard.
  const share = `return document.querySelector('[data-pane]').style.flex || document.querySelector('[data-pane]').style.flexGrow`;
  const before = await first.run<string>(share);
  await first.run(`
    const line = document.querySelector('[data-pane-resizer]');
    line.focus();
    line.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true, cancelable: true }));`);
  const after = await until('the line has moved', async () => {
    const now = await first.run<string>(share);
    return now !== before && now;
  });
  // As the list keeps what was chosen of its columns.
  await first.run(`localStorage.setItem('hooktwice.columns', '{"hidden":["size"],"widths":{}}')`);
  await first.click(link('Fire'));
  await first.click(link('Settings'));
  await first.click("//label[normalize-space(.) = 'Dark']");
  desktop('put', String(first.pid), '60', '40', '1000', '700');
  await until('it was moved', () => placeOf(first).join() === '60,40,1000,700');
  await until('the page has its size', () => first.run('return innerWidth === 1000'));
  await closed(first);

  const second = await AppWindow.open(place);
  onTestFinished(() => second.close());
  await second.shows('Data folder');
  expect(await second.run('return document.title')).toBe('Settings · Hooktwice');
  expect(await second.run('return document.documentElement.dataset.theme')).toBe('dark');
  await until('it is where it was', () => placeOf(second).join() === '60,40,1000,700');
  await second.click(link('Inbox'));
  await second.click("//*[@data-testid='delivery-row']");
  await until('the tab is the one that was left', () =>
    second.run(
      `return document.querySelector('[role="tab"][aria-selected="true"]')?.textContent.includes('Headers')`,
    ),
  );
  expect(await second.run<string>(share)).toBe(after);
  const heads = `return [...document.querySelectorAll('[role="columnheader"]')].map((head) => head.textContent.trim())`;
  expect(await second.run<string[]>(heads)).toEqual(expect.not.arrayContaining(['size']));
  expect(await second.run<string[]>(heads)).toContain('claim');
});

test('a dark page begins on a dark window', async ({ place, listener, onTestFinished }) => {
  const first = await AppWindow.open(place);
  onTestFinished(() => first.close());
  await first.shows('Waiting for the first delivery');
  await deliver(listener, 'job_1');
  await first.click(link('Settings'));
  await first.click("//label[normalize-space(.) = 'Dark']");
  const kept = join(stateFile(place), '../.background.json');
  const color = async (css: string) => {
    const found = await first.run<string>(
      `return getComputedStyle(document.querySelector('${css}')).backgroundColor`,
    );
    return found.match(/\d+/g)?.map(Number) ?? [];
  };
  await until('the page is dark', () =>
    first.run(`return document.documentElement.dataset.theme === 'dark'`),
  );
  const ground = await color('body');
  await until('it is kept', () => readFileSync(kept, 'utf8') === JSON.stringify(ground));
  const chosen = await color('nav [aria-current]');
  await first.click(link('Inbox'));
  await closed(first);

  const { process: second, ended } = start(place);
  onTestFinished(async () => {
    second.kill();
    await ended;
  });
  expect(await colorsUntilPainted(second.pid ?? 0, chosen.join(' '))).not.toContain('255 255 255');
});

test.for([
  ['beyond every screen', { x: 9000, y: 7000, width: 900, height: 600 }],
  ['but for a corner', { x: -880, y: -580, width: 900, height: 600 }],
  ['larger than the screen', { x: 0, y: 0, width: 9000, height: 7000 }],
] as const)('a window that was left %s is brought back', async ([, left], { place, onTestFinished }) => {
  const state = {
    ...left,
    prev_x: 0,
    prev_y: 0,
    maximized: false,
    visible: true,
    decorated: true,
    fullscreen: false,
  };
  mkdirSync(join(stateFile(place), '..'), { recursive: true });
  writeFileSync(stateFile(place), JSON.stringify({ main: state }));
  const window = await AppWindow.open(place);
  onTestFinished(() => window.close());
  await window.shows('Settings');
  const [width, height] = await window.run<[number, number]>('return [screen.width, screen.height]');
  await until('all of it is on the screen', () => {
    const [x = -1, y = -1, w = 0, h = 0] = placeOf(window);
    return x >= 0 && y >= 0 && w >= 720 && h >= 480 && x + w <= width && y + h <= height;
  });
});

test('a file of the window that is broken is a first start', async ({ place, onTestFinished }) => {
  mkdirSync(join(stateFile(place), '..'), { recursive: true });
  writeFileSync(stateFile(place), '{ "main": { "x": "far" ');
  const window = await AppWindow.open(place);
  onTestFinished(() => window.close());
  await window.shows('Settings');
  await closed(window);
  expect(existsSync(stateFile(place))).toBe(true);
  expect(JSON.parse(readFileSync(stateFile(place), 'utf8'))).toMatchObject({ main: { width: 1280 } });
});
