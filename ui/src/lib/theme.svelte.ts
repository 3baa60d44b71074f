import { Remembered, oneOf } from './remembered.svelte';

const THEMES = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof THEMES)[number];

const chosen = new Remembered<ThemeChoice>('theme', 'system', oneOf(THEMES));

/** The theme that was chosen; `system` follows the system as it changes. */
export const theme = {
  get choice(): ThemeChoice {
    return chosen.value;
  },
  set choice(next: ThemeChoice) {
    chosen.value = next;
    apply();
  },
};

const system = window.matchMedia('(prefers-color-scheme: dark)');

function apply(): void {
  const dark = chosen.value === 'dark' || (chosen.value === 'system' && system.matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
}

/** Sets the theme on the page and keeps it set. */
export function startTheme(): void {
  apply();
  system.addEventListener('change', apply);
}
