import { Session } from '$host/session.svelte';
import { fromBase64, toBase64 } from '$lib/bytes';
import { flushSync } from 'svelte';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeHost, appState, delivery } from '../../test/fake';
import { Draft } from './draft.svelte';

const CRLF = '{\r\n  "job_id": "job_7"\r\n}\r\n';

/** A draft over a store that holds one delivery of these bytes. */
async function over(bytes: Uint8Array, app = appState()): Promise<{ draft: Draft; host: FakeHost }> {
  const host = new FakeHost({
    'app.state': () => app,
    'deliveries.show': ({ seq }) => ({
      ...delivery(seq, { size: bytes.length, query: 'a=1&b' }),
      headers: [['X-A', '1']],
      trailers: [],
      http_version: '1.1',
      peer: '127.0.0.1:5000',
      body_sha256: '',
      response_headers: [],
      forward: null,
      response_body: '',
    }),
    'deliveries.body': ({ offset }) => ({
      // Three bytes at a time: a body comes in parts.
      base64: toBase64(bytes.slice(offset, offset + 3)),
      offset,
      total: bytes.length,
      json_error: null,
    }),
  });
  const session = new Session(host);
  await session.start();
  return { draft: new Draft(session), host };
}

const text = (base64: string) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(fromBase64(base64));

beforeEach(() => localStorage.clear());

describe('c07 a stored delivery', () => {
  it('is fired from the store until its text is edited, and then with its line ends', async () => {
    const { draft } = await over(new TextEncoder().encode(CRLF));
    await draft.takeDelivery(7);
    expect(draft.body.text).toBe(CRLF);
    expect(draft.body.lineEnd).toBe('CRLF');
    expect(draft.plan()).toMatchObject({ delivery: 7, edited: false, body_base64: '' });

    draft.body.text = CRLF.replace('job_7', 'job_8');
    flushSync();
    const plan = draft.plan();
    expect(plan).toMatchObject({ delivery: 7, edited: true });
    expect(text(plan.body_base64)).toBe('{\r\n  "job_id": "job_8"\r\n}\r\n');

    draft.body.endLinesWith('LF');
    expect(text(draft.plan().body_base64)).toBe('{\n  "job_id": "job_8"\n}\n');

    draft.body.revert();
    expect(draft.plan()).toMatchObject({ edited: false, body_base64: '' });
  });

  it('that is not text is not opened and still fired', async () => {
    const bytes = new Uint8Array([0, 255, 13, 10, 1]);
    const { draft } = await over(bytes);
    await draft.takeDelivery(7);
    expect(draft.body.text).toBeUndefined();
    expect(draft.body.binary).toBe(true);
    expect(draft.body.bytes).toEqual(bytes);
    expect(draft.plan()).toMatchObject({ delivery: 7, edited: false });
  });

  it('goes to its own path on the listener, and stays away from another target', async () => {
    const { draft } = await over(new TextEncoder().encode('{}'));
    await draft.takeDelivery(7);
    expect(draft.plan().url).toBe('http://127.0.0.1:4400/webhooks/sume?a=1&b');
    draft.target.url = 'http://localhost:3000/hook';
    await draft.takeDelivery(7);
    expect(draft.plan().url).toBe('http://localhost:3000/hook');
  });
});

it('c60 sends the exact bytes of a file', async () => {
  const { draft } = await over(new Uint8Array());
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x0d, 0x0a, 0x7d, 0x0d]);
  await draft.body.loadFile({ name: 'body.json', arrayBuffer: async () => bytes.buffer } as File);
  expect(fromBase64(draft.plan().body_base64)).toEqual(bytes);
  expect(draft.plan()).toMatchObject({ delivery: null, edited: false });
  expect(draft.body.lineEnd).toBe('mixed');
});

it('brings back an edited body that another one replaced', async () => {
  const { draft } = await over(new TextEncoder().encode('{}'));
  draft.body.text = 'mine';
  flushSync();
  await draft.takeDelivery(7);
  expect(draft.body.text).toBe('{}');
  draft.body.restore();
  expect(draft.body.text).toBe('mine');
  expect(draft.plan()).toMatchObject({ delivery: null, body_base64: btoa('mine') });
});

it('begins with a job that no delivery had before', async () => {
  const [one, other] = [await over(new Uint8Array()), await over(new Uint8Array())];
  expect(JSON.parse(one.draft.body.text ?? '')).toMatchObject({ event: 'job.completed' });
  expect(one.draft.body.text).not.toBe(other.draft.body.text);
});

it('signs nothing without a secret', async () => {
  const without = await over(new Uint8Array(), appState({ secret: null }));
  expect(without.draft.plan().signing).toBe('verbatim');
  expect((await over(new Uint8Array())).draft.plan().signing).toBe('each');
});

it('turns what was chosen into a plan', async () => {
  const { draft } = await over(new Uint8Array());
  draft.preset = 'row';
  expect(draft.plan()).toMatchObject({ copies: 2, release: { kind: 'sequential' } });
  draft.release = 'gap';
  draft.gap = '1.5 ms';
  draft.timeout = '2m';
  draft.headers = 'X-A: 1';
  expect(draft.preset).toBeUndefined();
  expect(draft.plan()).toMatchObject({
    release: { kind: 'gap', ms: 1.5 },
    timeout_ms: 120_000,
    headers: [['X-A', '1']],
  });
});

it('names what cannot be fired', async () => {
  const { draft } = await over(new Uint8Array());
  expect(draft.valid).toBe(true);
  draft.target.url = 'localhost:3000';
  draft.copies = '1001';
  draft.timeout = 'long';
  draft.headers = 'none';
  expect(Object.keys(draft.faults).sort()).toEqual(['copies', 'headers', 'timeout', 'url']);
});

it('remembers the last targets, and the listener by no port', async () => {
  const { draft } = await over(new Uint8Array());
  draft.target.url = 'http://localhost:3000/hook';
  draft.target.used();
  draft.target.useOwn();
  draft.target.used();
  const moved = appState({ listener: { state: 'listening', url: 'http://127.0.0.1:5500', exposed: false } });
  const next = (await over(new Uint8Array(), moved)).draft.target;
  expect(next.url).toBe('http://127.0.0.1:5500/webhooks/sume');
  expect(next.recent).toEqual(['http://localhost:3000/hook']);
});

it('a volley of a stored delivery is released together, whatever was chosen before', async () => {
  const { draft } = await over(new TextEncoder().encode(CRLF));
  await draft.takeDelivery(7);
  draft.preset = 'schedule';
  draft.volley(20);
  expect(draft.scheduled).toBe(false);
  expect(draft.preset).toBe('twenty');
  expect(draft.plan()).toMatchObject({ delivery: 7, copies: 20, release: { kind: 'together' } });
  draft.volley(1);
  expect(draft.preset).toBe('once');
});
