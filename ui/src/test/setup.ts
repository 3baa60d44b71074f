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
