import { inOverlay, isTyping } from '$lib/typing';
import type { Actions } from './actions.svelte';
import type { Deliveries } from './deliveries.svelte';
import type { Hands } from './hands.svelte';

/** How far the keys of a page go. */
const PAGE = 20;

/** The Inbox's keys. Returns whether the key was one. */
export function pressed(event: KeyboardEvent, list: Deliveries, actions: Actions, hands: Hands): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || inside(event)) return false;
  const row = list.selected;
  if (event.key === 'ContextMenu' || (event.shiftKey && event.key === 'F10')) {
    if (row) hands.openMenu();
    return row !== undefined;
  }
  switch (event.key) {
    case 'j':
    case 'ArrowDown':
      hands.moveTo(list.move(1));
      return true;
    case 'k':
    case 'ArrowUp':
      hands.moveTo(list.move(-1));
      return true;
    case 'PageDown':
      hands.moveTo(list.move(PAGE));
      return true;
    case 'PageUp':
      hands.moveTo(list.move(-PAGE));
      return true;
    case 'Home':
      hands.moveTo(list.move(-list.length));
      return true;
    case 'End':
      hands.moveTo(list.move(list.length));
      return true;
    case '/':
      hands.focusFilter();
      return true;
    case ' ':
      if (list.following) list.hold();
      else hands.follow();
      return true;
    case 'Escape':
      if (hands.leave()) return true;
      list.select(undefined);
      list.settle();
      return true;
    case 'Enter':
      if (!row) hands.moveTo(list.move(1));
      hands.openDetail();
      return true;
  }
  // A key that is held down does something once.
  if (!row || event.repeat) return false;
  const action = actions.items(row).find(({ keys }) => keys?.includes(event.key));
  if (!action || action.disabled) return false;
  action.run();
  return true;
}

/** Whether a control that has the focus takes the key itself: a button, a tab, a menu, a dialog. */
function inside(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (inOverlay(event)) return true;
  return (
    OWN.includes(event.key) &&
    target.closest('button, a, summary, [role="tab"], [role="tree"], [role="separator"]') !== null
  );
}

/** The keys that controls take themselves. */
const OWN = ['Enter', ' ', 'ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End'];
