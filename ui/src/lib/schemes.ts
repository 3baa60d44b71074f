/** The schemes in the order in which they are offered: how people call each, and what it signs. */
export const SCHEMES = [
  { value: 'sume', label: 'Sume', signs: 'The time and the body, in hex. Its header names are set here.' },
  {
    value: 'standard-webhooks',
    label: 'Standard Webhooks',
    signs:
      'The id, the time and the body, in base64; webhook- and svix- headers are both read. A secret is base64, with or without whsec_.',
  },
  {
    value: 'stripe',
    label: 'Stripe',
    signs: 'The time and the body, in hex, in Stripe-Signature. A secret is its text, whsec_ included.',
  },
  {
    value: 'github',
    label: 'GitHub',
    signs: 'The body, in hex, in X-Hub-Signature-256. No time is signed, so none grows stale.',
  },
  {
    value: 'shopify',
    label: 'Shopify',
    signs: 'The body, in base64, in X-Shopify-Hmac-Sha256. No time is signed, so none grows stale.',
  },
  {
    value: 'slack',
    label: 'Slack',
    signs: 'A version, the time and the body, in hex, in X-Slack-Signature.',
  },
  { value: 'custom', label: 'Custom', signs: 'What is set here.' },
] as const;

/** What a scheme signs; empty for one that is not known. */
export function signs(scheme: string): string {
  return SCHEMES.find(({ value }) => value === scheme)?.signs ?? '';
}
