import { request } from 'node:http';
import { expect } from 'vitest';
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
  const { origin, host } = new URL(served.page);
  const page = await browser.newPage();
  for (const address of [origin, `${origin}/?token=wrong`, `${origin}/events`]) {
    const answer = await page.goto(address);
    expect(answer?.status(), address).toBe(401);
    expect(await page.textContent('body')).toContain('hooktwice serve');
  }
  await page.close();
  expect(host).toMatch(/^127\.0\.0\.1:\d+$/);
});

test('other Hosts and other Origins are refused, with the token too', async ({ served }) => {
  const url = new URL(served.page);
  const bearer = { Authorization: `Bearer ${url.searchParams.get('token')}` };
  expect(await ask(url, '/', { Host: url.host, ...bearer })).toBe(200);
  expect(await ask(url, '/', { Host: `evil.example:${url.port}`, ...bearer })).toBe(421);
  expect(await ask(url, '/events', { Host: url.host, Origin: 'http://evil.example', ...bearer })).toBe(403);
});

test("another site's page cannot reach them, though the browser has the cookie", async ({ page, served }) => {
  const { origin } = new URL(served.page);
  const other = await page.context().newPage();
  // The listener is another origin on this machine, as any local program is.
  await other.goto(served.listener);
  const reached = await other.evaluate(async (target) => {
    const send = (credentials: RequestCredentials) =>
      fetch(`${target}/rpc`, { method: 'POST', body: '{"command":"app.state"}', credentials }).then(
        (answer) => `answered ${answer.status}`,
        () => 'refused',
      );
    return Promise.all([send('include'), send('omit')]);
  }, origin);
  expect(reached).toEqual(['refused', 'refused']);
});
