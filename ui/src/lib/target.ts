/** The host of a URL as it was typed, without port and user: what is asked about and allowed. */
export function hostOf(url: string): string {
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(url.trim())?.[1] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return /^(\[[^\]]*\]|[^:]*)/.exec(host)?.[1] ?? host;
}

/** Why a text is no target; nothing where it may be one. The engine has the last word. */
export function targetFault(url: string): string | undefined {
  const text = url.trim();
  if (text === '') return 'Give the URL of the handler, as http://localhost:3000/webhooks/sume.';
  if (!/^https?:\/\//i.test(text)) return 'The URL has to begin with http:// or https://.';
  if (hostOf(text) === '') return 'The URL names no host.';
  return undefined;
}

/** Whether a URL is on the listener at `own`. */
export function isOn(own: string | undefined, url: string): boolean {
  return own !== undefined && (url === own || url.startsWith(`${own}/`) || url.startsWith(`${own}?`));
}

/** A URL without its scheme: short enough for a row. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//i, '');
}

/** Whether a host, as it was typed, is this machine by its looks. The engine asks for its addresses and has the last word. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
