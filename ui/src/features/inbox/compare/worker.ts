import { examine } from './json';

/** Compares away from the page, which stays quick meanwhile. */
self.addEventListener('message', ({ data }: MessageEvent<[first: string, second: string]>) => {
  self.postMessage(examine(...data));
});
