import { isTyping } from '$lib/typing';
import { PAGES, type Route } from './route.svelte';

/** How long after `g` the page's letter may come, in milliseconds. */
const CHORD_MS = 1200;

/** The frame's own keys: pages, the key sheet, the command menu, and no reload in the window. */
export class Keys {
  sheet = $state(false);
  palette = $state(false);
  #goAt = -Infinity;

  constructor(
    private readonly route: Route,
    private readonly windowed: boolean,
  ) {}

  readonly press = (event: KeyboardEvent): void => {
    const command = event.ctrlKey || event.metaKey;
    if (this.windowed && (event.key === 'F5' || (command && event.key.toLowerCase() === 'r'))) {
      event.preventDefault();
      return;
    }
    if (command && !event.altKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      this.palette = !this.palette;
      return;
    }
    if (command || event.altKey || isTyping(event) || this.sheet || this.palette) return;
    if (performance.now() - this.#goAt < CHORD_MS) {
      this.#goAt = -Infinity;
      const entry = PAGES.find((page) => page.key === event.key);
      if (entry) {
        event.preventDefault();
        // The page's own keys would take the letter as theirs.
        event.stopImmediatePropagation();
        this.route.go(entry.page);
      }
      return;
    }
    if (event.key === 'g') this.#goAt = performance.now();
    else if (event.key === '?') this.sheet = true;
  };
}
