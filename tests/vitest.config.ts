import { defineConfig } from 'vitest/config';

// End to end: real processes, so one file after another, on a machine that may be slow.
export default defineConfig({
  cacheDir: '../node_modules/.vite',
  test: {
    root: import.meta.dirname,
    include: ['{web,native}/**/*.test.ts'],
    fileParallelism: false,
    // One worker for all files, so that the browser is started once.
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 25 } },
  },
});
