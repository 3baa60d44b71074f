import { HostError } from '$host/host';
import { Session, sessionContext } from '$host/session.svelte';
import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { FakeHost, appState } from '../../test/fake';
import Settings from './Settings.svelte';

async function open(notifications?: (attempt: boolean) => Promise<void>) {
  const host = new FakeHost({ 'settings.set': (settings) => appState({ settings }) });
  if (notifications) host.notifications = notifications;
  const session = new Session(host);
  await session.start();
  render(Settings, { props: { active: true }, context: sessionContext(session) });
  return { host, user: userEvent.setup() };
}

it('asks for none at first, and saves what is asked for', async () => {
  const { host, user } = await open();
  const duplicates = screen.getByRole('switch', { name: /On a duplicate/ });
  expect(duplicates).not.toBeChecked();
  await user.click(duplicates);
  await user.click(screen.getByRole('button', { name: 'Save: Notifications' }));
  await screen.findByText('Saved');
  const sent = host.calls.find((call) => call.command === 'settings.set')?.params;
  expect(sent).toEqual({
    ...appState().settings,
    notify: { duplicates: true, bad_signatures: false, in_front: false },
  });
});

it('says in a browser that the window shows them', async () => {
  await open();
  expect(screen.getByText(/This page in a browser does not/)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Try it' })).toBeNull();
});

it('says once that nobody shows them, until somebody does', async () => {
  let there = false;
  const asked: boolean[] = [];
  const { user } = await open((attempt) => {
    asked.push(attempt);
    if (there) return Promise.resolve();
    return Promise.reject(
      new HostError({ code: 'unreachable', message: 'No program shows them.', detail: 'ServiceUnknown' }),
    );
  });
  expect(await screen.findByText('No program shows them.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try it' }));
  expect(await screen.findAllByText('No program shows them.')).toHaveLength(1);
  there = true;
  await user.click(screen.getByRole('button', { name: 'Try it' }));
  expect(await screen.findByText(/^Sent\./)).toBeInTheDocument();
  expect(screen.queryByText('No program shows them.')).toBeNull();
  expect(asked).toEqual([false, true, true]);
});

it.each(['before', 'after'])('an older look that ends %s "Try it" takes nothing back', async (when) => {
  const end: (() => void)[] = [];
  const { user } = await open(() => new Promise((done) => end.push(done)));
  const button = screen.getByRole('button', { name: 'Try it' });
  await user.click(button);
  const [look, attempt] = end;
  if (when === 'before') {
    look?.();
    await new Promise((done) => setTimeout(done));
    expect(button).toBeDisabled();
  }
  attempt?.();
  expect(await screen.findByText(/^Sent\./)).toBeInTheDocument();
  look?.();
  await new Promise((done) => setTimeout(done));
  expect(screen.getByText(/^Sent\./)).toBeInTheDocument();
  expect(button).toBeEnabled();
});
