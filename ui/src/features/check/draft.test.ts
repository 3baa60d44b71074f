import type { CheckSpec } from '$bindings/CheckSpec';
import { Session } from '$host/session.svelte';
import { fromBase64 } from '$lib/bytes';
import { flushSync } from 'svelte';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkSpec } from '../../test/checks';
import { FakeHost, appState } from '../../test/fake';
import { Draft, commandsOf } from './draft.svelte';

async function fresh(app = appState()): Promise<Draft> {
  const session = new Session(new FakeHost({ 'app.state': () => app }));
  await session.start();
  return new Draft(session);
}

/** A draft that can be run. */
async function ready(): Promise<Draft> {
  const draft = await fresh();
  draft.urls[0] = ' http://localhost:3000/hook ';
  const probe = draft.add('url');
  probe.set('url', 'http://localhost:3000/effects/{job_id}');
  probe.set('pointer', '/count');
  return draft;
}

beforeEach(() => localStorage.clear());

it('asks for what is needed, and says so only when it is to be run', async () => {
  const draft = await fresh();
  expect(draft.valid).toBe(false);
  expect(draft.shown(draft.urlFault(0), '')).toBeUndefined();
  draft.attempted = true;
  expect(draft.shown(draft.urlFault(0), '')).toMatch(/Give the URL/);
  expect(draft.faults.probes).toMatch(/how the effect is seen/);
  expect((await ready()).valid).toBe(true);
});

it('runs nothing without a secret', async () => {
  const draft = await fresh(appState({ secret: null }));
  expect(draft.faults.secret).toMatch(/Settings/);
});

it('turns what was typed into what the engine is asked', async () => {
  const draft = await ready();
  draft.texts.raceBudget = '1.5';
  draft.texts.settle = '250';
  draft.texts.timeout = '2m';
  draft.texts.copies = '200';
  draft.texts.startCommand = '  node x ';
  draft.leftOut = ['large-body'];
  expect(draft.spec()).toEqual<CheckSpec>({
    urls: ['http://localhost:3000/hook'],
    body_base64: null,
    id_pointer: '/job_id',
    copies: 200,
    only: [],
    skip: ['large-body'],
    race_budget_ms: 1500,
    settle_ms: 250,
    timeout_ms: 120_000,
    start_command: 'node x',
    seed: null,
    allow_hosts: [],
    canary: true,
    effects: [{ kind: 'url', url: 'http://localhost:3000/effects/{job_id}', pointer: '/count' }],
  });
});

it('takes what another check was started with, and gives it back', async () => {
  const draft = await fresh();
  const spec = checkSpec({
    urls: ['http://localhost:1/a', 'http://localhost:2/a'],
    body_base64: btoa('{"job_id":"x"}'),
    only: ['first-delivery', 'concurrent'],
    race_budget_ms: 90_000,
    start_command: 'node x',
    canary: false,
    effects: [
      { kind: 'command', command: 'count {job_id}' },
      { kind: 'sql', database: 'sqlite:a.db', query: 'select :job_id' },
    ],
  });
  draft.take(spec);
  expect(draft.valid).toBe(true);
  expect(draft.spec()).toEqual(spec);
  expect(commandsOf(spec)).toEqual(['node x', 'count {job_id}']);
});

it('names what cannot be', async () => {
  const draft = await ready();
  Object.assign(draft.texts, {
    copies: '1',
    raceBudget: 'long',
    settle: '-1',
    timeout: '2 h',
    seed: '-1',
    idPointer: 'job_id',
  });
  draft.urls.push(draft.urls[0]!);
  draft.canary = false;
  draft.add('canary');
  expect(Object.keys(draft.faults).sort()).toEqual([
    'canary',
    'copies',
    'idPointer',
    'raceBudget',
    'seed',
    'settle',
    'timeout',
  ]);
  expect(draft.urlFault(1)).toMatch(/already/);
});

describe('the probes', () => {
  it('change places, and the first decides', async () => {
    const draft = await ready();
    const canary = draft.add('canary');
    draft.move(canary, -1);
    expect(draft.spec().effects.map(({ kind }) => kind)).toEqual(['canary', 'url']);
    draft.move(canary, -1);
    expect(draft.spec().effects.map(({ kind }) => kind)).toEqual(['canary', 'url']);
    draft.remove(canary);
    expect(draft.spec().effects.map(({ kind }) => kind)).toEqual(['url']);
  });
});

describe('c60 a body of one’s own', () => {
  it('keeps every byte until its text is edited', async () => {
    const draft = await ready();
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x0d, 0x0a, 0x7d, 0x0d]);
    await draft.template.load({ name: 'b.json', arrayBuffer: async () => bytes.buffer } as File);
    expect(fromBase64(draft.spec().body_base64!)).toEqual(bytes);
    draft.template.text = '{}';
    flushSync();
    expect(draft.spec().body_base64).toBe(btoa('{}'));
    draft.template.text = '';
    expect(draft.faults.body).toMatch(/empty/);
    draft.template.take(null);
    expect(draft.spec().body_base64).toBeNull();
  });
});

describe('the next start', () => {
  it('finds the form again', async () => {
    const draft = await ready();
    draft.template.write('{"job_id":"mine"}');
    draft.leftOut = ['retry'];
    draft.texts.seed = '7';
    draft.keep();
    const next = await fresh();
    expect(next.spec()).toEqual(draft.spec());
    expect(next.censored).toBe(false);
  });

  it('finds no secret, and is told of it until that is typed again', async () => {
    const draft = await ready();
    draft.add('sql').set('database', 'postgres://app:hush@db/app');
    draft.texts.startCommand = 'HOOK_SECRET=hush node x';
    draft.keep();
    expect(localStorage.getItem('hooktwice.check.form')).not.toContain('hush');
    const next = await fresh();
    expect(next.censored).toBe(true);
    expect(next.texts.startCommand).toBe('HOOK_SECRET= node x');
    next.keep();
    expect((await fresh()).censored).toBe(true);
  });

  it('begins anew where something else was kept', async () => {
    localStorage.setItem('hooktwice.check.form', '{"urls":[]}');
    expect((await fresh()).urls).toEqual(['']);
  });
});
