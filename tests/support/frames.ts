import type { Page } from 'playwright-core';

/** How a page did for a while, in milliseconds. */
export type Smoothness = {
  /** The longest gap between two frames. */
  longestFrame: number;
  /** How many gaps were longer than 100 ms, of how many. */
  over100: number;
  frames: number;
  /** The longest from a key or a click to the frame that shows what it did (Event Timing). */
  slowestInput: number;
};

type Watch = Smoothness & { watching: boolean };

/** Watches a page from now until the returned function is called. */
export async function watch(page: Page): Promise<() => Promise<Smoothness>> {
  await page.evaluate(() => {
    const seen: Watch = { longestFrame: 0, over100: 0, frames: 0, slowestInput: 0, watching: true };
    Object.assign(window, { seenFrames: seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.slowestInput = Math.max(seen.slowestInput, entry.duration);
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
    let last = performance.now();
    const frame = () => {
      const now = performance.now();
      const gap = now - last;
      last = now;
      seen.frames += 1;
      seen.longestFrame = Math.max(seen.longestFrame, gap);
      if (gap > 100) seen.over100 += 1;
      if (seen.watching) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  return () =>
    page.evaluate(() => {
      const { seenFrames } = window as unknown as { seenFrames: Watch };
      seenFrames.watching = false;
      const { longestFrame, over100, frames, slowestInput } = seenFrames;
      return { longestFrame: Math.round(longestFrame), over100, frames, slowestInput };
    });
}
