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

/** The gaps between frames, in milliseconds. */
export type Frames = { count: number; median: number; p95: number; longest: number };

/** Begins to record every frame: runs in the page, from its first line on where it is an init script. */
export function begin(): void {
  const seen = { gaps: [] as number[], watching: true };
  Object.assign(window, { recordedFrames: seen });
  let last: number | undefined;
  const frame = (now: number) => {
    if (last !== undefined) seen.gaps.push(now - last);
    last = now;
    if (seen.watching) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** Ends what {@link begin} began. */
export function end(page: Page): Promise<Frames> {
  return page.evaluate(() => {
    const { recordedFrames: seen } = window as unknown as {
      recordedFrames: { gaps: number[]; watching: boolean };
    };
    seen.watching = false;
    const sorted = seen.gaps.sort((a, b) => a - b);
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
    return { count: sorted.length, median: at(0.5), p95: at(0.95), longest: at(1) };
  });
}
