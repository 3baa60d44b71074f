import type { AppState } from '$bindings/AppState';
import type { WatchedJob } from '$bindings/WatchedJob';
import { HostError } from '$host/host';
import { Session, sessionContext } from '$host/session.svelte';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { answer } from '../../test/dialogs';
import { appState, FakeHost, secretInfo } from '../../test/fake';
import Sume from './Sume.svelte';

const URL = 'https://walnut.trycloudflare.com';

function app(over: Partial<AppState> = {}): AppState {
  const state = appState({
    sume_key: secretInfo({ name: 'sume-api', fingerprint: '9c41' }),
    tunnel: { state: 'live', url: URL, since: '', proven_at: '', round_trip_ms: 1 },
    ...over,
  });
  state.settings.tunnel.path = '/webhooks/sume';
  return state;
}

function job(job_id: string, over: Partial<WatchedJob> = {}): WatchedJob {
  const at = '2025-11-29T12:00:00Z';
  return {
    job_id,
    added_at: at,
    expected_at: at,
    state: 'waiting',
    word: 'completed',
    checked_at: at,
    next_at: null,
    delivery: null,
    problem: null,
    ...over,
  };
}

async function open(answers: ConstructorParameters<typeof FakeHost>[0] = {}, state = app()) {
  const host = new FakeHost({ 'app.state': () => state, ...answers });
  const session = new Session(host);
  await session.start();
  const [onsettings, onshow] = [vi.fn(), vi.fn()];
  render(Sume, { props: { active: true, onsettings, onshow }, context: sessionContext(session) });
  return { host, onsettings, onshow, user: userEvent.setup() };
}

const asked = (host: FakeHost, command: string) =>
  host.calls.filter((call) => call.command === command).map(({ params }) => params);
const rows = () => screen.findAllByTestId('watched');

it('says how to pair while nothing is watched', async () => {
  const { onsettings, user } = await open({}, app({ sume_key: null, tunnel: { state: 'off' } }));
  expect(await screen.findByText('Pair this listener with Sume')).toBeVisible();
  expect(screen.getByTestId('sume-key-state')).toHaveTextContent('not set');
  // Without a key there is nobody to ask.
  expect(screen.getByRole('button', { name: 'Send a test delivery' })).toBeDisabled();
  await user.type(screen.getByRole('textbox', { name: 'Job id' }), 'job_1');
  expect(screen.getByRole('button', { name: 'Status' })).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Redeliver job_1' })).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Set the API key' }));
  expect(onsettings).toHaveBeenCalledOnce();
});

it('asks before it lets Sume send a test delivery to the tunnel’s URL', async () => {
  const { host, user } = await open({
    'sume.test': () => ({
      status: 202,
      request_id: 'req_1',
      message: 'It is on its way.',
      body: '{"ok":true}',
    }),
  });
  expect(screen.getByRole('textbox', { name: 'To' })).toHaveValue(`${URL}/webhooks/sume`);
  await user.click(screen.getByRole('button', { name: 'Send a test delivery' }));
  expect(await screen.findByRole('alertdialog')).toHaveTextContent(`${URL}/webhooks/sume`);
  expect(asked(host, 'sume.test')).toEqual([]);
  await answer(user, 'Send it');
  expect(asked(host, 'sume.test')).toEqual([{ url: `${URL}/webhooks/sume` }]);
  const told = await screen.findByTestId('sume-answer');
  expect(told).toHaveTextContent(/Test delivery: 202 It is on its way\. Request req_1/);
});

it('says that Sume cannot reach this machine by its own name', async () => {
  const { user } = await open();
  const to = screen.getByRole('textbox', { name: 'To' });
  await user.clear(to);
  await user.type(to, 'http://localhost:4400/hook');
  expect(screen.getByText(/Sume cannot reach this machine by that name/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'The tunnel’s URL' }));
  expect(to).toHaveValue(`${URL}/webhooks/sume`);
});

it('shows the missed ones, redelivers after a question, and keeps what was answered beside the job', async () => {
  const { host, onshow, user } = await open({
    'sume.watched': () => ({
      jobs: [job('job_lost', { state: 'missed' }), job('job_here', { state: 'delivered', delivery: 7 })],
    }),
    'sume.redeliver': () => {
      throw new HostError({
        code: 'unreachable',
        message: 'Sume answered 429 (request req_9): try again in 12 s.',
      });
    },
  });
  const [lost, here] = (await rows()).map((row) => within(row));
  expect(screen.getByTestId('watch-sentence')).toHaveTextContent('1 webhook was missed');
  await user.click(lost!.getByRole('button', { name: 'Redeliver job_lost' }));
  expect(asked(host, 'sume.redeliver')).toEqual([]);
  await answer(user, 'Cancel');
  expect(asked(host, 'sume.redeliver')).toEqual([]);
  await user.click(lost!.getByRole('button', { name: 'Redeliver job_lost' }));
  await answer(user, 'Redeliver');
  expect(asked(host, 'sume.redeliver')).toEqual([{ job_id: 'job_lost' }]);
  expect(await lost!.findByRole('alert')).toHaveTextContent(/Redeliver failed.*429.*req_9/);
  await user.click(here!.getByRole('button', { name: 'Delivery #7' }));
  expect(onshow).toHaveBeenCalledWith(7);

  // The error stays over what comes in meanwhile, until it is dismissed.
  host.answers['sume.watched'] = () => ({ jobs: [job('job_lost', { state: 'delivered', delivery: 8 })] });
  host.send([{ type: 'watch-changed' }]);
  await waitFor(() =>
    expect(screen.getByTestId('watch-sentence')).toHaveTextContent('No webhook was missed.'),
  );
  expect(lost!.getByRole('alert')).toBeVisible();
  await user.click(lost!.getByRole('button', { name: 'Dismiss' }));
  expect(lost!.queryByRole('alert')).toBeNull();
});

it('puts pasted ids on the list, and takes one off', async () => {
  const { host, user } = await open({
    'sume.watch': ({ job_ids }) => ({ jobs: job_ids.map((id) => job(id)) }),
    'sume.unwatch': () => ({ jobs: [job('job_2')] }),
  });
  await user.click(screen.getByRole('textbox', { name: 'Watch jobs' }));
  await user.paste('job_1, job_2\njob_1');
  const within_s = screen.getByRole('textbox', { name: 'Expect within' });
  await user.clear(within_s);
  await user.type(within_s, '2 min');
  await user.click(screen.getByRole('button', { name: 'Watch 2 jobs' }));
  expect(asked(host, 'sume.watch')).toEqual([{ job_ids: ['job_1', 'job_2'], expect_within_s: 120 }]);
  expect(await rows()).toHaveLength(2);
  expect(screen.getByRole('textbox', { name: 'Watch jobs' })).toHaveValue('');
  await user.click(screen.getByRole('button', { name: 'Watch job_1 no more' }));
  expect(asked(host, 'sume.unwatch')).toEqual([{ job_id: 'job_1' }]);
  await waitFor(async () => expect(await rows()).toHaveLength(1));
});

it('says where one job is, in Sume’s word and in ours', async () => {
  const { user } = await open({
    'sume.status': ({ job_id }) => ({
      job_id,
      state: 'completed',
      word: 'COMPLETED',
      answer: { status: 200, request_id: null, message: 'The job is completed.', body: '{}' },
    }),
  });
  await user.type(screen.getByRole('textbox', { name: 'Job id' }), ' job_9 {Enter}');
  expect(await screen.findByTestId('sume-answer')).toHaveTextContent(
    /Status: 200 finished well \(“COMPLETED”\)/,
  );
});
