import { defineConfig } from 'vitest/config';

// `cargo xtask bench rows`: no test, but made with the tests' means.
export default defineConfig({
  cacheDir: '../node_modules/.vite',
  test: { root: import.meta.dirname, include: ['rows.ts'], testTimeout: 600_000 },
});
