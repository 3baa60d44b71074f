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
