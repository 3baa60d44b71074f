import { describe, expect, it } from 'vitest';
import { appState } from '../../test/fake';
import { responderSection } from './responder';
import { limitsSection, listenerSection } from './sections';
import { sumeSection } from './sume';
import { tunnelSection } from './tunnel';

const { settings } = appState();

describe('every section', () => {
  it('writes back what it read', () => {
    const odd = structuredClone(settings);
    odd.listen.responder = { kind: 'naive', pause_ms: 1500 };
    odd.listen.delay_ms = 90_500;
    odd.listen.answer_challenges = true;
    odd.listen.forward = {
      url: 'https://a.example/hook',
      copies: 3,
      valid_only: true,
      timeout_ms: 1500,
    };
    odd.tunnel = {
      preset: 'command',
      server: 'me@a.example',
      command: 'tun {port}',
      pattern: 'https://\\S+',
      path: '/hook?x=1',
      autostart: true,
    };
    odd.sume = { base_url: 'http://127.0.0.1:9/v1', key_name: 'sume-api', expect_within_s: 90 };
    odd.limits.body_bytes = 1_000_001;
    odd.retention = { deliveries: 0, bytes: 0 };
    for (const before of [settings, odd]) {
      for (const section of [listenerSection, responderSection, limitsSection, tunnelSection, sumeSection]) {
        // Each section is its own type; all are used the same way.
        const any = section as typeof limitsSection;
        const draft = any.read(before);
        expect(any.check(draft)).toEqual({});
        expect(any.apply(before, draft)).toEqual(before);
      }
    }
  });

  it('changes nothing of another', () => {
    const draft = { ...listenerSection.read(settings), port: '4500' };
    const changed = listenerSection.apply(settings, draft);
    expect(changed.listen).toEqual({ ...settings.listen, port: 4500 });
    expect(changed.limits).toBe(settings.limits);
  });
});

it('reads human units', () => {
  const limits = {
    ...limitsSection.read(settings),
    body: '5 MB',
    idle: '2m',
    deliveries: '10,000',
    bytes: '1 GiB',
  };
  const { limits: set, retention } = limitsSection.apply(settings, limits);
  expect(set).toMatchObject({ body_bytes: 5_000_000, idle_s: 120 });
  expect(retention).toEqual({ deliveries: 10_000, bytes: 1_073_741_824 });
});

it('names the field that is out of its range', () => {
  expect(
    listenerSection.check({ host: ' ', port: '65536', idPointer: 'job_id', tolerance: '1.5 s' }),
  ).toEqual({
    host: expect.any(String) as string,
    port: expect.any(String) as string,
    idPointer: expect.any(String) as string,
    tolerance: expect.any(String) as string,
  });
  const responder = responderSection.read(settings);
  expect(responderSection.check({ ...responder, kind: 'status', code: '99' })).toHaveProperty('code');
  // A code that is not in use does not stand in the way.
  expect(responderSection.check({ ...responder, kind: 'claim', code: '99' })).toEqual({});
  expect(limitsSection.check({ ...limitsSection.read(settings), head: '1 KiB' })).toHaveProperty('head');
});

describe('forwarding', () => {
  const forward = (over: object) => ({
    ...responderSection.read(settings),
    kind: 'forward' as const,
    forwardUrl: 'http://localhost:3000',
    ...over,
  });

  it('asks for a target and for numbers within their ranges, and only where it is in use', () => {
    expect(responderSection.check(forward({}))).toEqual({});
    expect(responderSection.check(forward({ forwardUrl: 'localhost:3000' }))).toHaveProperty('forwardUrl');
    expect(responderSection.check(forward({ forwardCopies: '101' }))).toHaveProperty('forwardCopies');
    expect(responderSection.check(forward({ forwardTimeout: '0 ms' }))).toHaveProperty('forwardTimeout');
    expect(responderSection.check(forward({ kind: 'claim', forwardCopies: '0' }))).toEqual({});
  });

  it('keeps the target while another responder answers', () => {
    const draft = forward({ kind: 'claim', forwardUrl: ' http://localhost:3000 ' });
    const { listen } = responderSection.apply(settings, draft);
    expect([listen.responder, listen.forward.url]).toEqual([{ kind: 'claim' }, 'http://localhost:3000']);
  });
});

describe('a tunnel', () => {
  const tunnel = (over: object) => ({ ...tunnelSection.read(settings), ...over });

  it('wants what its program wants, and nothing else', () => {
    expect(tunnelSection.check(tunnel({}))).toEqual({});
    expect(tunnelSection.check(tunnel({ preset: 'bore' }))).toEqual({});
    expect(tunnelSection.check(tunnel({ preset: 'ssh' }))).toHaveProperty('server');
    expect(tunnelSection.check(tunnel({ preset: 'ssh', server: 'me@host' }))).toEqual({});
    expect(tunnelSection.check(tunnel({ preset: 'command' }))).toHaveProperty('command');
    expect(tunnelSection.check(tunnel({ preset: 'command', command: 'tun', pattern: '' }))).toHaveProperty(
      'pattern',
    );
    expect(tunnelSection.check(tunnel({ path: 'hook' }))).toHaveProperty('path');
  });
});

it('Sume’s base URL is kept without a slash at its end', () => {
  const draft = { ...sumeSection.read(settings), baseUrl: 'http://127.0.0.1:9/v1/ ' };
  expect(sumeSection.apply(settings, draft).sume.base_url).toBe('http://127.0.0.1:9/v1');
  expect(sumeSection.check({ ...draft, baseUrl: 'api.sume.com' })).toHaveProperty('baseUrl');
  expect(sumeSection.check({ ...draft, within: '0.5 s' })).toHaveProperty('within');
});
