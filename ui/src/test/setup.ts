/* eslint-disable @typescript-eslint/unbound-method -- only looks whether a method is there */
import '@testing-library/jest-dom/vitest';
import '@testing-library/svelte/vitest';

// jsdom lays nothing out; the parts that measure themselves only need these to exist.
class NoResize implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= NoResize;
Element.prototype.scrollIntoView ??= () => {};
Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
Element.prototype.scrollTo ??= () => {};
window.matchMedia ??= (media) =>
  Object.assign(new EventTarget(), { media, matches: false, onchange: null }) as unknown as MediaQueryList;

// jsdom has dialogs that it cannot open.
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
  this.querySelector<HTMLElement>('[autofocus], button, input, select, textarea, [tabindex="0"]')?.focus();
};

// jsdom reads a blob through a FileReader only.
Blob.prototype.arrayBuffer ??= function (this: Blob) {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => done(reader.result as ArrayBuffer));
    reader.addEventListener('error', () => fail(reader.error ?? new Error('not read')));
    reader.readAsArrayBuffer(this);
  });
};
Blob.prototype.text ??= async function (this: Blob) {
  return new TextDecoder().decode(await this.arrayBuffer());
};
