import type { CheckSpec } from '$bindings/CheckSpec';
import { HostError } from '$host/host';
import { Session, sessionContext } from '$host/session.svelte';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { unlocked } from '../../test/dialogs';
import { check, checkSpec, running, scenario, trace, traceCopy, waiting } from '../../test/checks';
import { FakeHost, appState } from '../../test/fake';
import Check from './Check.svelte';

const begun = () => running([waiting('first-delivery'), waiting('concurrent')]);
const standings = () => screen.queryAllByTestId('scenario').map((row) => row.dataset['standing']);
const row = (id: string) => screen.getAllByTestId('scenario').find((one) => one.dataset['id'] === id)!;
const head = (id: string) => within(row(id)).getAllByRole('button')[0]!;

/** What was typed at another time, so that the form can be run. */
function remember(over: object = {}) {
  localStorage.setItem(
    'hooktwice.check.form',
    JSON.stringify({
      urls: ['http://localhost:3000/hook'],
      probes: [{ kind: 'url', values: { url: 'http://localhost:3000/effects/{job_id}', pointer: '/count' } }],
      body: null,
      idPointer: '/job_id',
      copies: '20',
      raceBudget: '20 s',
      settle: '500 ms',
      timeout: '10 s',
      startCommand: '',
      seed: '',
      canary: true,
      leftOut: [],
      censored: false,
      ...over,
    }),
  );
}

async function open(answers: ConstructorParameters<typeof FakeHost>[0] = {}, app = appState()) {
  const host = new FakeHost({
    'app.state': () => app,
    'deliveries.counts': () => ({ all: 0, duplicates: 0, bad_signature: 0, failed: 0 }),
    'check.runs': () => ({ checks: [] }),
    'check.start': begun,
    ...answers,
  });
  const session = new Session(host);
  await session.start();
  render(Check, { props: { active: true }, context: sessionContext(session) });
  return { host, user: userEvent.setup() };
}

function specs(host: FakeHost): CheckSpec[] {
  return host.calls
    .filter((call) => call.command === 'check.start')
    .map((call) => (call.params as { spec: CheckSpec }).spec);
}

beforeEach(() => localStorage.clear());

it('leads from an empty form to a check', async () => {
  const { host, user } = await open();
  await user.click(screen.getByTestId('check-go'));
  expect(specs(host)).toEqual([]);
  expect(await screen.findByText(/Give the URL of the handler/)).toBeVisible();
  const target = screen.getByRole('textbox', { name: 'Target' });
  expect(target).toHaveFocus();
  await user.type(target, 'http://localhost:3000/hook');
  await user.click(screen.getByRole('button', { name: 'Ask a URL' }));
  const url = screen.getByRole('textbox', { name: 'URL, with {job_id}' });
  await waitFor(() => expect(url).toHaveFocus());
  await user.type(url, 'http://localhost:3000/effects/{{job_id}');
  await user.keyboard('{Control>}{Enter}{/Control}');
  await waitFor(() =>
    expect(specs(host)[0]).toMatchObject({
      urls: ['http://localhost:3000/hook'],
      effects: [{ kind: 'url', url: 'http://localhost:3000/effects/{job_id}', pointer: '' }],
    }),
  );
});

it('fills the list as it comes, and opens what failed', async () => {
  remember();
  const failed = scenario('concurrent', 'fail', {
    reason: 'The effect ran 3 times.',
    observed_effects: 3,
    advice: 'Claim by `insert` first.',
    repro: 'hooktwice fire --copies 20',
    traces: [],
  });
  const done = check([scenario('first-delivery', 'pass'), failed]);
  const whole = check([
    scenario('first-delivery', 'pass'),
    { ...failed, traces: [trace([traceCopy(0), traceCopy(0.1)], { effects: 3 })] },
  ]);
  const { host, user } = await open({ 'check.run': () => whole });
  await user.click(screen.getByTestId('check-go'));
  await waitFor(() => expect(standings()).toEqual(['waiting', 'waiting']));
  expect(screen.getByTestId('check-verdict')).toHaveTextContent('Running');

  host.send([
    { type: 'check', check: begun() },
    { type: 'scenario', check: 'check-1', scenario: scenario('first-delivery', 'pass') },
    { type: 'scenario', check: 'check-1', scenario: waiting('concurrent', '2 of 4 volleys') },
    { type: 'handler-facts', check: 'check-1', facts: { ...done.facts, answer_ms: 41 } },
    { type: 'scenario', check: 'another', scenario: scenario('concurrent', 'fail') },
  ]);
  await waitFor(() => expect(standings()).toEqual(['pass', 'running']));
  expect(row('concurrent')).toHaveTextContent('2 of 4 volleys');
  expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '1');
  expect(screen.getByTestId('check-facts')).toHaveTextContent('41 ms');

  host.send([{ type: 'check', check: done }]);
  await waitFor(() => expect(screen.getByTestId('check-verdict')).toHaveTextContent('Fail'));
  expect(screen.getByTestId('check-sentence')).toHaveTextContent('The effect ran too often in concurrent.');
  expect(await screen.findByTestId('check-timeline')).toBeVisible();
  const detail = screen.getByRole('region', { name: 'concurrent' });
  expect(within(detail).getByTestId('check-advice')).toHaveTextContent('Claim by insert first.');
  expect(detail).toHaveTextContent('3, expected 1');
  expect(detail).toHaveTextContent('hooktwice fire --copies 20');
  expect(host.asked('check.run')).toBe(1);
});

it('walks the scenarios with the arrow keys and opens them with Enter', async () => {
  const done = check([
    scenario('first-delivery', 'pass'),
    scenario('retry', 'pass'),
    scenario('concurrent', 'pass'),
  ]);
  const { user } = await open({ 'check.runs': () => ({ checks: [done] }), 'check.run': () => done });
  await user.click(within(await screen.findByTestId('last-check')).getAllByRole('button')[0]!);
  await waitFor(() => expect(standings()).toHaveLength(3));
  head('first-delivery').focus();
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
  expect(head('concurrent')).toHaveFocus();
  await user.keyboard('{Home}{Enter}');
  expect(head('first-delivery')).toHaveAttribute('aria-expanded', 'true');
  await user.keyboard('{ArrowDown}{Enter}');
  expect(screen.getAllByRole('region').map((one) => one.ariaLabel)).toContain('retry');
  await user.keyboard('{Enter}');
  expect(head('retry')).toHaveAttribute('aria-expanded', 'false');
});

it('takes what comes before the answer that names its check', async () => {
  remember();
  const { host, user } = await open({
    'check.start': () => {
      host.send([
        { type: 'check', check: begun() },
        { type: 'scenario', check: 'check-1', scenario: scenario('first-delivery', 'pass') },
      ]);
      return begun();
    },
  });
  await user.click(screen.getByTestId('check-go'));
  await waitFor(() => expect(standings()).toEqual(['pass', 'waiting']));
});

it('stops a check, and shows what came of it', async () => {
  remember();
  const { host, user } = await open({ 'check.stop': () => ({}) });
  await user.click(screen.getByTestId('check-go'));
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  expect(host.calls).toContainEqual({ command: 'check.stop', params: { id: 'check-1' } });
  host.send([{ type: 'check', check: { ...begun(), state: 'stopped' } }]);
  await waitFor(() => expect(screen.getByTestId('check-verdict')).toHaveTextContent('Stopped'));
  expect(standings()).toEqual(['not reached', 'not reached']);
  expect(screen.getByTestId('check-go')).toBeEnabled();
});

it('watches, and can stop, a check that was on its way when the page was loaded', async () => {
  await open({ 'check.runs': () => ({ checks: [begun()] }) });
  await waitFor(() => expect(standings()).toHaveLength(2));
  expect(screen.getByRole('button', { name: 'Stop' })).toBeVisible();
});

it('tries a probe alone, and says what it sees or why it cannot', async () => {
  remember();
  const { host, user } = await open({
    'check.probe': () => ({ probe: 'url', count: 2, error: null }),
  });
  const job = screen.getByRole('textbox', { name: 'Job id to try with' });
  await user.clear(job);
  await user.type(job, 'job_9');
  await user.click(screen.getByRole('button', { name: 'Try' }));
  expect(await screen.findByText('It sees 2 effects of job_9.')).toBeVisible();
  expect(host.calls.at(-1)).toEqual({
    command: 'check.probe',
    params: {
      probe: { kind: 'url', url: 'http://localhost:3000/effects/{job_id}', pointer: '/count' },
      job_id: 'job_9',
    },
  });
  host.answers['check.probe'] = () => ({ probe: 'url', count: null, error: 'Nothing listens there.' });
  await user.click(screen.getByRole('button', { name: 'Try' }));
  expect(await screen.findByText('Nothing listens there.')).toBeVisible();
  host.answers['check.probe'] = () => {
    throw new HostError({ code: 'bad-input', message: 'The pointer is none.' });
  };
  await user.click(screen.getByRole('button', { name: 'Try' }));
  expect(await screen.findByText('The pointer is none.')).toBeVisible();
});

it('asks once for a host that is not this machine', async () => {
  remember({ urls: ['http://localhost:3000/hook', 'https://staging.example:8443/hook'] });
  const { host, user } = await open({
    'check.start': ({ spec }) => {
      if (spec.allow_hosts.length === 0)
        throw new HostError({ code: 'host-not-allowed', message: 'Not this machine.' });
      return check([]);
    },
  });
  await user.click(screen.getByTestId('check-go'));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  await unlocked();
  await user.click(screen.getByTestId('check-go'));
  await user.click(await screen.findByRole('button', { name: 'Check a handler at staging.example' }));
  await waitFor(() =>
    expect(specs(host).map((spec) => spec.allow_hosts)).toEqual([[], [], ['staging.example']]),
  );
});

it('shows beside the buttons why nothing was begun', async () => {
  remember();
  const { user } = await open({
    'check.start': () => {
      throw new HostError({ code: 'port-in-use', message: 'Port 3000 is taken.' });
    },
  });
  await user.click(screen.getByTestId('check-go'));
  expect(await screen.findByRole('alert')).toHaveTextContent('Port 3000 is taken.');
});

it('shows the commands that it will run before it does', async () => {
  const stored = check([scenario('retry', 'pass')], {
    spec: checkSpec({ start_command: 'node handler.mjs' }),
  });
  const { host, user } = await open({
    'check.runs': () => ({ checks: [stored] }),
    'check.run': () => stored,
  });
  await user.click(within(await screen.findByTestId('last-check')).getAllByRole('button')[0]!);
  await user.click(await screen.findByRole('button', { name: 'Run again' }));
  expect(specs(host)).toEqual([]);
  expect(await screen.findByTestId('check-commands')).toHaveTextContent('node handler.mjs');
  await user.click(screen.getByRole('button', { name: 'Run again' }));
  await waitFor(() => expect(specs(host)[0]).toMatchObject({ start_command: 'node handler.mjs' }));
});

it('checks one scenario again, with what the check was started with', async () => {
  const stored = check([scenario('retry', 'fail')]);
  const { host, user } = await open({
    'check.runs': () => ({ checks: [stored] }),
    'check.run': () => stored,
  });
  await user.click(within(await screen.findByTestId('last-check')).getAllByRole('button')[0]!);
  await user.click(await screen.findByRole('button', { name: 'Check this one again' }));
  await waitFor(() => expect(specs(host)[0]).toMatchObject({ only: ['retry'], urls: stored.spec.urls }));
});

it('says which scenarios changed between two checks', async () => {
  const later = check([scenario('retry', 'pass'), scenario('concurrent', 'pass')], {
    id: 'b',
    started_at: '2025-11-29T13:00:00Z',
  });
  const earlier = check([scenario('retry', 'pass'), scenario('concurrent', 'fail')], { id: 'a' });
  const { user } = await open({
    'check.runs': () => ({ checks: [later, earlier] }),
    'check.run': ({ id }) => (id === 'a' ? earlier : later),
  });
  const list = await screen.findAllByTestId('last-check');
  await user.click(within(list[0]!).getAllByRole('button')[0]!);
  await user.click(within(list[1]!).getByRole('button', { name: 'Compare' }));
  const change = await screen.findByTestId('check-change');
  expect(change).toHaveTextContent(/concurrent\s*fail\s*→\s*pass/);
  await user.click(within(list[1]!).getByRole('button', { name: 'Take off' }));
  await waitFor(() => expect(screen.queryByTestId('check-comparison')).toBeNull());
});

it('a check that could not be carried out says why', async () => {
  const failed = { ...begun(), state: 'failed' as const, error: 'The handler ended at once (1).' };
  const { user } = await open({ 'check.runs': () => ({ checks: [failed] }), 'check.run': () => failed });
  await user.click(within(await screen.findByTestId('last-check')).getAllByRole('button')[0]!);
  expect(await screen.findByRole('alert')).toHaveTextContent('The handler ended at once (1).');
  expect(screen.getByTestId('check-verdict')).toHaveTextContent('Not carried out');
});

it('without a secret it says where to set one', async () => {
  remember();
  const { host, user } = await open({}, appState({ secret: null }));
  expect(screen.getByText(/No secret is set to sign with/)).toBeVisible();
  await user.click(screen.getByTestId('check-go'));
  expect(specs(host)).toEqual([]);
});
