/** Whether a key press is text for a field, and so no command. */
export function isTyping(event: KeyboardEvent): boolean {
  // The editor stands in a shadow tree: outside of it the event names its host.
  const target = event.composedPath()[0] ?? event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest('[contenteditable="true"]')) return true;
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return (
    target instanceof HTMLInputElement && !['button', 'checkbox', 'radio', 'range'].includes(target.type)
  );
}

/** Whether a key press is for something that lies over the page: a dialog, a menu, a list to choose from. */
export function inOverlay({ target }: KeyboardEvent): boolean {
  // It has the keys even where a click beside its fields has left the focus nowhere.
  if (document.querySelector('dialog[open]')) return true;
  const over = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';
  return target instanceof Element && target.closest(over) !== null;
}

/** Whether a key press runs what the page is for: Ctrl+Enter, from its fields too, but not from a dialog over it. */
export function isRun(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !inOverlay(event);
}
