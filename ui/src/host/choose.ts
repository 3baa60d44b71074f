import { BrowserHost } from './browser';
import type { Host } from './host';
import { TauriHost } from './tauri';

/** The desktop shell where there is one, else the server that these pages came from. */
export function chooseHost(): Host {
  return '__TAURI_INTERNALS__' in window ? new TauriHost() : new BrowserHost();
}
