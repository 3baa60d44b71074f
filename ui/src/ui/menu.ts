import type { Snippet } from 'svelte';

/** An entry of a menu; a line parts it from the one before where `apart` is set. */
export type MenuItem = {
  label: string;
  /** The key that does the same, as it is shown. */
  key?: string;
  /** What else is to be said of it. */
  note?: string;
  danger?: boolean;
  disabled?: boolean;
  apart?: boolean;
  /** Shown as the one that is chosen. */
  checked?: boolean;
  /** It is one of several that can be chosen: choosing it leaves the menu open. */
  stays?: boolean;
  run: () => void;
};

export type MenuTrigger = Snippet<[Record<string, unknown>]>;

/** What a trigger has until what it opens was opened, and built. */
export function untilOpened(kind: 'menu' | 'dialog', open: () => void): Record<string, unknown> {
  return {
    'aria-haspopup': kind,
    'aria-expanded': 'false',
    'data-state': 'closed',
    onclick: open,
    onkeydown: (event: KeyboardEvent) => {
      if (kind !== 'menu' || event.key !== 'ArrowDown') return;
      event.preventDefault();
      open();
    },
  };
}
