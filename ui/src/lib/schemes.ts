import type { SchemeSettings } from '$bindings/SchemeSettings';

/** The schemes in the order in which they are offered: how people call each, what it signs, where its signature is. */
export const SCHEMES = [
  {
    value: 'sume',
    label: 'Sume',
    signs: 'The time and the body, in hex. Its header names are set here.',
    headers: [],
  },
  {
    value: 'standard-webhooks',
    label: 'Standard Webhooks',
    signs:
      'The id, the time and the body, in base64; webhook- and svix- headers are both read. A secret is base64, with or without whsec_.',
    headers: ['webhook-signature', 'svix-signature'],
  },
  {
    value: 'stripe',
    label: 'Stripe',
    signs: 'The time and the body, in hex, in Stripe-Signature. A secret is its text, whsec_ included.',
    headers: ['stripe-signature'],
  },
  {
    value: 'github',
    label: 'GitHub',
    signs: 'The body, in hex, in X-Hub-Signature-256. No time is signed, so none grows stale.',
    headers: ['x-hub-signature-256'],
  },
  {
    value: 'shopify',
    label: 'Shopify',
    signs: 'The body, in base64, in X-Shopify-Hmac-Sha256. No time is signed, so none grows stale.',
    headers: ['x-shopify-hmac-sha256'],
  },
  {
    value: 'slack',
    label: 'Slack',
    signs: 'A version, the time and the body, in hex, in X-Slack-Signature.',
    headers: ['x-slack-signature'],
  },
  { value: 'custom', label: 'Custom', signs: 'What is set here.', headers: [] },
] as const;

/** What a scheme signs; empty for one that is not known. */
export function signs(scheme: string): string {
  return SCHEMES.find(({ value }) => value === scheme)?.signs ?? '';
}

/** How people call a scheme. */
export function schemeLabel(scheme: string): string {
  return SCHEMES.find(({ value }) => value === scheme)?.label ?? scheme;
}

/**
 * The scheme whose signature came, by the names of the headers: the one that was asked where its own came, or where
 * none came at all.
 */
export function arrived(asked: string, headers: readonly string[], forms: SchemeSettings): string {
  const came = new Set(headers.map((name) => name.toLowerCase()));
  const isHere = ({ value, headers: own }: (typeof SCHEMES)[number]) => {
    if (value === 'sume') return came.has(forms.sume.signature_header.toLowerCase());
    if (value === 'custom') return came.has(forms.custom.signature_header.toLowerCase());
    return own.some((name) => came.has(name));
  };
  const here = SCHEMES.filter(isHere).map(({ value }) => value as string);
  return here.includes(asked) ? asked : (here[0] ?? asked);
}
