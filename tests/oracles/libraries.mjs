// The providers' own libraries, each asked as its documentation shows. `bodies` says what a library can take; what it does
// not take is never asked. A refusal is `false`; any other error of a library goes through and fails the test.

import { sign as signForGitHub, verify as verifyFromGitHub } from '@octokit/webhooks-methods';
import '@shopify/shopify-api/adapters/node';
import { ApiVersion, LogSeverity, shopifyApi } from '@shopify/shopify-api';
import bolt from '@slack/bolt';
import { readFileSync } from 'node:fs';
import * as standardwebhooks from 'standardwebhooks';
import Stripe from 'stripe';
import * as svix from 'svix';

const version = (name) =>
  JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;

const text = ({ body }) => body.toString('utf8');

/** Whether something goes through; `isRefusal` tells a library's no from a fault. */
const passes = (act, isRefusal) => {
  try {
    act();
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
};

const stripe = {
  oracle: 'stripe',
  scheme: 'stripe',
  bodies: 'text',
  empty: false,
  ahead: 'taken',
  sign(request) {
    const { timestamp, secret } = request;
    const header = Stripe.webhooks.generateTestHeaderString({ payload: text(request), secret, timestamp });
    return [['Stripe-Signature', header]];
  },
  verify(request) {
    const header = request.header('stripe-signature');
    return passes(
      () => Stripe.webhooks.signature.verifyHeader(text(request), header, request.secret, 300),
      (error) => error instanceof Stripe.errors.StripeSignatureVerificationError,
    );
  },
};

/** Svix and Standard Webhooks have one interface and their own names of headers. */
const webhooks = ({ oracle, prefix, bodies, empty, library, options }) => ({
  oracle,
  scheme: 'standard-webhooks',
  bodies,
  empty,
  ahead: 'refused',
  sign(request) {
    const { secret, id, timestamp } = request;
    const signature = new library.Webhook(secret).sign(id, new Date(timestamp * 1000), text(request));
    return [
      [`${prefix}-id`, id],
      [`${prefix}-timestamp`, String(timestamp)],
      [`${prefix}-signature`, signature],
    ];
  },
  verify(request) {
    const webhook = new library.Webhook(request.secret);
    return passes(
      () => webhook.verify(text(request), Object.fromEntries(request.headers), options),
      (error) => error instanceof library.WebhookVerificationError,
    );
  },
});

const octokit = {
  oracle: '@octokit/webhooks-methods',
  scheme: 'github',
  bodies: 'text',
  empty: false,
  ahead: 'refused',
  sign: async (request) => [['X-Hub-Signature-256', await signForGitHub(request.secret, text(request))]],
  verify: (request) => verifyFromGitHub(request.secret, text(request), request.header('x-hub-signature-256')),
};

// It only verifies.
const shopify = {
  oracle: '@shopify/shopify-api',
  scheme: 'shopify',
  bodies: 'text',
  empty: false,
  ahead: 'refused',
  async verify(request) {
    const shop = shopifyApi({
      apiKey: 'key',
      apiSecretKey: request.secret,
      apiVersion: ApiVersion.July26,
      hostName: 'app.example',
      isEmbeddedApp: false,
      logger: { level: LogSeverity.Error },
    });
    // Headers that every webhook of Shopify has, and without which the library looks no further.
    const more = {
      'X-Shopify-Topic': 'orders/create',
      'X-Shopify-Shop-Domain': 'shop.example',
      'X-Shopify-API-Version': '2026-07',
      'X-Shopify-Webhook-Id': request.id,
    };
    const rawRequest = {
      method: 'POST',
      url: '/',
      headers: { ...Object.fromEntries(request.headers), ...more },
    };
    const answer = await shop.webhooks.validate({ rawBody: text(request), rawRequest });
    if (!answer.valid && answer.reason !== 'invalid_hmac') throw new Error(JSON.stringify(answer));
    return answer.valid;
  },
};

// It only verifies.
const slack = {
  oracle: '@slack/bolt',
  scheme: 'slack',
  bodies: 'text',
  empty: true,
  ahead: 'taken',
  verify(request) {
    const headers = Object.fromEntries(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
    return passes(
      () => bolt.verifySlackRequest({ signingSecret: request.secret, body: text(request), headers }),
      (error) => error.message.startsWith('Failed to verify authenticity'),
    );
  },
};

export const libraries = [
  // Whatever it verifies it also parses.
  webhooks({ oracle: 'svix', prefix: 'svix', bodies: 'json', empty: false, library: svix }),
  webhooks({
    oracle: 'standardwebhooks',
    prefix: 'webhook',
    bodies: 'text',
    empty: true,
    library: standardwebhooks,
    options: { jsonParse: false },
  }),
  stripe,
  octokit,
  shopify,
  slack,
].map((library) => ({ ...library, version: version(library.oracle) }));
