import { svelte } from '@sveltejs/vite-plugin-svelte';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (folder: string) => fileURLToPath(new URL(`./ui/src/${folder}`, import.meta.url));

export default defineConfig({
  root: 'ui',
  // Relative, so that the same build is served by the window and by `hooktwice serve`.
  base: './',
  cacheDir: '../node_modules/.vite',
  plugins: [svelte({ configFile: fileURLToPath(new URL('./svelte.config.js', import.meta.url)) })],
  resolve: {
    alias: {
      $bindings: source('bindings'),
      $features: source('features'),
      $host: source('host'),
      $lib: source('lib'),
      $ui: source('ui'),
    },
    // Components are mounted in the tests, so Svelte's browser build is wanted there too.
    ...(process.env['VITEST'] ? { conditions: ['browser'] } : {}),
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome111', 'safari16.4'],
    // The content security policy allows no `data:` fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One script for the start: each file that a page asks for costs a cold webview a millisecond or two.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'index', tags: ['$initial'] }] } } },
  },
  server: { port: 5173, strictPort: true },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/test/setup.ts'],
  },
});
