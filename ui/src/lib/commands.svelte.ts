import { SvelteSet } from 'svelte/reactivity';

/** Something that can be done, for the palette. */
export type Command = {
  label: string;
  /** The key that does the same, as it is shown. */
  key?: string;
  disabled?: boolean;
  run: () => unknown;
};

type Offer = { readonly page: string; readonly commands: readonly Command[] };

const offers = new SvelteSet<() => Offer>();

/**
 * A page offers what can be done on it: nothing where it is not the one that is shown. Called while a component is made;
 * the offer ends with it.
 */
export function offer(page: string, commands: () => readonly Command[]): void {
  $effect(() => {
    const made = () => ({ page, commands: commands() });
    offers.add(made);
    return () => {
      offers.delete(made);
    };
  });
}

/** What is offered now, page by page. */
export function offered(): Offer[] {
  return [...offers].map((make) => make()).filter(({ commands }) => commands.length > 0);
}
