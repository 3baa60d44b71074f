import type { Delivery } from '$bindings/Delivery';
import type { DeliveryDetail } from '$bindings/DeliveryDetail';
import { HostError } from '$host/host';
import { Session, sessionContext } from '$host/session.svelte';
import { toBase64 } from '$lib/bytes';
import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { delivery, FakeHost } from '../../../test/fake';
import Compare from './Compare.svelte';
import CompareBar from './CompareBar.svelte';
import { Comparison } from './comparison.svelte';
import type { Header } from './headers';

type Stored = { row: Delivery; headers: Header[]; body: Uint8Array };
let stored: Stored[];
const onselect = vi.fn();

function store(
  seq: number,
  body: string | Uint8Array,
  over: Partial<Delivery> = {},
  headers: Header[] = [],
): Delivery {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const at = `2025-11-29T12:04:31.48200${seq}Z`;
  const row = delivery(seq, { job_id: 'job_1', size: bytes.length, received_at: at, ...over });
  stored.push({ row, headers, body: bytes });
  return row;
}

function found(seq: number): Stored {
  const one = stored.find(({ row }) => row.seq === seq);
  if (!one) throw new HostError({ code: 'not-found', message: `There is no delivery #${seq}.` });
  return one;
}

function detail(seq: number): DeliveryDetail {
  const { row, headers, body } = found(seq);
  return {
    ...row,
    headers: headers.map(([name, value]) => [name, value]),
    trailers: [],
    http_version: '1.1',
    peer: `127.0.0.1:${5000 + seq}`,
    body_sha256: String.fromCharCode(...body.subarray(0, 10_000)),
    response_headers: [],
    forward: null,
    response_body: '',
  };
}

function comparing(answers: ConstructorParameters<typeof FakeHost>[0] = {}) {
  const host = new FakeHost({
    'deliveries.show': ({ seq }) => detail(seq),
    'deliveries.job': ({ seq }) => {
      const job = found(seq).row.job_id;
      const kin = stored.map(({ row }) => row).filter((row) => job !== null && row.job_id === job);
      return { deliveries: kin, total: kin.length, schedule: null };
    },
    'deliveries.body': ({ seq, offset, length }) => {
      const { body } = found(seq);
      const slice = body.subarray(offset, offset + length);
      return { base64: toBase64(slice), offset, total: body.length, json_error: null };
    },
    ...answers,
  });
  const session = new Session(host);
  const comparison = new Comparison(session);
  const context = sessionContext(session);
  render(CompareBar, { props: { comparison }, context });
  render(Compare, { props: { comparison, onselect }, context });
  return { host, comparison, user: userEvent.setup() };
}

const section = (name: string) => screen.findByRole('region', { name });
const items = async (name: string) =>
  (await within(await screen.findByRole('list', { name })).findAllByRole('listitem')).map((item) =>
    (item.textContent ?? '').replace(/\s+/g, ' ').trim(),
  );

beforeEach(() => {
  localStorage.clear();
  onselect.mockReset();
  stored = [];
});

it('a duplicate is compared with the delivery that won, the older one first', async () => {
  store(1, '{"a":1,"items":[1,2]}');
  store(2, '{"a":1,"items":[1,2]}', { claim: 'duplicate', duplicate_of: 1 });
  const third = store(3, '{"a":"1","items":[0,1,2]}', { claim: 'duplicate', duplicate_of: 1, status: 500 });
  const { comparison } = comparing();
  await comparison.begin(third);
  expect(await screen.findByRole('region', { name: '#1 compared with #3' })).toBeInTheDocument();
  expect(screen.getByText('2 µs later')).toBeInTheDocument();
  expect(await screen.findByText('the JSON differs in 2 places')).toBeInTheDocument();
  expect(await items('Differences of the JSON')).toEqual([
    'a changed a number became a string − in #1: 1 + in #3: "1"',
    'items[0] only in #3 + in #3: 0',
  ]);
  const overview = screen.getByRole('table', { name: 'Overview of both' });
  expect(within(overview).getAllByRole('rowheader').map((cell) => cell.textContent)).toEqual(['Claim', 'Answered', 'Body']); // prettier-ignore
});

it('without a winner it is the one before it of the same job, else the one after it', async () => {
  const first = store(1, 'x');
  store(2, 'x');
  const third = store(3, 'x');
  const { comparison } = comparing();
  await comparison.begin(third);
  expect([comparison.first?.seq, comparison.second?.seq]).toEqual([2, 3]);
  await comparison.begin(first);
  expect([comparison.first?.seq, comparison.second?.seq]).toEqual([1, 2]);
  comparison.swap();
  expect([comparison.first?.seq, comparison.second?.seq]).toEqual([2, 1]);
});

it('where there is none, another row is chosen, and leaving ends the choice', async () => {
  const one = store(1, '{}', { job_id: null });
  const other = store(2, '{ }', { job_id: 'job_2' });
  const { comparison } = comparing();
  await comparison.begin(one);
  expect(comparison.open).toBe(false);
  expect(await screen.findByTestId('compare-bar')).toHaveTextContent(
    'Compare #1 with … select another row and press d',
  );
  await comparison.begin(one);
  expect(await screen.findByText(/That is the same one/)).toBeInTheDocument();
  await comparison.begin(other);
  expect(await screen.findByText('the same JSON, other bytes: white space differs')).toBeInTheDocument();
  expect(screen.queryByTestId('compare-bar')).not.toBeInTheDocument();
  expect(comparison.leave()).toBe(true);
  expect(comparison.leave()).toBe(false);
  await comparison.begin(one);
  expect(comparison.leave()).toBe(true);
  expect([comparison.picking, comparison.open]).toEqual([false, false]);
});

it('a winner that was deleted is passed over', async () => {
  store(2, 'x');
  const third = store(3, 'x', { claim: 'duplicate', duplicate_of: 1 });
  const { comparison } = comparing();
  await comparison.begin(third);
  expect(comparison.first?.seq).toBe(2);
});

it('another one is chosen in place of either; the other side stays', async () => {
  const first = store(1, '1');
  const second = store(2, '2');
  const third = store(3, '3');
  const { comparison } = comparing();
  await comparison.begin(third);
  expect(comparison.kin.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  comparison.choose('first', first);
  expect(await screen.findByRole('region', { name: '#1 compared with #3' })).toBeInTheDocument();
  comparison.pick('second');
  expect(await screen.findByTestId('compare-bar')).toHaveTextContent('Compare #1 with');
  expect(comparison.leave()).toBe(true);
  expect(await screen.findByRole('region', { name: '#1 compared with #3' })).toBeInTheDocument();
  comparison.pick('second');
  await comparison.begin(second);
  expect(await screen.findByRole('region', { name: '#1 compared with #2' })).toBeInTheDocument();
  // The same one on both sides would say nothing: they change places.
  comparison.choose('first', second);
  expect([comparison.first?.seq, comparison.second?.seq]).toEqual([2, 1]);
});

it('headers: the differences, those that are sensitive masked and told to differ or not', async () => {
  const headers = (time: string, secret: string): Header[] => [
    ['Host', 'here'],
    ['X-Time', time],
    ['Authorization', secret],
    ['Cookie', 'same'],
  ];
  store(1, '{}', {}, headers('1', 'Bearer one'));
  const second = store(2, '{}', {}, headers('2', 'Bearer two'));
  const { comparison, user } = comparing();
  await comparison.begin(second);
  expect(await section('Headers')).toHaveTextContent('2 of 4 names differ');
  expect(await items('Headers')).toEqual([
    'X-Time changed − in #1: 1 + in #2: 2',
    'Authorization changed − in #1: •••••••• (10 characters) + in #2: •••••••• (10 characters)',
  ]);
  await user.click(screen.getByRole('button', { name: 'Show Authorization' }));
  expect((await items('Headers'))[1]).toContain('+ in #2: Bearer two');
  await user.click(screen.getByRole('radio', { name: 'All' }));
  expect((await items('Headers')).at(-1)).toBe('Cookie the same = in both: •••••••• (4 characters)');
});

it('the same bytes are not loaded, and bodies that are not text are shown as bytes', async () => {
  const bytes = (last: number) => Uint8Array.from([0xff, 0, 1, 2, last]);
  store(1, bytes(3));
  const second = store(2, bytes(3));
  store(3, bytes(4));
  const { comparison, host } = comparing();
  await comparison.begin(second);
  expect(await screen.findByText('the same 5 bytes')).toBeInTheDocument();
  expect(host.asked('deliveries.body')).toBe(0);
  comparison.choose('second', found(3).row);
  expect(await screen.findByText(/the first byte that differs is byte 4/)).toBeInTheDocument();
  expect(screen.getByRole('group', { name: /Bytes of #3/ })).toHaveTextContent('00000000 ff 00 01 02 04');
});

it('a text that is not JSON is told from one that is, and an empty body from both', async () => {
  store(1, '{"a":1}');
  const second = store(2, '{"a":1');
  store(3, '');
  const { comparison } = comparing();
  await comparison.begin(second);
  expect(await screen.findByText('the text differs: #1 is JSON, #2 is not')).toBeInTheDocument();
  expect(screen.getByTestId('merge')).toBeInTheDocument();
  comparison.choose('second', found(3).row);
  expect(await screen.findByText('#3 has none, #1 has 7 bytes')).toBeInTheDocument();
});

it('larger bodies wait to be asked for, the largest are searched for the first byte that differs', async () => {
  const large = (size: number, end: string) => `"${'x'.repeat(size)}${end}"`;
  store(1, large(1.5 * 2 ** 20, 'a'));
  const second = store(2, large(1.5 * 2 ** 20, 'bb'));
  store(3, large(5 * 2 ** 20, 'c'));
  const { comparison, host, user } = comparing();
  await comparison.begin(second);
  await user.click(await screen.findByRole('button', { name: 'Load and compare them' }));
  expect(await screen.findByText('the JSON differs in 1 place')).toBeInTheDocument();
  const asked = host.asked('deliveries.body');
  comparison.choose('second', found(3).row);
  await user.click(await screen.findByRole('button', { name: 'Find the first byte that differs' }));
  expect(await screen.findByText(/the first byte that differs is byte 1,572,865,/)).toBeInTheDocument();
  // It looked no further.
  expect(host.asked('deliveries.body') - asked).toBe(6);
}, 20_000);

it('an error is told where the comparison is, and tried again', async () => {
  store(1, '{}');
  const second = store(2, '[]');
  let broken = true;
  const { comparison, user } = comparing({
    'deliveries.show': ({ seq }) => {
      if (broken) throw new HostError({ code: 'internal', message: 'The data folder is gone.' });
      return detail(seq);
    },
  });
  await comparison.begin(second);
  expect(await screen.findByRole('alert')).toHaveTextContent('The data folder is gone.');
  broken = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('the JSON differs in 1 place')).toBeInTheDocument();
});
