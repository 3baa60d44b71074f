// A burst of signed deliveries over kept-alive connections, in a process of its own so that it takes no turn of the
// test's. Everything is signed and written out before the first byte is sent.
//
//     node load.mjs '{"url":"http://127.0.0.1:4400/hook","secret":"…","count":10000,"seconds":2,"every":10}'
//
// Each `every`-th delivery repeats the job before it. With `"like":"sume"` bodies are as long and as varied as real ones,
// 500 bytes to 2 KiB; a body in a thousand holds "moonlit", and every one holds "artifacts". The one line on stdout says what came of it. A listener that is
// stopped meanwhile ends it early.

import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

const {
  url,
  secret,
  count,
  seconds,
  every = 0,
  connections = 32,
  like = 'short',
} = JSON.parse(process.argv[2]);
const { hostname, port, pathname } = new URL(url);

const WORDS = (
  'a slow pan over the harbour at dawn with gulls and fishing boats while warm light fills every window of the old town ' +
  'camera rises above red roofs toward distant hills soft rain neon street crowd portrait studio wind grass river stone'
).split(' ');

/** A number from 0 to below `most`, the same in every run. */
let seed = 1;
function chance(most) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * most);
}

function event(n, job) {
  const short = { event: 'job.completed', job_id: `load_${job}`, status: 'completed' };
  if (like === 'short') return JSON.stringify(short);
  const words = Array.from({ length: 40 + chance(240) }, () => WORDS[chance(WORDS.length)]);
  if (n % 1000 === 0) words[7] = 'Moonlit';
  const file = Array.from({ length: 4 }, () => chance(2 ** 32).toString(16)).join('');
  const failed = n % 20 === 0 ? { event: 'job.failed', status: 'failed' } : {};
  return JSON.stringify({
    ...short,
    ...failed,
    status_url: `https://api.sume.com/v1/jobs/load_${job}/status`,
    artifacts: [{ type: 'video/mp4', url: `https://cdn.sume.com/${file}/final.mp4`, seconds: chance(60) }],
    metadata: { order: n, customer: `cus_${chance(5000)}`, prompt: words.join(' ') },
  });
}

function request(n) {
  const job = every > 0 && n % every === 0 ? n - 1 : n;
  const body = event(n, job);
  const at = Math.floor(Date.now() / 1000);
  const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n` +
      `X-Sume-Timestamp: ${at}\r\nX-Sume-Signature: v1=${digest}\r\nX-Sume-Event-Id: evt_${n}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const requests = Array.from({ length: count }, (_, n) => request(n + 1));
const statuses = {};
let next = 0;

/** Sends on one connection what is due, one after another, until all of them are sent. */
async function send(begun) {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  // What broke is seen where the answer is waited for.
  socket.on('error', () => undefined);
  const heads = socket[Symbol.asyncIterator]();
  let seen = '';
  while (next < count) {
    const n = next++;
    const early = begun + (n / count) * seconds * 1000 - Date.now();
    if (early > 1) await setTimeout(early);
    socket.write(requests[n]);
    // An answer here has no body, so it ends with its head.
    while (!seen.includes('\r\n\r\n')) {
      const { value, done } = await heads.next().catch(() => ({ done: true }));
      if (done) return;
      seen += value;
    }
    const status = seen.slice(9, 12);
    statuses[status] = (statuses[status] ?? 0) + 1;
    seen = '';
  }
  socket.destroy();
}

const begun = Date.now();
await Promise.all(Array.from({ length: connections }, () => send(begun)));
const ended = Date.now();
process.stdout.write(`${JSON.stringify({ statuses, ended, seconds: (ended - begun) / 1000 })}\n`);
