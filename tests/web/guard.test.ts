import { request } from 'node:http';
import { expect } from 'vitest';
import { rpc } from '../support/program';
import { test } from '../support/web';

/** The status that a request with just these headers gets. */
function ask(url: URL, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((done, fail) => {
    request({ host: '127.0.0.1', port: url.port, path, headers }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    })
      .once('error', fail)
      .end();
  });
}

test('the pages open with their token, and the address keeps no token', async ({ page }) => {
  await page.getByTestId('listener').getByText('Listening').waitFor();
  expect(page.url()).not.toContain('token');
  expect(await page.title()).toBe('Inbox · Hooktwice');
});

test('without the token nothing is answered', async ({ browser, served }) => {
  const { origin } = new URL(served.page);
  const page = await browser.newPage();
  for (const address of [origin, `${origin}/?token=wrong`, `${origin}/events`]) {
    const answer = await page.goto(address);
    expect(answer?.status(), address).toBe(401);
    expect(await page.textContent('body')).toContain('hooktwice serve');
  }
  await page.close();
});

test('other Hosts and other Origins are refused, with the token too', async ({ served }) => {
  const url = new URL(served.page);
  const bearer = { Authorization: `Bearer ${url.searchParams.get('token')}` };
  expect(await ask(url, '/', { Host: url.host, ...bearer })).toBe(200);
  expect(await ask(url, '/', { Host: `evil.example:${url.port}`, ...bearer })).toBe(421);
  expect(await ask(url, '/events', { Host: url.host, Origin: 'http://evil.example', ...bearer })).toBe(403);
});

test("another site's page reads nothing and changes nothing, though the browser has the cookie", async ({
  page,
  served,
}) => {
  const other = await page.context().newPage();
  // The listener is another origin on this machine, as any local program is.
  await other.goto(served.listener);
  const reached = await other.evaluate(async (target) => {
    const body = JSON.stringify({ command: 'listener.stop', params: {} });
    const send = (init: RequestInit) =>
      fetch(`${target}/rpc`, { method: 'POST', body, credentials: 'include', ...init }).then(
        (answer) => `${answer.type} ${answer.status}`,
        () => 'refused',
      );
    // The last is what any page may send without asking; it never sees the answer.
    return [
      await send({}),
      await send({ headers: { 'Content-Type': 'application/json' } }),
      await send({ mode: 'no-cors' }),
    ];
  }, new URL(served.page).origin);
  expect(reached).toEqual(['refused', 'refused', 'opaque 0']);
  expect((await rpc(served, 'app.state', {})).listener.state).toBe('listening');
});
