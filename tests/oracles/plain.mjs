// Every scheme a second time, over node:crypto alone: each as its provider's documentation describes it, and `custom` as
// the settings do. Takes bodies of any bytes.

import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_S = 300;

const hmac = (algorithm, key, parts) =>
  parts.reduce((digest, part) => digest.update(part), createHmac(algorithm, key)).digest();

const same = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** A scheme with its time and its signatures in headers of their own. */
const inHeaders = ({ time, id, signature, between, write, parts, key = (secret) => secret }) => ({
  sign(request) {
    const { id: event, timestamp, secret, body } = request;
    const digest = hmac('sha256', key(secret), parts(String(timestamp), event, body));
    const headers = [[signature, write(digest)]];
    if (time) headers.push([time, String(timestamp)]);
    if (id) headers.push([id, event]);
    return headers;
  },
  verify(request) {
    const header = (name) => request.header(name) ?? '';
    const stamp = time ? header(time) : '';
    if (time && !fresh(stamp)) return false;
    const digest = hmac('sha256', key(request.secret), parts(stamp, id ? header(id) : '', request.body));
    const came = between ? header(signature).split(between) : [header(signature)];
    return came.some((one) => same(one.trim(), write(digest)));
  },
});

const fresh = (stamp) =>
  /^\d+$/.test(stamp) && Math.abs(Math.floor(Date.now() / 1000) - Number(stamp)) <= TOLERANCE_S;

const stripe = {
  sign({ timestamp, secret, body }) {
    const digest = hmac('sha256', secret, [`${timestamp}.`, body]);
    return [['Stripe-Signature', `t=${timestamp},v1=${digest.toString('hex')}`]];
  },
  verify({ header, secret, body }) {
    const pairs = (header('stripe-signature') ?? '').split(',').map((pair) => pair.split('='));
    const stamp = pairs.find(([name]) => name === 't')?.[1] ?? '';
    const digest = hmac('sha256', secret, [`${stamp}.`, body]).toString('hex');
    return fresh(stamp) && pairs.some(([name, value]) => name === 'v1' && same(value, digest));
  },
};

/** The text that a template describes, as the parts of a digest. */
const fill = ({ signed }, { stamp, event, request }) =>
  signed.split(/(\{[^}]*\})/).map((part) => {
    switch (part) {
      case '{timestamp}':
        return stamp;
      case '{id}':
        return event;
      case '{body}':
        return request.body;
      case '{method}':
      case '{path}':
      case '{query}':
        return request[part.slice(1, -1)];
      default:
        return part.startsWith('{header:') ? (request.header(part.slice(8, -1)) ?? '') : part;
    }
  });

const customSignature = (form, values) => {
  const { secret } = values.request;
  const key = form.secret === 'text' ? secret : Buffer.from(secret, form.secret);
  return form.prefix + hmac(form.algorithm, key, fill(form, values)).toString(form.encoding);
};

const custom = {
  sign(request) {
    const { form, timestamp, id: event } = request;
    const stamp = String(timestamp);
    const signature = customSignature(form, { stamp, event, request });
    const { kind, name } = form.timestamp;
    const value = kind === 'parameter' ? `${name}=${stamp}${form.separator}${signature}` : signature;
    const headers = [[form.signature_header, value]];
    if (kind === 'header') headers.push([name, stamp]);
    if (form.id_header) headers.push([form.id_header, event]);
    return headers;
  },
  verify(request) {
    const { form, header } = request;
    const { kind, name } = form.timestamp;
    const line = header(form.signature_header) ?? '';
    const came = form.separator ? line.split(form.separator) : [line];
    const beside = came.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
    const stamp = kind === 'header' ? (header(name) ?? '') : kind === 'parameter' ? (beside ?? '') : '';
    if (kind !== 'none' && !fresh(stamp)) return false;
    const event = form.id_header ? (header(form.id_header) ?? '') : '';
    const due = customSignature(form, { stamp, event, request });
    return came.some((one) => same(one, due));
  },
};

const schemes = {
  sume: inHeaders({
    time: 'X-Sume-Timestamp',
    id: 'X-Sume-Event-Id',
    signature: 'X-Sume-Signature',
    between: ',',
    write: (digest) => `v1=${digest.toString('hex')}`,
    parts: (stamp, event, body) => [stamp, '.', body],
  }),
  'standard-webhooks': inHeaders({
    time: 'webhook-timestamp',
    id: 'webhook-id',
    signature: 'webhook-signature',
    between: ' ',
    write: (digest) => `v1,${digest.toString('base64')}`,
    parts: (stamp, event, body) => [event, '.', stamp, '.', body],
    key: (secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
  }),
  stripe,
  github: inHeaders({
    signature: 'X-Hub-Signature-256',
    write: (digest) => `sha256=${digest.toString('hex')}`,
    parts: (stamp, event, body) => [body],
  }),
  shopify: inHeaders({
    signature: 'X-Shopify-Hmac-Sha256',
    write: (digest) => digest.toString('base64'),
    parts: (stamp, event, body) => [body],
  }),
  slack: inHeaders({
    time: 'X-Slack-Request-Timestamp',
    signature: 'X-Slack-Signature',
    write: (digest) => `v0=${digest.toString('hex')}`,
    parts: (stamp, event, body) => ['v0:', stamp, ':', body],
  }),
  custom,
};

export const plain = Object.entries(schemes).map(([scheme, act]) => ({
  oracle: 'node:crypto',
  scheme,
  bodies: 'bytes',
  empty: true,
  ahead: 'refused',
  ...act,
}));
