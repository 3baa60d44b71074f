import type { TunnelState } from '$bindings/TunnelState';
import { HostError } from '$host/host';
import { Session } from '$host/session.svelte';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { appState, FakeHost } from '../test/fake';
import TunnelPanel from './TunnelPanel.svelte';
import TunnelPill from './TunnelPill.svelte';

const URL = 'https://walnut.trycloudflare.com';
const live: TunnelState = {
  state: 'live',
  url: URL,
  since: '2025-11-29T12:00:00Z',
  proven_at: '2025-11-29T12:04:00Z',
  round_trip_ms: 184,
};

function app(tunnel: TunnelState, over: Parameters<typeof appState>[0] = {}) {
  const state = appState({ tunnel, ...over });
  state.settings.tunnel.path = '/webhooks/sume';
  return state;
}

async function open(
  tunnel: TunnelState,
  answers: ConstructorParameters<typeof FakeHost>[0] = {},
  over: Parameters<typeof appState>[0] = {},
) {
  const host = new FakeHost({ 'app.state': () => app(tunnel, over), ...answers });
  const session = new Session(host);
  await session.start();
  const onsettings = vi.fn();
  // What the pill opens is laid out by the browser; here it stands beside it.
  render(TunnelPill, { props: { session, app: app(tunnel, over), open: false, onsettings } });
  render(TunnelPanel, { props: { session, app: app(tunnel, over), onsettings } });
  return { host, session, onsettings, user: userEvent.setup() };
}

const pill = () => within(screen.getByTestId('tunnel'));
const trigger = () => pill().getByRole('button', { name: /^Tunnel/ });

afterEach(() => vi.useRealTimers());

it('is quiet while it is off, and shows the command before it runs it', async () => {
  const { host, user } = await open(
    { state: 'off' },
    { 'tunnel.start': () => app({ state: 'starting', command: 'cloudflared', since: '' }) },
  );
  expect(trigger()).toHaveTextContent('Tunnel: off');
  expect(await screen.findByLabelText('The command that would run')).toHaveTextContent(
    'cloudflared tunnel --url http://127.0.0.1:4400',
  );
  expect(host.asked('tunnel.start')).toBe(0);
  await user.click(screen.getByRole('button', { name: 'Start the tunnel' }));
  expect(host.asked('tunnel.start')).toBe(1);
});

it('nothing is started whose command cannot be shown, and the reason stays', async () => {
  await open(
    { state: 'off' },
    {
      'tunnel.command': () => {
        throw new HostError({ code: 'bad-input', message: 'Give the host that ssh connects to.' });
      },
    },
  );
  expect(await screen.findByRole('alert')).toHaveTextContent('Give the host that ssh connects to.');
  expect(screen.getByRole('button', { name: 'Start the tunnel' })).toBeDisabled();
});

it('a tunnel needs a listener', async () => {
  await open({ state: 'off' }, {}, { listener: { state: 'stopped' } });
  await screen.findByLabelText('The command that would run');
  expect(screen.getByRole('button', { name: 'Start the tunnel' })).toBeDisabled();
  expect(screen.getByText('The listener has to run first.')).toBeVisible();
});

it('says that it starts, and with what', async () => {
  await open({
    state: 'starting',
    command: 'bore local 4400',
    since: '2025-11-29T12:00:00Z',
  });
  expect(trigger()).toHaveTextContent('Tunnel: starting');
  expect(await screen.findByLabelText('What runs')).toHaveTextContent('bore local 4400');
  expect(screen.getByRole('button', { name: 'Stop the tunnel' })).toBeEnabled();
});

it('shows the URL while it is proven, and says that it is not yet', async () => {
  await open({ state: 'proving', url: URL });
  expect(trigger()).toHaveTextContent('walnut.trycloudflare.com/webhooks/sume proving');
});

it('has the URL with the handler’s path to copy once it is live, and stops', async () => {
  const { host, user } = await open(live, { 'tunnel.stop': () => app({ state: 'off' }) });
  expect(trigger()).toHaveAccessibleName(`Tunnel: live, ${URL}/webhooks/sume`);
  await user.click(pill().getByRole('button', { name: 'Copy the public URL' }));
  expect(await navigator.clipboard.readText()).toBe(`${URL}/webhooks/sume`);
  expect(await screen.findByText(/a request came back through it .* 184 ms/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Stop the tunnel' }));
  expect(host.asked('tunnel.stop')).toBe(1);
});

it('counts down to the next start, with the reason and the last lines', async () => {
  await open({
    state: 'waiting',
    message: 'cloudflared ended with code 1.',
    lines: ['ERR 429 Too Many Requests', 'failed'],
    retry_at: new Date(Date.now() + 9_500).toISOString(),
    failures: 3,
  });
  expect(trigger()).toHaveTextContent(/Tunnel: again in (10|9) s/);
  // The countdown is for the eye: the name says the state.
  expect(trigger()).toHaveAccessibleName('Tunnel: waiting');
  expect(await screen.findByText('cloudflared ended with code 1.')).toBeVisible();
  expect(screen.getByLabelText('What cloudflared wrote at last')).toHaveTextContent('ERR 429');
  expect(screen.getByRole('timer')).toHaveTextContent('Failed starts in a row: 3');
  await waitFor(() => expect(trigger()).toHaveTextContent(/again in 8 s/), { timeout: 3000 });
});

it('says why it cannot be started, and where that is changed', async () => {
  const { onsettings, user } = await open({
    state: 'failed',
    message: 'cloudflared is not installed: brew install cloudflared.',
    lines: [],
  });
  expect(await screen.findByText(/brew install cloudflared/)).toBeVisible();
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeEnabled();
  await user.click(screen.getByRole('button', { name: 'Tunnel settings' }));
  expect(onsettings).toHaveBeenCalledOnce();
});
