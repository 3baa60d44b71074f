import type { Delivery } from '$bindings/Delivery';
import { HostError } from '$host/host';
import { Session, sessionContext } from '$host/session.svelte';
import { toBase64 } from '$lib/bytes';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { answer } from '../../test/dialogs';
import { delivery, FakeHost } from '../../test/fake';
import { copy } from '../../test/runs';
import { SUMES } from '$lib/schedule';
import Inbox from './Inbox.svelte';
// A start needs neither; loaded here, they are there at once when they are opened.
import './compare/Compare.svelte';
import './detail/Detail.svelte';

let stored: Delivery[];
let gone: Delivery[] = [];
const onfire = vi.fn();
const body = '{"id":1152921506151679042,"v":1.0}\n';

async function page(answers: ConstructorParameters<typeof FakeHost>[0] = {}) {
  const of = (seq: number) => stored.find((row) => row.seq === seq) ?? delivery(seq);
  const host = new FakeHost({
    'deliveries.list': ({ before, offset, limit }) => ({
      rows: stored.filter((row) => before === null || row.seq < before).slice(offset, offset + limit),
      total: stored.length,
    }),
    'deliveries.counts': () => ({ all: stored.length, duplicates: 1, bad_signature: 0, failed: 0 }),
    'deliveries.show': ({ seq }) => ({
      ...of(seq),
      headers: [
        ['X-B', '1'],
        ['Authorization', 'Bearer hush'],
        ['x-b', '2'],
      ],
      trailers: [],
      http_version: '1.1',
      peer: '127.0.0.1:5000',
      body_sha256: '00',
      response_headers: [],
      forward: null,
      response_body: '',
    }),
    'deliveries.body': () => ({
      base64: toBase64(new TextEncoder().encode(body)),
      offset: 0,
      total: body.length,
      json_error: null,
    }),
    'deliveries.pin': () => ({ changed: 1 }),
    'deliveries.discard': ({ seqs }) => {
      gone = stored.filter((row) => seqs.includes(row.seq));
      stored = stored.filter((row) => !seqs.includes(row.seq));
      return { changed: gone.length, too_large: false };
    },
    'deliveries.restore': () => {
      stored = [...stored, ...gone].sort((a, b) => b.seq - a.seq);
      return { changed: gone.length };
    },
    'deliveries.curl': () => ({ text: 'curl …' }),
    'claims.discard': () => ({ changed: 1, undo: 5 }),
    'sample.curl': () => ({ text: 'curl --data-binary …' }),
    'sample.fire': () => ({}) as never,
    ...answers,
  });
  const session = new Session(host);
  await session.start();
  const props = { active: true, onfire };
  const { rerender } = render(Inbox, { props, context: sessionContext(session) });
  return { host, rerender, user: userEvent.setup() };
}

const row = (seq: number) => screen.findByRole('row', { name: new RegExp(`^${seq} `) });

beforeEach(() => {
  localStorage.clear();
  onfire.mockReset();
  stored = [
    delivery(2, { job_id: 'job_1', claim: 'duplicate', duplicate_of: 1 }),
    delivery(1, { job_id: 'job_1' }),
  ];
});

it('the first start says where to send and what to paste', async () => {
  stored = [];
  const { host, user } = await page();
  expect(await screen.findByText('http://127.0.0.1:4400')).toBeInTheDocument();
  expect(await screen.findByText(/curl --data-binary/)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Fire a sample delivery' }));
  expect(host.asked('sample.fire')).toBe(1);
});

it('a filter that found nothing is cleared, and the box stays what is typed in', async () => {
  const { host, user } = await page();
  await row(2);
  const all = host.answers['deliveries.list']!;
  host.answers['deliveries.list'] = (params) => (params.filter === '' ? all(params) : { rows: [], total: 0 });
  await user.keyboard('/nothing');
  expect(await screen.findByText('Nothing matches this filter.')).toBeInTheDocument();
  let release = () => {};
  const wait = new Promise<void>((resolve) => (release = resolve));
  host.answers['deliveries.list'] = async (params) => (await wait, all(params));
  await user.keyboard('{Escape}');
  const box = screen.getByRole('textbox', { name: 'Filter' });
  expect(box).toHaveFocus();
  expect(screen.queryByText('Nothing matches this filter.')).toBeNull();
  await user.keyboard('r');
  expect(box).toHaveValue('r');
  await user.clear(box);
  release();
  await row(2);
  expect(onfire).not.toHaveBeenCalled();
});

it('the first few deliveries say how one is looked at, until one is', async () => {
  const hint = () => screen.queryByText(/^Choose a delivery/);
  const { user } = await page();
  await row(2);
  expect(hint()).toHaveTextContent(
    'Choose a delivery with a click, or with j and k, to see its headers, body, signature and job.',
  );
  await user.keyboard('j');
  await screen.findByRole('tab', { name: 'Overview' });
  expect(hint()).toBeNull();
  cleanup();

  // A list that fills the page has no room for it, and its reader no need.
  stored = Array.from({ length: 9 }, (_, n) => delivery(9 - n));
  await page();
  await row(9);
  expect(hint()).toBeNull();
});

it('badges beside each other are parted', async () => {
  stored = [
    delivery(2, { claim: 'duplicate', duplicate_of: 1, body_differs: true, ended: 'incomplete' }),
    delivery(1),
  ];
  await page();
  expect(await row(2)).toHaveTextContent('duplicate of #1 body differs incomplete');
});

it('a duplicate names the delivery that won, and its kin are marked with it', async () => {
  const { user } = await page();
  const second = await row(2);
  expect(second).toHaveTextContent('duplicate of #1');
  expect(screen.getByRole('grid', { name: 'Deliveries' })).toHaveAttribute('aria-rowcount', '3');
  await user.click(second);
  expect(second).toHaveAttribute('aria-selected', 'true');
  expect(await row(1)).toHaveClass('kin');
  expect(screen.getByRole('button', { name: 'Held' })).toBeInTheDocument();
});

it('keys move, fire and close; none of them while typing', async () => {
  const { host, user } = await page();
  await row(2);
  await user.keyboard('jj');
  expect(await screen.findByRole('region', { name: 'Delivery #1' })).toBeInTheDocument();
  await user.keyboard('k');
  expect(await screen.findByRole('region', { name: 'Delivery #2' })).toBeInTheDocument();
  await user.keyboard('rex');
  expect(onfire.mock.calls).toEqual([
    [{ seq: 2, start: true }],
    [{ seq: 2, start: false }],
    [{ seq: 2, start: true, copies: 20 }],
  ]);
  await user.keyboard('p');
  expect(host.calls.at(-1)?.params).toEqual({ seq: 2, pinned: true });
  await user.keyboard('c');
  expect(host.calls.at(-1)?.params).toEqual({ seq: 2, reveal: false });
  await user.keyboard('/');
  expect(screen.getByRole('textbox', { name: 'Filter' })).toHaveFocus();
  await user.keyboard('rexdjpcz{Delete}{Home}');
  expect(onfire).toHaveBeenCalledTimes(3);
  expect(host.asked('deliveries.discard')).toBe(0);
  await user.clear(screen.getByRole('textbox', { name: 'Filter' }));
  await user.keyboard('{Escape}{Escape}');
  expect(screen.queryByRole('region', { name: /Delivery #/ })).toBeNull();
});

it('the help is of the term that the arrows take the caret to', async () => {
  const { user } = await page();
  await row(2);
  await user.keyboard('/sig:in x');
  expect(screen.queryByRole('option')).toBeNull();
  await user.keyboard('{ArrowLeft}{ArrowLeft}');
  expect(await screen.findByRole('option', { name: 'invalid' })).toBeInTheDocument();
  await user.keyboard('{ArrowRight}');
  expect(screen.queryByRole('option')).toBeNull();
});

it('headers keep their order and repeat; what is sensitive is masked until asked for', async () => {
  const { user } = await page();
  await user.click(await row(1));
  await user.click(screen.getByRole('tab', { name: 'Headers' }));
  const table = await screen.findByRole('table', { name: /Headers/ });
  const names = within(table).getAllByRole('rowheader');
  expect(names.map((name) => name.textContent)).toEqual(['X-B', 'Authorization', 'x-b']);
  expect(table).not.toHaveTextContent('hush');
  await user.click(within(table).getByRole('button', { name: 'Show Authorization' }));
  expect(table).toHaveTextContent('Bearer hush');
});

it('c74_the_body_keeps_its_digits_in_every_view', async () => {
  const { user } = await page();
  await user.click(await row(1));
  await user.click(screen.getByRole('tab', { name: 'Body' }));
  const tree = await screen.findByTestId('body-tree');
  expect(tree).toHaveTextContent('1152921506151679042');
  expect(tree).toHaveTextContent('1.0');
  await user.click(screen.getByRole('radio', { name: 'Text' }));
  expect((await screen.findByLabelText('Body', { selector: 'pre' })).textContent).toBe(body);
  await user.click(screen.getByRole('radio', { name: 'Hex' }));
  expect(await screen.findByTestId('body-hex')).toHaveTextContent('7b 22 69 64 22 3a 31 31');
});

it('shows the delivery that another page links to, and says when it is gone', async () => {
  const { host, rerender } = await page();
  await row(2);
  await rerender({ intent: { seq: 1 } });
  expect(await screen.findByRole('region', { name: 'Delivery #1' })).toBeInTheDocument();
  host.answers['deliveries.show'] = () => {
    throw new HostError({ code: 'not-found', message: 'Delivery #9 is not kept any more.' });
  };
  await rerender({ intent: { seq: 9 } });
  expect(await screen.findByText('Delivery #9 is not kept any more.')).toBeInTheDocument();
});

it('lays a job over the schedule, and says what is odd beside each delivery', async () => {
  const { user } = await page({
    'deliveries.job': () => ({
      deliveries: [...stored].reverse(),
      total: 2,
      schedule: {
        schedule: SUMES,
        attempts: [
          { seq: 1, attempt: 1, at_ms: 0, due_ms: 0, took_ms: 11_000, too_slow: true, overlaps: null },
          { seq: 2, attempt: 2, at_ms: 45_000, due_ms: 40_000, took_ms: 2, too_slow: false, overlaps: 1 },
        ],
        left: 8,
        acknowledged_by: null,
        ends_ms: 300_000,
        ends_at: new Date(Date.now() + 60_000).toISOString(),
      },
    }),
  });
  await user.click(await row(2));
  await user.click(screen.getByRole('tab', { name: 'Job' }));
  expect(await screen.findByTestId('job-standing')).toHaveTextContent('8 automatic attempts left until');
  const table = screen.getByRole('table', { name: /Deliveries of this job/ });
  expect(table).toHaveTextContent('too slow: answered after 11.0 s');
  expect(table).toHaveTextContent('5.0 s late · came while #1 was being answered');
  const chart = screen.getByTestId('job-schedule');
  expect(within(chart).getAllByRole('option')).toHaveLength(2);
  chart.focus();
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(within(chart).getAllByRole('option')[1]).toHaveAttribute('aria-selected', 'true');
});

it('says where a delivery went on to, and what each copy was answered', async () => {
  const { host, user } = await page();
  const show = host.answers['deliveries.show']!;
  host.answers['deliveries.show'] = async (params) => ({
    ...(await show(params)),
    forward: {
      url: 'http://localhost:3000/hook',
      copies: [copy(1, { status: null, outcome: 'unknown', error: 'The handler hung up.' }), copy(2)],
      problem: 'The handler hung up before its answer; the sender got 502.',
    },
  });
  await user.click(await row(2));
  await user.click(screen.getByRole('tab', { name: 'Response' }));
  const forwarded = within(await screen.findByTestId('forwarded'));
  expect(forwarded.getByText('http://localhost:3000/hook')).toBeInTheDocument();
  expect(forwarded.getByRole('alert')).toHaveTextContent('the sender got 502');
  const answers = forwarded.getAllByRole('row').map((line) => line.textContent);
  expect(answers[1]).toMatch(/1.*no answer.*The sender’s answer\. The handler hung up\./);
  expect(answers[2]).toMatch(/2.*204/);
});

it('the ends of the list, a page, the pause and the menu have keys', async () => {
  stored = Array.from({ length: 60 }, (_, index) => delivery(60 - index));
  const { user } = await page();
  await row(60);
  const shown = async (seq: number) =>
    expect(await screen.findByRole('region', { name: `Delivery #${seq}` })).toBeInTheDocument();
  await user.keyboard('{ArrowDown}{PageDown}');
  await shown(40);
  await user.keyboard('{ArrowUp}{PageUp}');
  await shown(60);
  await user.keyboard('{End}');
  await shown(1);
  await user.keyboard('{Home}');
  await shown(60);
  await user.keyboard('{Enter}');
  await expect.poll(() => document.activeElement).toBe(screen.getByRole('tab', { name: 'Overview' }));
  await user.keyboard('{Escape}');
  expect(await screen.findByRole('button', { name: 'Following' })).toBeInTheDocument();
  (document.activeElement as HTMLElement).blur();
  await user.keyboard(' ');
  expect(await screen.findByRole('button', { name: 'Held' })).toBeInTheDocument();
  await user.keyboard('j{Shift>}{F10}{/Shift}');
  const menu = await screen.findByRole('menu');
  const named = within(menu)
    .getAllByRole('menuitem')
    .map((item) => item.textContent.trim());
  for (const [label, key] of KEYED) expect(named).toContainEqual(expect.stringMatching(`^${label}.*${key}$`));
});

/** What the menu says of keys. */
const KEYED = [
  ['Fire again', 'r'],
  ['Edit and fire', 'e'],
  ['Race it', 'x'],
  ['Compare with another', 'd'],
  ['Copy as curl', 'c'],
  ['Pin', 'p'],
  ['Delete', 'Del'],
] as const;

it('deletes at once, goes on to the next row, and brings it back', async () => {
  const { host, user } = await page();
  await user.click(await row(2));
  await user.keyboard('{Delete}');
  expect(await screen.findByRole('region', { name: 'Delivery #1' })).toBeInTheDocument();
  const bar = await screen.findByTestId('undo');
  expect(bar).toHaveTextContent('#2 is deleted');
  expect(screen.getByText('#2 is deleted. Press z to undo.')).toHaveAttribute('role', 'status');
  await expect.poll(() => screen.queryByRole('row', { name: /^2 / })).toBeNull();

  await user.keyboard('{Delete}');
  expect(await screen.findByText('and 1 more')).toBeInTheDocument();
  await user.keyboard('z');
  expect(host.calls.findLast((call) => call.command === 'deliveries.restore')?.params).toEqual({ seqs: [1] });
  expect(await screen.findByRole('region', { name: 'Delivery #1' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Undo/ }));
  expect(host.calls.findLast((call) => call.command === 'deliveries.restore')?.params).toEqual({ seqs: [2] });
  expect(screen.queryByTestId('undo')).toBeNull();
});

it('says when it is too late to bring a delivery back', async () => {
  const { user } = await page({
    'deliveries.restore': () => {
      throw new HostError({ code: 'not-found', message: 'Delivery #2 cannot be brought back.' });
    },
  });
  await user.click(await row(2));
  await user.keyboard('{Delete}');
  await screen.findByTestId('undo');
  await user.keyboard('z');
  expect(await screen.findByText('Delivery #2 cannot be brought back.')).toBeInTheDocument();
});

it('asks before it deletes what is too large to be brought back', async () => {
  const { host, user } = await page({
    'deliveries.discard': () => ({ changed: 0, too_large: true }),
    'deliveries.delete': () => ({ changed: 1 }),
  });
  await user.click(await row(2));
  await user.keyboard('{Delete}');
  expect(await screen.findByRole('alertdialog', { name: 'Delete #2?' })).toBeInTheDocument();
  await answer(user, 'Delete');
  expect(host.calls.findLast((call) => call.command === 'deliveries.delete')?.params).toEqual({ seqs: [2] });
});

it('releases the claim of a delivery, and leaves it where the job was claimed anew', async () => {
  const { host, user } = await page({ 'claims.restore': () => ({ restored: 0, taken: 1 }) });
  await user.click(await row(2));
  await user.click(screen.getByRole('button', { name: 'More' }));
  // Where nothing is laid out the menu counts as hidden, so it has no roles.
  await user.click(await screen.findByText('Release its claim'));
  // Until the menu is gone the keys are its own.
  await waitFor(() => expect(screen.queryByText('Release its claim')).toBeNull());
  expect(await screen.findByTestId('undo')).toHaveTextContent('The claim of #2 is released');
  await user.keyboard('z');
  expect(host.calls.findLast((call) => call.command === 'claims.restore')?.params).toEqual({ undo: 5 });
  expect(await screen.findByTestId('undo')).toHaveTextContent('claimed anew meanwhile; that claim stays');
});
