import { expect, it } from 'vitest';
import { appState } from '../test/fake';
import { arrived } from './schemes';

const forms = appState().settings.schemes;

it.each([
  [['Content-Type', 'Stripe-Signature'], 'stripe'],
  [['svix-id', 'svix-signature'], 'standard-webhooks'],
  [['X-SIGNATURE'], 'custom'],
  // Its own came, whatever stands beside it.
  [['Stripe-Signature', 'x-sume-signature'], 'sume'],
  [['Content-Type'], 'sume'],
  [[], 'sume'],
])('of %j it is %s', (headers, scheme) => {
  expect(arrived('sume', headers, forms)).toBe(scheme);
});

it('knows Sume and the custom scheme by what they are set to', () => {
  const named = { ...forms, sume: { ...forms.sume, signature_header: 'X-S' } };
  expect(arrived('github', ['x-s'], named)).toBe('sume');
  expect(arrived('github', ['x-sume-signature'], named)).toBe('github');
});
