// The providers' libraries for the sample handlers, which have no packages of their own.

export { verify as verifyFromGitHub } from '@octokit/webhooks-methods';
export { default as Stripe } from 'stripe';
