import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Undo, UNDO_MS } from './undo.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
});

it('is offered for ten seconds, and not while it is held', () => {
  const undo = new Undo();
  undo.offer('gone', vi.fn());
  expect(undo.newest).toEqual({ text: 'gone', undoable: true, seconds: 10 });
  vi.advanceTimersByTime(6_000);
  expect(undo.newest?.seconds).toBe(4);
  undo.held = true;
  vi.advanceTimersByTime(8_000);
  expect(undo.newest?.seconds).toBe(4);
  undo.held = false;
  vi.advanceTimersByTime(4_250);
  expect(undo.newest).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

it('does not outlast what is kept, however long it is held', () => {
  const undo = new Undo();
  undo.offer('gone', vi.fn());
  undo.held = true;
  vi.advanceTimersByTime(27_500);
  expect(undo.newest?.seconds).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(undo.newest).toBeUndefined();
  // The next one is not held by a pointer that is not there.
  undo.offer('gone too', vi.fn());
  vi.advanceTimersByTime(UNDO_MS + 250);
  expect(undo.newest).toBeUndefined();
});

it('undoes the newest first, each once', async () => {
  const undo = new Undo();
  const [first, second] = [vi.fn(), vi.fn()];
  undo.offer('first', first);
  vi.advanceTimersByTime(5_000);
  undo.offer('second', second);
  undo.tell('a note');
  expect(undo.newest?.undoable).toBe(false);
  expect(undo.more).toBe(2);
  await undo.run();
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1]);
  undo.dismiss();
  expect(undo.newest?.text).toBe('first');
  await undo.run();
  expect(first).toHaveBeenCalledOnce();
  expect(await undo.run()).toBe(false);
});
