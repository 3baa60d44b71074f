import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { appState, delivery, FakeHost } from '../test/fake';
import { Session } from './session.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const counts = () => ({ all: 1, duplicates: 0, bad_signature: 0, failed: 0 });
const settle = () => vi.advanceTimersByTimeAsync(2000);

it('a burst of events costs a few questions, and every listener hears all of them', async () => {
  const host = new FakeHost({ 'deliveries.counts': counts });
  const session = new Session(host);
  await session.start();
  let heard = 0;
  const stop = session.listen({ events: (events) => (heard += events.length) });
  for (let i = 0; i < 60; i += 1) {
    host.send(Array.from({ length: 200 }, (_, n) => ({ type: 'delivery' as const, delivery: delivery(n) })));
    await vi.advanceTimersByTimeAsync(33);
  }
  await settle();
  expect(heard).toBe(12_000);
  expect(host.asked('app.state')).toBeLessThan(12);
  expect(host.asked('deliveries.counts')).toBeLessThan(12);
  stop();
  host.send([{ type: 'claims-changed' }]);
  expect(heard).toBe(12_000);
});

it('copies of a run and scenarios of a check ask for nothing', async () => {
  const host = new FakeHost({ 'deliveries.counts': counts });
  const session = new Session(host);
  await session.start();
  await settle();
  const before = host.calls.length;
  host.send([
    { type: 'copy', run: 'r', copy: {} as never },
    { type: 'scenario', check: 'c', scenario: {} as never },
  ]);
  await settle();
  expect(host.calls.length).toBe(before);
});

it('tells that events were lost', async () => {
  const host = new FakeHost({ 'deliveries.counts': counts });
  const session = new Session(host);
  await session.start();
  const missed = vi.fn();
  session.listen({ missed });
  host.send([], true);
  expect(missed).toHaveBeenCalledOnce();
});

it('says why there is no state, and starts when asked again', async () => {
  const host = new FakeHost({ 'deliveries.counts': counts });
  delete host.answers['app.state'];
  const session = new Session(host);
  await session.start();
  expect([session.app, session.error?.code]).toEqual([undefined, 'not-found']);
  host.answers['app.state'] = () => appState({ claims: 3 });
  await session.start();
  expect([session.app?.claims, session.error]).toEqual([3, undefined]);
});

it('what came with the page is its first state, nobody later has it, and a second start asks', async () => {
  const host = new FakeHost({
    'app.state': () => appState({ claims: 2 }),
    'deliveries.counts': () => ({ ...counts(), all: 2 }),
  });
  const state = appState({ claims: 1, next_event: 7 });
  const session = new Session(host, {
    state,
    counts: counts(),
    deliveries: { rows: [], total: 0 },
    curl: null,
  });
  expect([session.app?.claims, session.counts?.all]).toEqual([1, 1]);
  await session.start();
  await settle();
  expect([session.first, host.from]).toEqual([undefined, 7]);
  expect([host.asked('app.state'), host.asked('deliveries.counts')]).toEqual([0, 0]);
  host.send([{ type: 'deliveries-changed' }]);
  await settle();
  expect([session.app?.claims, session.counts?.all]).toEqual([2, 2]);
  const before = host.asked('app.state');
  await session.start();
  expect(host.asked('app.state')).toBe(before + 1);
});

it('asks for the state when the connection is lost and when it is back', async () => {
  const host = new FakeHost({ 'deliveries.counts': counts });
  const session = new Session(host);
  await session.start();
  await settle();
  const before = host.asked('app.state');
  host.connection('lost');
  expect(session.connection).toBe('lost');
  host.connection('live');
  await settle();
  expect([session.connection, host.asked('app.state') - before]).toEqual(['live', 2]);
});

it('c88_a_page_that_nobody_sees_asks_nothing_and_catches_up_once', async () => {
  const host = new FakeHost({ 'deliveries.counts': counts });
  const session = new Session(host);
  await session.start();
  await settle();
  let missed = 0;
  session.listen({ missed: () => (missed += 1) });
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  const before = host.calls.length;
  for (let n = 1; n <= 100; n += 1) {
    host.send([{ type: 'delivery', delivery: delivery(n) }]);
    await vi.advanceTimersByTimeAsync(3000);
  }
  expect(host.calls.length).toBe(before);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event('visibilitychange'));
  await settle();
  expect([missed, host.asked('app.state'), host.asked('deliveries.counts')]).toEqual([1, 2, 2]);
  session.stop();
  vi.restoreAllMocks();
});
