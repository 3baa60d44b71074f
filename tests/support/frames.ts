import type { Page } from 'playwright-core';

/** How smooth a page was for a while. */
export type Frames = { longest: number; over100: number; frames: number };

/** Measures the gaps between frames from now until the returned function is called, in milliseconds. */
export async function watchFrames(page: Page): Promise<() => Promise<Frames>> {
  await page.evaluate(() => {
    const seen = { longest: 0, over100: 0, frames: 0, watching: true };
    Object.assign(window, { seenFrames: seen });
    let last = performance.now();
    const frame = () => {
      const now = performance.now();
      const gap = now - last;
      last = now;
      seen.frames += 1;
      seen.longest = Math.max(seen.longest, gap);
      if (gap > 100) seen.over100 += 1;
      if (seen.watching) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  return () =>
    page.evaluate(() => {
      const { seenFrames } = window as unknown as { seenFrames: Frames & { watching: boolean } };
      seenFrames.watching = false;
      return {
        longest: Math.round(seenFrames.longest),
        over100: seenFrames.over100,
        frames: seenFrames.frames,
      };
    });
}
