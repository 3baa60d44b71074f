import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { test } from '../support/native';
import { deliver, rpc, serve, until } from '../support/program';
import { desktop, isRunning, start } from '../support/window';

/** Waits until nothing listens at a URL; a request would be one more delivery. */
function refused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const look = () =>
    new Promise<boolean>((done) => {
      const socket = connect(Number(port), hostname);
      socket.once('connect', () => {
        socket.destroy();
        done(false);
      });
      socket.once('error', () => done(true));
    });
  return until('the port is free', look, 2000);
}

describe('a slow answer', () => {
  test.override('settings', { listen: { delay_ms: 5000 } });

  test('c86_the_window_is_closed_while_a_request_is_open', async ({ window, place, listener }) => {
    const answer = deliver(listener, 'open').then(
      (status) => status,
      () => undefined,
    );
    await window.shows('open');
    desktop('close', String(window.pid));
    await refused(listener);
    await until('the process is gone', () => !isRunning(window.pid), 3000);

    // The sender was told the truth, and the record says the same.
    const status = await answer;
    const next = await serve({ folder: place.folder });
    const { rows } = await rpc(next, 'deliveries.list', { filter: '', limit: 10, before: null, offset: 0 });
    await next.stop();
    expect(rows).toHaveLength(1);
    if (status === undefined)
      expect(rows[0]).toMatchObject({ ended: 'interrupted', status: null, claim: 'won' });
    else expect(rows[0]).toMatchObject({ ended: 'answered', status, claim: 'won' });
  });
});

test('SIGTERM ends it as closing the window does', async ({ place, listener }) => {
  const app = start(place);
  await until('the listener answers', () => fetch(listener).then((answer) => answer.ok));
  app.process.kill('SIGTERM');
  expect(await app.ended).toBe(0);
  await refused(listener);
});

test('c87_the_listener_answers_whatever_the_window_paints_with', async ({ place, listener }) => {
  const app = start(place, { WEBKIT_DISABLE_DMABUF_RENDERER: undefined });
  await until('the listener answers', () => fetch(listener).then((answer) => answer.ok));
  app.process.kill('SIGTERM');
  expect(await app.ended).toBe(0);
});
