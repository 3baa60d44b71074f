import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { coalesce } from './coalesce';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('runs the first at once and folds the rest', async () => {
  const work = vi.fn(() => Promise.resolve());
  const ask = coalesce(250, work);
  ask();
  expect(work).toHaveBeenCalledTimes(1);
  for (let i = 0; i < 1000; i += 1) {
    ask();
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(work).toHaveBeenCalledTimes(5);
  await vi.advanceTimersByTimeAsync(5000);
  expect(work).toHaveBeenCalledTimes(5);
});

it('serves a request that came while it ran, and never runs twice at once', async () => {
  let running = 0;
  let most = 0;
  let runs = 0;
  const ask = coalesce(10, async () => {
    runs += 1;
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 100));
    running -= 1;
  });
  ask();
  await vi.advanceTimersByTimeAsync(50);
  ask();
  ask();
  await vi.advanceTimersByTimeAsync(1000);
  expect([runs, most]).toEqual([2, 1]);
});

it('goes on after a failure, and stops when told', async () => {
  const work = vi.fn(() => Promise.reject(new Error('no')));
  const ask = coalesce(10, () => work().catch(() => undefined));
  ask();
  await vi.advanceTimersByTimeAsync(20);
  ask();
  expect(work).toHaveBeenCalledTimes(2);
  ask.stop();
  ask();
  await vi.advanceTimersByTimeAsync(100);
  expect(work).toHaveBeenCalledTimes(2);
});
