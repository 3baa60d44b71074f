import { inOverlay, isTyping } from '$lib/typing';
import { PAGES, type Route } from './route.svelte';

/** How long after `g` the page's letter may come, in milliseconds. */
const CHORD_MS = 1200;

/** The frame's own keys: pages, the key sheet, the command menu, and no reload in the window. */
export class Keys {
  sheet = $state(false);
  palette = $state(false);
  /** What is searched for among the commands. */
  search = $state('');
  #goAt = -Infinity;

  constructor(
    private readonly route: Route,
    private readonly windowed: boolean,
  ) {}

  openPalette(open = true): void {
    if (open) this.search = '';
    this.palette = open;
  }

  readonly press = (event: KeyboardEvent): void => {
    const command = event.ctrlKey || event.metaKey;
    if (this.windowed && (event.key === 'F5' || (command && event.key.toLowerCase() === 'r'))) {
      event.preventDefault();
      return;
    }
    if (command && !event.altKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      this.openPalette(!this.palette);
      return;
    }
    if (this.palette && !inOverlay(event)) {
      this.#typeAhead(event, command);
      return;
    }
    if (command || event.altKey || isTyping(event) || inOverlay(event) || this.sheet || this.palette) return;
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

  /** The commands are on their way: what is typed is for their field already, and no key of the page beneath. */
  #typeAhead(event: KeyboardEvent, command: boolean): void {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key === 'Escape') this.palette = false;
    else if (event.key === 'Backspace') this.search = this.search.slice(0, -1);
    else if (event.key.length === 1 && !command && !event.altKey) this.search += event.key;
  }
}
