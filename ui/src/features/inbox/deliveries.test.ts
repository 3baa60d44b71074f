import type { Delivery } from '$bindings/Delivery';
import { Session } from '$host/session.svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { appState, delivery, FakeHost } from '../../test/fake';
import { Deliveries } from './deliveries.svelte';

let stored: Delivery[];
let host: FakeHost;
let list: Deliveries;
let stop: () => void;

const settle = () => vi.advanceTimersByTimeAsync(2000);

function come(count: number) {
  const events = Array.from({ length: count }, () => {
    const one = delivery(stored.length + 1);
    stored.push(one);
    return { type: 'delivery' as const, delivery: one };
  });
  host.send(events);
}

beforeEach(async () => {
  vi.useFakeTimers();
  stored = Array.from({ length: 300 }, (_, i) => delivery(i + 1));
  host = new FakeHost({
    'deliveries.list': ({ filter, before, offset, limit, quick }) => {
      const match = stored.filter((row) => filter === '' || row.job_id === filter);
      const older = match.filter((row) => before === null || row.seq < before).reverse();
      const rows = older.slice(offset, offset + limit);
      const more = quick === true && rows.length < older.length - offset;
      return { rows, total: more ? offset + rows.length : match.length, more };
    },
    'deliveries.counts': () => ({ all: stored.length, duplicates: 0, bad_signature: 0, failed: 0 }),
  });
  const session = new Session(host);
  await session.start();
  list = new Deliveries(session);
  stop = list.start();
  await settle();
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

it('follows: the newest is on top', async () => {
  expect([list.length, list.rows.get(0)?.seq]).toEqual([300, 300]);
  come(1);
  await settle();
  expect([list.length, list.rows.get(0)?.seq, list.fresh]).toEqual([301, 301, 0]);
});

describe('a page that came with its first rows', () => {
  let session: Session;
  beforeEach(() => {
    stop();
    const counts = { all: 300, duplicates: 0, bad_signature: 0, failed: 0 };
    const deliveries = { rows: stored.slice(-50).reverse(), total: 300 };
    session = new Session(host, { state: appState(), counts, deliveries, curl: null });
    list = new Deliveries(session);
    stop = list.start();
  });

  it('has them at once, and asks for no more until others are seen', async () => {
    const before = host.asked('deliveries.list');
    expect([list.loaded, list.length, list.rows.size, list.rows.get(0)?.seq]).toEqual([true, 300, 50, 300]);
    await session.start();
    list.see(0, 27);
    await settle();
    expect(host.asked('deliveries.list')).toBe(before);
    list.see(40, 67);
    await settle();
    expect([host.asked('deliveries.list'), list.rows.get(66)?.seq]).toEqual([before + 1, 234]);
  });

  it('shows what comes after them', async () => {
    await session.start();
    come(1);
    await settle();
    expect([list.length, list.rows.get(0)?.seq]).toEqual([301, 301]);
  });
});

it('10,000 deliveries in two seconds cost a handful of questions', async () => {
  const before = host.asked('deliveries.list');
  for (let i = 0; i < 60; i += 1) {
    come(170);
    await vi.advanceTimersByTimeAsync(33);
  }
  await settle();
  expect(host.asked('deliveries.list') - before).toBeLessThanOrEqual(10);
  expect(list.length).toBe(300 + 60 * 170);
  expect(list.rows.size).toBeLessThanOrEqual(150);
});

it('a selected row does not move, and what came is counted', async () => {
  list.select(list.rows.get(5));
  come(12);
  await settle();
  expect([list.following, list.fresh, list.length]).toEqual([false, 12, 300]);
  expect([list.rows.get(0)?.seq, list.indexOf(295)]).toEqual([300, 5]);
  list.follow();
  await settle();
  expect([list.following, list.fresh, list.rows.get(0)?.seq]).toEqual([true, 0, 312]);
});

it('follows again by itself only where nothing would move', async () => {
  list.hold();
  list.settle();
  expect(list.following).toBe(true);
  list.hold();
  come(1);
  await settle();
  list.settle();
  expect([list.following, list.fresh]).toEqual([false, 1]);
});

it('loads what is scrolled to', async () => {
  list.hold();
  list.see(200, 230);
  await settle();
  expect(list.rows.get(210)?.seq).toBe(90);
  const asked = host.asked('deliveries.list');
  list.see(205, 235);
  await settle();
  expect(host.asked('deliveries.list')).toBe(asked);
});

it('moves by rows and stops at the ends', () => {
  expect(list.move(1)).toBe(0);
  expect(list.selected?.seq).toBe(300);
  list.move(1);
  expect(list.selected?.seq).toBe(299);
  expect(list.move(-9)).toBe(0);
});

it('an answer to an older filter is dropped', async () => {
  let release = () => {};
  const slow = new Promise<void>((resolve) => (release = resolve));
  const answer = host.answers['deliveries.list']!;
  host.answers['deliveries.list'] = async (params) => {
    if (params.filter === 'slow') await slow;
    return answer(params);
  };
  list.filterBy('slow', 'all');
  await vi.advanceTimersByTimeAsync(100);
  list.filterBy('job_7', 'all');
  release();
  await settle();
  expect([list.length, list.rows.get(0)?.seq]).toEqual([1, 7]);
});

it('the first rows of a filter are there before it is counted', async () => {
  stored = Array.from({ length: 300 }, (_, i) => delivery(i + 1, { job_id: 'many' }));
  let count = () => {};
  const counted = new Promise<void>((resolve) => (count = resolve));
  const answer = host.answers['deliveries.list']!;
  host.answers['deliveries.list'] = async (params) => {
    if (params.quick !== true) await counted;
    return answer(params);
  };
  list.filterBy('many', 'all');
  await settle();
  expect([list.length, list.rows.get(0)?.seq]).toEqual([100, 300]);
  list.select(list.rows.get(1));
  count();
  await settle();
  expect([list.length, list.fresh]).toEqual([300, 0]);
});

it('says that nothing matches only when that was answered', async () => {
  let release = () => {};
  const answer = host.answers['deliveries.list']!;
  const slow = () => {
    const wait = new Promise<void>((resolve) => (release = resolve));
    host.answers['deliveries.list'] = async (params) => (await wait, answer(params));
  };
  expect(list.none).toBe(false);
  slow();
  list.filterBy('nowhere', 'all');
  await settle();
  expect(list.none).toBe(false);
  release();
  await settle();
  expect([list.none, list.length]).toEqual([true, 0]);
  // Nor is it said of the next filter what was true of the last.
  slow();
  list.filterBy('', 'all');
  await settle();
  expect(list.none).toBe(false);
  release();
  await settle();
  expect([list.none, list.length]).toEqual([false, 300]);
});

it('deleting keeps the count of what came', async () => {
  list.select(list.rows.get(3));
  come(2);
  await settle();
  stored = stored.filter((row) => row.seq !== 297);
  list.removed([297]);
  await settle();
  expect([list.selected, list.fresh, list.length]).toEqual([undefined, 2, 299]);
});

it('asks nothing while its page is not shown, and catches up', async () => {
  list.wake(false);
  const asked = host.asked('deliveries.list');
  come(3);
  await settle();
  expect(host.asked('deliveries.list')).toBe(asked);
  list.wake(true);
  await settle();
  expect(list.length).toBe(303);
});

it('marks the kin of the selected row', () => {
  list.select(delivery(1, { job_id: 'a' }));
  expect(list.isKin(delivery(2, { job_id: 'a' }))).toBe(true);
  expect(list.isKin(delivery(2, { job_id: 'a', job_id_type: 'number' }))).toBe(false);
  expect(list.isKin(delivery(2, { job_id: 'a', path: '/other' }))).toBe(false);
  expect(list.isKin(delivery(1, { job_id: 'a' }))).toBe(false);
  list.select(delivery(1, { job_id: null }));
  expect(list.isKin(delivery(2, { job_id: null }))).toBe(false);
});

it('an error stands until an answer comes', async () => {
  const answer = host.answers['deliveries.list']!;
  delete host.answers['deliveries.list'];
  list.reload();
  await settle();
  expect(list.error?.code).toBe('not-found');
  host.answers['deliveries.list'] = answer;
  list.reload();
  await settle();
  expect(list.error).toBeUndefined();
});
