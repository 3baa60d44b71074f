import { holdsDeliveries } from '$lib/files';
import type { FileIntent, FireIntent, ShowIntent } from '$lib/intent';
import { Remembered, oneOf } from '$lib/remembered.svelte';

export const PAGES = [
  { page: 'inbox', label: 'Inbox', key: 'i' },
  { page: 'fire', label: 'Fire', key: 'f' },
  { page: 'check', label: 'Check', key: 'c' },
  { page: 'claims', label: 'Claims', key: 'l' },
  { page: 'sume', label: 'Sume', key: 's' },
  { page: 'demo', label: 'Demo', key: 'd' },
  { page: 'settings', label: 'Settings', key: ',' },
] as const;
export type Page = (typeof PAGES)[number]['page'];

const isPage = oneOf(PAGES.map((entry) => entry.page));

/** Which page is shown: the fragment of the address, else the last one. */
export class Route {
  page = $state<Page>('inbox');
  /** What was asked of the Fire page last; a new object each time. */
  intent = $state.raw<FireIntent | FileIntent>();
  /** What another page asked the Inbox to show, or a file that was dropped; a new object each time. */
  shown = $state.raw<ShowIntent | FileIntent>();
  readonly #kept = new Remembered<Page>('page', 'inbox', isPage);

  constructor() {
    this.page = fromAddress() ?? this.#kept.value;
  }

  go = (page: Page): void => {
    this.page = page;
    this.#kept.value = page;
    if (fromAddress() !== page) location.hash = `/${page}`;
  };

  fire = (intent: FireIntent): void => {
    this.intent = intent;
    this.go('fire');
  };

  show = (seq: number): void => {
    this.shown = { seq };
    this.go('inbox');
  };

  /** A file was dropped: the Inbox reads deliveries from it, or Fire takes it as a body. */
  take = async (file: File): Promise<void> => {
    const deliveries = await holdsDeliveries(file);
    if (deliveries) this.shown = { file };
    else this.intent = { file };
    this.go(deliveries ? 'inbox' : 'fire');
  };

  /** Follows the browser's back and forward; made to be returned from an `$effect`. */
  follow(): () => void {
    const changed = () => {
      const page = fromAddress();
      if (page) this.go(page);
    };
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }
}

function fromAddress(): Page | undefined {
  const word = location.hash.replace(/^#\/?/, '');
  return isPage(word) ? word : undefined;
}
