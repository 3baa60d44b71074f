import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import { readdirSync } from 'node:fs';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

const features = readdirSync(new URL('./ui/src/features', import.meta.url));

/** Folders of ui/src that a file may not import from, by alias or by a relative path. */
const without = (folders, more = []) => ({
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          regex: `^(\\$|(\\.\\./)+)(${folders.join('|')})(/|$)`,
          message: 'app knows features; features know ui, host, lib and bindings, and never each other.',
        },
        ...more,
      ],
    },
  ],
});

const noTauri = { regex: '^@tauri-apps/', message: 'Only host/tauri.ts knows Tauri.' };

export default ts.config(
  {
    ignores: [
      'ui/dist',
      'ui/src/bindings',
      'target',
      'src-tauri',
      'tests/handlers',
      'tests/oracles',
      'node_modules',
    ],
  },
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  svelte.configs.recommended,
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'object-shorthand': 'error',
      'prefer-template': 'error',
      'no-else-return': 'error',
      // Numbers in templates are what they look like.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // `void value` in an effect says what it depends on.
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      // A Svelte prop's default and a closed enum's fallback are checked by svelte-check.
      '@typescript-eslint/no-unnecessary-condition': 'off',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
    rules: {
      'svelte/button-has-type': 'error',
      'svelte/no-at-html-tags': 'error',
      // The content security policy allows no style attribute in markup; `style:` directives go through the CSSOM.
      'no-restricted-syntax': [
        'error',
        { selector: 'SvelteAttribute[key.name="style"]', message: 'Use style: or a class.' },
      ],
      // For what is listened to and never drawn.
      'svelte/prefer-svelte-reactivity': 'off',
      'svelte/prefer-const': ['error', { destructuring: 'all' }],
      'prefer-const': 'off',
      'svelte/require-each-key': 'error',
      'svelte/shorthand-attribute': 'error',
      // There is one page and its address is a fragment; no router resolves it.
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
  {
    // What a component takes and gives is typed by svelte-check; here it is `any`.
    files: ['**/*.svelte'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/restrict-plus-operands': 'off',
    },
  },
  { files: ['ui/src/**'], rules: without(['nothing'], [noTauri]) },
  { files: ['ui/src/lib/**'], rules: without(['app', 'features', 'host', 'ui'], [noTauri]) },
  { files: ['ui/src/ui/**'], rules: without(['app', 'features', 'host'], [noTauri]) },
  { files: ['ui/src/host/**'], rules: without(['app', 'features', 'ui'], [noTauri]) },
  { files: ['ui/src/host/tauri.ts'], rules: without(['app', 'features', 'ui']) },
  ...features.map((feature) => {
    const others = features.filter((other) => other !== feature);
    return {
      files: [`ui/src/features/${feature}/**`],
      rules: without(['app', 'features', ...others], [noTauri]),
    };
  }),
  {
    files: ['**/*.js', '**/*.mjs', 'vite.config.ts'],
    extends: [ts.configs.disableTypeChecked],
    languageOptions: { globals: globals.node },
  },
  {
    files: ['**/*.test.ts', 'ui/src/test/**', 'tests/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off', '@typescript-eslint/require-await': 'off' },
  },
  {
    // A fixture that needs no other one is still written as a pattern.
    files: ['tests/**/*.ts'],
    rules: {
      'no-empty-pattern': ['error', { allowObjectPatternsAsParameters: true }],
      // What was measured is said.
      'no-console': ['error', { allow: ['info'] }],
    },
  },
);
