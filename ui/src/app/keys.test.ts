import { beforeEach, expect, it, vi } from 'vitest';
import { Keys } from './keys.svelte';
import { Route } from './route.svelte';

let route: Route;

beforeEach(() => {
  location.hash = '';
  localStorage.clear();
  route = new Route();
});

function press(keys: Keys, key: string, init: KeyboardEventInit = {}, target: HTMLElement = document.body) {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
  target.addEventListener('keydown', keys.press as EventListener, { once: true });
  target.dispatchEvent(event);
  return event;
}

it.each([
  ['f', 'fire'],
  ['c', 'check'],
  ['l', 'claims'],
  ['s', 'sume'],
  ['d', 'demo'],
  [',', 'settings'],
  ['i', 'inbox'],
])('g then %s opens %s', (key, page) => {
  const keys = new Keys(route, false);
  press(keys, 'g');
  const second = press(keys, key);
  expect([route.page, location.hash, second.defaultPrevented]).toEqual([page, `#/${page}`, true]);
});

it('a letter alone, or long after g, opens nothing', () => {
  vi.useFakeTimers();
  const keys = new Keys(route, false);
  press(keys, 'c');
  press(keys, 'g');
  vi.advanceTimersByTime(5000);
  press(keys, 'c');
  expect(route.page).toBe('inbox');
  vi.useRealTimers();
});

it('none of them while typing', () => {
  const keys = new Keys(route, false);
  const input = document.createElement('input');
  document.body.append(input);
  press(keys, 'g', {}, input);
  press(keys, 'f', {}, input);
  press(keys, '?', {}, input);
  expect([route.page, keys.sheet]).toEqual(['inbox', false]);
  press(keys, 'k', { ctrlKey: true }, input);
  expect(keys.palette).toBe(true);
  input.remove();
});

it('what is typed before the commands are there is searched for, and is no key', () => {
  const keys = new Keys(route, false);
  press(keys, 'k', { ctrlKey: true });
  for (const key of ['g', 'f', 'x', 'Backspace', 'Enter', 'Shift', '?'])
    expect(press(keys, key).defaultPrevented).toBe(true);
  expect([keys.search, keys.palette, keys.sheet, route.page]).toEqual(['gf?', true, false, 'inbox']);
  press(keys, 'Escape');
  expect(keys.palette).toBe(false);
  press(keys, 'k', { metaKey: true });
  expect([keys.search, keys.palette]).toEqual(['', true]);
});

it('reload keys are held back in the window only', () => {
  expect(press(new Keys(route, true), 'F5').defaultPrevented).toBe(true);
  expect(press(new Keys(route, true), 'r', { metaKey: true }).defaultPrevented).toBe(true);
  expect(press(new Keys(route, false), 'F5').defaultPrevented).toBe(false);
});

it('the next start opens the page that was left', () => {
  route.go('claims');
  location.hash = '';
  expect(new Route().page).toBe('claims');
});

it('none of the page’s beneath a dialog, wherever the focus is', () => {
  const keys = new Keys(route, false);
  const dialog = document.createElement('dialog');
  document.body.append(dialog);
  dialog.showModal();
  press(keys, 'g');
  press(keys, 'f');
  press(keys, '?');
  expect([route.page, keys.sheet]).toEqual(['inbox', false]);
  dialog.remove();
  press(keys, 'g');
  press(keys, 'f');
  expect(route.page).toBe('fire');
});
