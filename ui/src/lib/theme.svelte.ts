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

/** Red, green and blue, 0 to 255. */
export type Rgb = [red: number, green: number, blue: number];

let tell: ((ground: Rgb) => void) | undefined;

function apply(): void {
  const dark = chosen.value === 'dark' || (chosen.value === 'system' && system.matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
  tell?.(ground());
}

/** Sets the theme on the page and keeps it set. */
export function startTheme(): void {
  apply();
  system.addEventListener('change', apply);
}

function ground(): Rgb {
  const [red = 0, green = 0, blue = 0] =
    getComputedStyle(document.body).backgroundColor.match(/\d+/g)?.map(Number) ?? [];
  return [red, green, blue];
}

/** Tells what the page is painted on: now, and when the theme changes. Waits for the styles, so not before a picture. */
export function tellGround(to: (ground: Rgb) => void): void {
  tell = to;
  to(ground());
}
