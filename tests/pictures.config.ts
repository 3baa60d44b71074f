import { defineConfig } from 'vitest/config';

// `npm run pictures`: no test, but made with the tests' means.
export default defineConfig({
  cacheDir: '../node_modules/.vite',
  test: { root: import.meta.dirname, include: ['pictures.ts'], testTimeout: 300_000 },
});
