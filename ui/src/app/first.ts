import type { First } from '$bindings/First';
import { chooseHost } from '$host/choose';

declare global {
  interface Window {
    /** What the shell has answered before it was asked, as JSON. */
    hooktwiceFirst?: string;
  }
}

export const host = chooseHost();

/**
 * What the first picture shows: it came with the page, or is asked for before anything else. Nothing where it cannot be
 * had: each part of it is asked for once more, and told, where it is shown.
 */
export const first: First | Promise<First | undefined> = window.hooktwiceFirst
  ? (JSON.parse(window.hooktwiceFirst) as First)
  : host.rpc('app.first', {}).catch(() => undefined);
