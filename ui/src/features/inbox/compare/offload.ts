import { examine, type Examined } from './json';

/** Up to so many characters in all a comparison takes no longer than a frame. */
const QUICK = 64 * 1024;

/** Compares two texts, long ones in a worker. Ends early, with nothing, when it is stopped. */
export function compareTexts(
  first: string,
  second: string,
  signal: AbortSignal,
): Promise<Examined | undefined> {
  if (first.length + second.length <= QUICK || typeof Worker === 'undefined') {
    return Promise.resolve(examine(first, second));
  }
  return new Promise((done, fail) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    const end = () => worker.terminate();
    worker.addEventListener('message', ({ data }: MessageEvent<Examined>) => {
      end();
      done(data);
    });
    worker.addEventListener('error', (event) => {
      end();
      fail(new Error(`The bodies could not be compared: ${event.message || 'the worker did not start'}.`));
    });
    signal.addEventListener('abort', () => {
      end();
      done(undefined);
    });
    worker.postMessage([first, second]);
  });
}
