import type { Batch } from '$bindings/Batch';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BrowserHost } from './browser';
import { HostError } from './host';

const fetched = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', fetched);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  fetched.mockReset();
});

const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });

it('a command goes with its cookie and comes back as its result', async () => {
  fetched.mockResolvedValueOnce(json({ ok: { changed: 2 } }));
  const host = new BrowserHost();
  expect(await host.rpc('deliveries.delete', { seqs: [1, 2] })).toEqual({ changed: 2 });
  const [address, init] = fetched.mock.calls[0]!;
  expect([address, init?.method, init?.credentials]).toEqual(['rpc', 'POST', 'same-origin']);
  expect(init?.body).toBe('{"command":"deliveries.delete","params":{"seqs":[1,2]}}');
});

it.each([
  [json({ error: { code: 'not-found', message: 'gone' } }), 'not-found', /gone/],
  [json({}, 401), 'bad-input', /hooktwice serve/],
])('an error comes with its code', async (answer, code, message) => {
  fetched.mockResolvedValueOnce(answer);
  const failed = await new BrowserHost().rpc('app.state', {}).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(HostError);
  expect((failed as HostError).code).toBe(code);
  expect((failed as HostError).message).toMatch(message);
});

it('no answer is said to be one', async () => {
  fetched.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await expect(new BrowserHost().rpc('app.state', {})).rejects.toMatchObject({ code: 'unreachable' });
});

it('events go on from the last number after a break', async () => {
  const stream = (batches: Batch[]) =>
    new Response(batches.map((batch) => `${JSON.stringify(batch)}\n`).join(''));
  const batch = (first: number): Batch => ({ first, events: [{ type: 'state-changed' }], missed: false });
  fetched.mockResolvedValueOnce(stream([batch(5), batch(6)]));
  fetched.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  fetched.mockResolvedValueOnce(stream([batch(7)]));
  fetched.mockImplementation(() => new Promise<Response>(() => {}));
  const got: number[] = [];
  const states: string[] = [];
  const stop = new BrowserHost().subscribe(
    5,
    (one) => got.push(one.first),
    (state) => states.push(state),
  );
  await vi.advanceTimersByTimeAsync(5000);
  stop();
  expect(got).toEqual([5, 6, 7]);
  expect(fetched.mock.calls.map(([address]) => address)).toEqual([
    'events?from=5',
    'events?from=7',
    'events?from=7',
    'events?from=8',
  ]);
  expect(states).toEqual(['live', 'lost', 'lost', 'live', 'lost']);
});
