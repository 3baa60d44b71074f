import { HostError } from '$host/host';
import { Session } from '$host/session.svelte';
import { toBase64 } from '$lib/bytes';
import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { FakeHost } from '../../../test/fake';
import { Body } from '../body.svelte';
import BodyTab from './BodyTab.svelte';

/** As many characters as a tree is made of. */
const TREE_MOST = 4 * 1024 * 1024;

function hostOf(text: string): FakeHost {
  const bytes = new TextEncoder().encode(text);
  return new FakeHost({
    'deliveries.body': ({ offset, length }) => ({
      base64: toBase64(bytes.subarray(offset, offset + length)),
      offset,
      total: bytes.length,
      json_error: null,
    }),
  });
}

beforeEach(() => localStorage.clear());

it('a body that cannot be loaded is asked for once, and again when that is asked', async () => {
  let broken = true;
  const host = hostOf('{"a":1}');
  const answer = host.answers['deliveries.body'];
  host.answers['deliveries.body'] = (params) => {
    // It would go on for ever.
    if (host.asked('deliveries.body') > 20) return new Promise(() => undefined);
    if (broken || !answer) throw new HostError({ code: 'internal', message: 'The data folder is gone.' });
    return answer(params);
  };
  render(BodyTab, { props: { body: new Body(new Session(host), 1) } });
  expect(await screen.findByText('The data folder is gone.')).toBeVisible();
  // So long that a second request would have been made.
  await new Promise((done) => setTimeout(done, 50));
  expect(host.asked('deliveries.body')).toBe(1);

  broken = false;
  await userEvent.setup().click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByTestId('body-tree')).toBeVisible();
  expect(screen.queryByText('The data folder is gone.')).toBeNull();
  expect(host.asked('deliveries.body')).toBe(2);
});

it.each([
  ['as long as a tree can be', 0, '', false],
  ['as long, with a byte order mark before it', 0, '\ufeff', false],
  ['longer by one character', 1, '', true],
  ['longer by one, with a byte order mark', 1, '\ufeff', true],
])('a whole body that is %s does not break where the tree ends', async (_, over, mark, told) => {
  const host = hostOf(`${mark}["${'x'.repeat(TREE_MOST + over - 4)}"]`);
  const body = new Body(new Session(host), 1);
  await body.rest();
  render(BodyTab, { props: { body } });
  expect(await screen.findByTestId('body-tree')).toBeVisible();
  expect(screen.queryByTestId('json-break')).toBeNull();
  expect(screen.queryAllByText(/The tree shows the first/)).toHaveLength(told ? 1 : 0);
});

it('says where the JSON of a body breaks, a byte order mark counted', async () => {
  const body = new Body(new Session(hostOf('\ufeff{"a":x}')), 1);
  await body.rest();
  render(BodyTab, { props: { body } });
  expect(await screen.findByTestId('json-break')).toHaveTextContent('line 1, column 7 (byte 8)');
});
