/** Headers whose values are shown only when asked for. */
const NAMES = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'www-authenticate']);
const PARTS = /(api|access|auth|private)[-_]?key|token|secret|passw|credential|session/;

export function isSensitive(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.has(lower) || PARTS.test(lower);
}
