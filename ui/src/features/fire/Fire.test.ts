import type { PlanSpec } from '$bindings/PlanSpec';
import type { RunReport } from '$bindings/RunReport';
import { HostError } from '$host/host';
import { Session, sessionContext } from '$host/session.svelte';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { unlocked } from '../../test/dialogs';
import { attempt, delivering } from '../../test/delivering';
import { FakeHost, appState } from '../../test/fake';
import { copy, run, summary } from '../../test/runs';
import Fire from './Fire.svelte';

const planned = (copies: number): RunReport =>
  run([], {
    state: 'running',
    summary: null,
    copies_planned: copies,
    url: 'http://127.0.0.1:4400/webhooks/sume',
  });

const lanes = () => screen.queryAllByTestId('lane').map((lane) => lane.dataset['outcome']);

async function open(answers: ConstructorParameters<typeof FakeHost>[0] = {}, app = appState()) {
  const host = new FakeHost({
    'app.state': () => app,
    'deliveries.counts': () => ({ all: 0, duplicates: 0, bad_signature: 0, failed: 0 }),
    'deliveries.list': () => ({ rows: [], total: 0 }),
    'fire.runs': () => ({ runs: [] }),
    'fire.start': ({ plan }) => planned(plan.copies),
    ...answers,
  });
  const session = new Session(host);
  await session.start();
  render(Fire, { props: { active: true, intent: undefined }, context: sessionContext(session) });
  return { host, user: userEvent.setup() };
}

function plans(host: FakeHost): PlanSpec[] {
  return host.calls
    .filter((call) => call.command === 'fire.start')
    .map((call) => (call.params as { plan: PlanSpec }).plan);
}

beforeEach(() => localStorage.clear());

it('fires the sample at the listener without anything being typed', async () => {
  const { host, user } = await open();
  await user.click(screen.getByRole('button', { name: /^Fire/ }));
  expect(plans(host)[0]).toMatchObject({
    url: 'http://127.0.0.1:4400/webhooks/sume',
    copies: 10,
    release: { kind: 'together' },
    signing: 'each',
    allow_host: null,
  });
});

it('fills the lanes as copies come back, and says the end in a sentence', async () => {
  const { host, user } = await open();
  await user.click(screen.getByRole('radio', { name: '2 at once' }));
  await user.keyboard('{Control>}{Enter}{/Control}');
  await waitFor(() => expect(lanes()).toEqual(['waiting', 'waiting']));

  host.send([
    { type: 'run', run: planned(2) },
    { type: 'copy', run: 'run-1', copy: copy(2) },
  ]);
  await waitFor(() => expect(lanes()).toEqual(['waiting', 'answered']));
  expect(screen.getByTestId('fire-sentence')).toHaveTextContent('Firing: 1 of 2 are back.');

  const copies = [copy(1, { status: 500, error: null, warnings: ['A body after a 204.'] }), copy(2)];
  host.send([{ type: 'run', run: { ...planned(2), state: 'done', copies, summary: summary(copies) } }]);
  await waitFor(() => expect(lanes()).toEqual(['answered', 'answered']));
  expect(screen.getByTestId('fire-sentence')).toHaveTextContent(
    '2 copies at once: 1 answered 204 and 1 answered 500.',
  );
  expect(within(screen.getByTestId('fire-troubles')).getByText('A body after a 204.')).toBeVisible();
});

it('takes copies that come before the answer that names their run', async () => {
  const { host, user } = await open({
    'fire.start': () => {
      host.send([
        { type: 'run', run: planned(1) },
        {
          type: 'run',
          run: { ...planned(1), state: 'done', copies: [copy(1)], summary: summary([copy(1)]) },
        },
      ]);
      return planned(1);
    },
  });
  await user.click(screen.getByRole('radio', { name: 'once' }));
  await user.click(screen.getByRole('button', { name: /^Fire/ }));
  await waitFor(() => expect(lanes()).toEqual(['answered']));
});

it('stops a run, and shows what came of it', async () => {
  const { host, user } = await open({ 'fire.stop': () => ({}) });
  await user.click(screen.getByRole('button', { name: /^Fire/ }));
  host.send([{ type: 'run', run: planned(10) }]);
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  expect(host.calls).toContainEqual({ command: 'fire.stop', params: { id: 'run-1' } });
  const stopped = { ...summary([copy(1)], 10), not_sent: 9, stopped: true };
  host.send([
    { type: 'run', run: { ...planned(10), state: 'stopped', copies: [copy(1)], summary: stopped } },
  ]);
  await screen.findByText('Stopped: 1 answered 204 and 9 were never sent.');
  expect(screen.getByRole('button', { name: /^Fire/ })).toBeEnabled();
});

it('asks once for a host that is not this machine', async () => {
  const { host, user } = await open({
    'fire.start': ({ plan }) => {
      if (plan.allow_host === null)
        throw new HostError({ code: 'host-not-allowed', message: 'Not this machine.' });
      return run([copy(1)], { url: plan.url });
    },
  });
  const target = screen.getByRole('textbox', { name: 'Target' });
  await user.clear(target);
  await user.type(target, 'https://staging.example:8443/hook');
  await user.click(screen.getByRole('button', { name: /^Fire/ }));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  await unlocked();
  expect(plans(host)).toHaveLength(1);

  await user.click(screen.getByRole('button', { name: /^Fire/ }));
  await user.click(await screen.findByRole('button', { name: 'Fire at staging.example' }));
  await waitFor(() =>
    expect(plans(host).map((plan) => plan.allow_host)).toEqual([null, null, 'staging.example']),
  );

  await unlocked();
  await user.click(screen.getByTestId('fire-go'));
  await waitFor(() => expect(plans(host).at(-1)?.allow_host).toBe('staging.example'));
  expect(plans(host)).toHaveLength(4);
});

it('shows beside the buttons why nothing was fired', async () => {
  const { user } = await open({
    'fire.start': () => {
      throw new HostError({ code: 'bad-input', message: 'A fragment is never sent.' });
    },
  });
  await user.click(screen.getByTestId('fire-go'));
  expect(await screen.findByRole('alert')).toHaveTextContent('A fragment is never sent.');
});

it('lets nothing be fired that cannot be', async () => {
  const { host, user } = await open({}, appState({ listener: { state: 'stopped' } }));
  expect(screen.getByTestId('fire-go')).toBeDisabled();
  expect(screen.getByText(/Give the URL of the handler/)).toBeVisible();
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(plans(host)).toEqual([]);
});

it('opens a run of the list, and lays another over it', async () => {
  const runs = [run([copy(1), copy(2)], { id: 'a' }), run([copy(1)], { id: 'b' })];
  const { user } = await open({
    'fire.runs': () => ({ runs: runs.map((entry) => ({ ...entry, copies: [] })) }),
    'fire.run': ({ id }) => runs.find((entry) => entry.id === id)!,
  });
  const list = await screen.findAllByTestId('run');
  await user.click(within(list[0]!).getAllByRole('button')[0]!);
  await waitFor(() => expect(lanes()).toHaveLength(2));
  await user.click(within(list[1]!).getByRole('button', { name: 'Lay over' }));
  await waitFor(() => expect(screen.getByTestId('fire-facts')).toHaveTextContent('1 × 204'));
  expect(screen.getByTestId('fire-facts')).toHaveTextContent('2 × 204');
});

it('delivers by Sume’s schedule, counts down, and says how it ended', async () => {
  const url = 'http://127.0.0.1:4400/webhooks/sume';
  const { host, user } = await open({ 'deliver.start': () => delivering([], { in_flight: 1, url }) });
  await user.click(screen.getByRole('radio', { name: 'Sume’s ten' }));
  expect(screen.queryByRole('button', { name: 'Copy as command' })).toBeNull();
  const scale = screen.getByRole('textbox', { name: 'Time scale' });
  await user.clear(scale);
  expect(screen.getByTestId('fire-go')).toBeDisabled();
  await user.type(scale, '60');
  await user.click(screen.getByTestId('fire-go'));
  expect(host.calls.find(({ command }) => command === 'deliver.start')?.params).toMatchObject({
    spec: {
      plan: { url, signing: 'each' },
      schedule: { attempts: 10, gap_ms: 30_000, timeout_ms: 10_000, time_scale: 60 },
    },
  });
  expect(await screen.findByTestId('deliver-next')).toHaveTextContent('Attempt 1 is being answered');

  const next_at = new Date(Date.now() + 20_000).toISOString();
  host.send([{ type: 'delivering', report: delivering([attempt(1, 0)], { next_at }) }]);
  await waitFor(() =>
    expect(screen.getByTestId('deliver-next')).toHaveTextContent(/^Attempt 2 in (20|19) s$/),
  );
  const reports = [attempt(1, 0), attempt(2, 30_002, { status: 204, acknowledged: true })];
  host.send([
    { type: 'delivering', report: delivering(reports, { state: 'done', delivered: true, reason: null }) },
  ]);
  await waitFor(() =>
    expect(screen.getByTestId('deliver-sentence')).toHaveTextContent('Attempt 2 of 10 was answered 204'),
  );
  expect(screen.getByTestId('fire-go')).toHaveTextContent('Deliver');
});

it('a delivery by schedule is stopped, in the form or beside its countdown', async () => {
  const { host, user } = await open({
    'deliver.runs': () => ({ reports: [delivering([attempt(1, 0)])] }),
    'deliver.stop': () => ({}),
  });
  // One that was on its way when the page was loaded.
  await user.click(await screen.findByRole('button', { name: 'Stop the schedule' }));
  expect(host.calls).toContainEqual({ command: 'deliver.stop', params: { id: 'deliver-1' } });
  await user.click(screen.getByRole('radio', { name: 'Sume’s ten' }));
  expect(screen.queryByRole('button', { name: 'Stop the schedule' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Stop' })).toBeEnabled();
});

it('runs and schedules are one list, newest first', async () => {
  const later = delivering([attempt(1, 0)], {
    state: 'done',
    delivered: false,
    started_at: '2025-11-29T12:09:00Z',
  });
  const { user } = await open({
    'fire.runs': () => ({ runs: [run([copy(1)])] }),
    'fire.run': () => run([copy(1)]),
    'deliver.runs': () => ({ reports: [later] }),
  });
  const list = await screen.findAllByTestId('run');
  expect(list.map((row) => row.textContent)).toEqual([
    expect.stringMatching(/schedule not delivered/),
    expect.stringMatching(/once 1 × 204/),
  ]);
  await user.click(within(list[0]!).getAllByRole('button')[0]!);
  expect(await screen.findByTestId('deliver-sentence')).toHaveTextContent(
    'the one attempt was not acknowledged',
  );
  await user.click(within(list[1]!).getAllByRole('button')[0]!);
  expect(await screen.findByTestId('fire-sentence')).toHaveTextContent('One copy, answered 204');
});
