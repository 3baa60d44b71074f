import { describe, expect, it } from 'vitest';
import { appState } from '../../test/fake';
import { isLoopback, limitsSection, listenerSection, responderSection } from './sections';

const { settings } = appState();

describe('every section', () => {
  it('writes back what it read', () => {
    const odd = structuredClone(settings);
    odd.listen.responder = { kind: 'naive', pause_ms: 1500 };
    odd.listen.delay_ms = 90_500;
    odd.listen.answer_challenges = true;
    odd.limits.body_bytes = 1_000_001;
    odd.retention = { deliveries: 0, bytes: 0 };
    for (const before of [settings, odd]) {
      for (const section of [listenerSection, responderSection, limitsSection]) {
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

it('knows which addresses are only this machine', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1', '[::1]', '127.1.2.3'])
    expect(isLoopback(host)).toBe(true);
  for (const host of ['0.0.0.0', '::', '192.168.1.2', '127.example', 'localhost.example']) {
    expect(isLoopback(host)).toBe(false);
  }
});
