import { isTyping } from '$lib/typing';
import type { Actions } from './actions.svelte';
import type { Deliveries } from './deliveries.svelte';

type Hands = {
  /** Brings a row into sight. */
  reveal: (index: number) => void;
  /** Follows again, from the top. */
  follow: () => void;
  focusFilter: () => void;
  openDetail: () => void;
};

/** The Inbox's keys. Returns whether the key was one. */
export function pressed(event: KeyboardEvent, list: Deliveries, actions: Actions, hands: Hands): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || inside(event)) return false;
  const row = list.selected;
  switch (event.key) {
    case 'j':
    case 'ArrowDown':
      hands.reveal(list.move(1));
      return true;
    case 'k':
    case 'ArrowUp':
      hands.reveal(list.move(-1));
      return true;
    case 'PageDown':
      hands.reveal(list.move(20));
      return true;
    case 'PageUp':
      hands.reveal(list.move(-20));
      return true;
    case '/':
      hands.focusFilter();
      return true;
    case ' ':
      if (list.following) list.hold();
      else hands.follow();
      return true;
    case 'Escape':
      list.select(undefined);
      list.settle();
      return true;
    case 'Enter':
      if (!row) hands.reveal(list.move(1));
      hands.openDetail();
      return true;
  }
  if (!row) return false;
  switch (event.key) {
    case 'r':
      actions.fireAgain(row);
      return true;
    case 'e':
      actions.edit(row);
      return true;
    case 'c':
      void actions.copyCurl(row);
      return true;
    case 'p':
      void actions.pin(row);
      return true;
    case 'Delete':
      actions.remove(row);
      return true;
    default:
      return false;
  }
}

/** Whether a control that has the focus takes the key itself: a button, a tab, a menu, a dialog. */
function inside(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]')) return true;
  const own = ['Enter', ' ', 'ArrowDown', 'ArrowUp', 'PageDown', 'PageUp'].includes(event.key);
  return (
    own && target.closest('button, a, summary, [role="tab"], [role="tree"], [role="separator"]') !== null
  );
}
