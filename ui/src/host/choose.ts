import type { Host } from './host';

/** The desktop shell where there is one, else the server that these pages came from. */
export async function chooseHost(): Promise<Host> {
  if ('__TAURI_INTERNALS__' in window) {
    const { TauriHost } = await import('./tauri');
    return new TauriHost();
  }
  const { BrowserHost } = await import('./browser');
  return new BrowserHost();
}
