import { defineConfig } from 'vitest/config';

// End to end: real processes, so one file after another, on a machine that may be slow.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['{web,native}/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
