import { request } from 'node:http';
import { expect } from 'vitest';
import { rpc } from '../support/program';
import { test } from '../support/web';

/** The pages, the stream of events, the commands. */
const ROUTES = ['/', '/events?from=0', '/rpc'] as const;

/** The status that a request with just these headers gets. */
function ask(url: URL, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((done, fail) => {
    request({ host: '127.0.0.1', port: url.port, path, headers }, (answer) => {
      // The stream of events has no end.
      answer.destroy();
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
  const statuses = (headers: Record<string, string>) =>
    Promise.all(ROUTES.map((route) => ask(url, route, { Host: url.host, ...bearer, ...headers })));
  const [page, events, rpc] = [200, 200, 405];
  expect(await statuses({})).toEqual([page, events, rpc]);
  for (const host of [`localhost:${url.port}`, `[::1]:${url.port}`])
    expect(await statuses({ Host: host, Origin: `http://${host}` }), host).toEqual([page, events, rpc]);
  // A name that was made to point here, one that only looks like ours, another port, or none.
  for (const name of ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.example', '0.0.0.0'])
    expect(await statuses({ Host: `${name}:${url.port}` }), name).toEqual([421, 421, 421]);
  for (const host of ['127.0.0.1', 'localhost:1'])
    expect(await statuses({ Host: host }), host).toEqual([421, 421, 421]);
  for (const origin of ['http://evil.example', `https://${url.host}`, served.listener, 'null'])
    expect(await statuses({ Origin: origin }), origin).toEqual([403, 403, 403]);
});

test('another token opens no route, in whatever way it is given', async ({ served }) => {
  const url = new URL(served.page);
  const token = url.searchParams.get('token') ?? '';
  const near = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
  const refused: Record<string, string>[] = [
    {},
    { Authorization: 'Bearer ' },
    { Authorization: `Bearer ${near}` },
    { Authorization: token },
    { Cookie: `hooktwice-${url.port}=${near}` },
    { Cookie: `hooktwice-1=${token}` },
  ];
  for (const given of refused)
    for (const route of ROUTES) {
      const headers = { Host: url.host, ...given };
      expect(await ask(url, route, headers), `${route} ${JSON.stringify(given)}`).toBe(401);
    }
  // The token is for the front door alone: in the address of a route it would be kept in histories and logs.
  expect(await ask(url, `/events?token=${token}`, { Host: url.host })).toBe(401);
  expect(await ask(url, `/?token=${token}`, { Host: url.host })).toBe(303);
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
