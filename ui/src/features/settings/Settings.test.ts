import { HostError } from '$host/host';
import { Session, sessionContext } from '$host/session.svelte';
import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { answer } from '../../test/dialogs';
import { FakeHost, appState, secretInfo } from '../../test/fake';
import Settings from './Settings.svelte';

async function open(answers: ConstructorParameters<typeof FakeHost>[0] = {}) {
  const host = new FakeHost({
    'settings.set': (settings) => appState({ settings }),
    ...answers,
  });
  const session = new Session(host);
  await session.start();
  render(Settings, { props: { active: true }, context: sessionContext(session) });
  return { host, session, user: userEvent.setup() };
}

const field = (name: string) => screen.getByRole('textbox', { name });
const button = (name: string) => screen.getByRole('button', { name });

async function type(user: ReturnType<typeof userEvent.setup>, name: string, text: string) {
  await user.clear(field(name));
  await user.type(field(name), text);
}

it('saves one section and says so', async () => {
  const { host, user } = await open();
  expect(button('Save: Listener')).toBeDisabled();
  await type(user, 'Port', '4500');
  await type(user, 'Tolerance', '2m');
  await user.click(button('Save: Listener'));
  await screen.findByText('Saved');
  const sent = host.calls.find((call) => call.command === 'settings.set')?.params;
  const { settings } = appState();
  expect(sent).toEqual({ ...settings, listen: { ...settings.listen, port: 4500, tolerance_s: 120 } });
  expect(field('Tolerance')).toHaveValue('2 min');
});

it('shows beside the section why it was not saved, and keeps what was typed', async () => {
  const { user } = await open({
    'settings.set': () => {
      throw new HostError({ code: 'cannot-write', message: 'The settings cannot be written: read-only.' });
    },
  });
  await type(user, 'Port', '4500');
  await user.click(button('Save: Listener'));
  expect(await screen.findByRole('alert')).toHaveTextContent('The settings cannot be written: read-only.');
  expect(field('Port')).toHaveValue('4500');
  expect(button('Save: Listener')).toBeEnabled();
});

it('names a value that cannot be saved at its field', async () => {
  const { user } = await open();
  await type(user, 'Port', '70000');
  expect(field('Port')).toBeInvalid();
  expect(field('Port')).toHaveAccessibleDescription(/from 1 to 65535/);
  expect(button('Save: Listener')).toBeDisabled();
});

it('takes what is changed elsewhere, and does not clobber what is being typed', async () => {
  const { session, user } = await open();
  const { settings } = appState();
  await type(user, 'Port', '4500');
  const listen = { ...settings.listen, port: 4600, delay_ms: 250 };
  session.take(appState({ settings: { ...settings, listen } }));
  await waitFor(() => expect(field('Delay before each answer')).toHaveValue('250 ms'));
  expect(field('Port')).toHaveValue('4500');
  expect(screen.getByText('This was changed elsewhere meanwhile')).toBeVisible();
  await user.click(button('Discard'));
  expect(field('Port')).toHaveValue('4600');
});

it('answers challenges only when that is switched on (C70)', async () => {
  const { host, user } = await open();
  const challenges = screen.getByRole('switch', { name: /Answer URL verification challenges/ });
  expect(challenges).not.toBeChecked();
  await user.click(challenges);
  await user.click(button('Save: Responder'));
  await screen.findByText('Saved');
  const sent = host.calls.find((call) => call.command === 'settings.set')?.params;
  const { settings } = appState();
  expect(sent).toEqual({ ...settings, listen: { ...settings.listen, answer_challenges: true } });
});

it('chooses a scheme and says what it signs', async () => {
  const { host, user } = await open();
  const scheme = screen.getByRole('combobox', { name: 'Scheme' });
  expect(scheme).toHaveValue('sume');
  expect([...scheme.querySelectorAll('option')].map((option) => option.value)).toHaveLength(7);
  await user.selectOptions(scheme, 'github');
  expect(scheme).toHaveAccessibleDescription(/X-Hub-Signature-256/);
  expect(screen.queryByRole('textbox', { name: 'Tag' })).toBeNull();
  await user.click(button('Save: Scheme'));
  await screen.findByText('Saved');
  const sent = host.calls.find((call) => call.command === 'settings.set')?.params;
  const { settings } = appState();
  expect(sent).toEqual({ ...settings, listen: { ...settings.listen, scheme: 'github' } });
});

it('changes Sume’s names and brings its own back', async () => {
  const { host, user } = await open();
  const own = button('Back to Sume’s own');
  expect(own).toBeDisabled();
  await type(user, 'Signature header', 'X S');
  expect(field('Signature header')).toBeInvalid();
  expect(button('Save: Scheme')).toBeDisabled();
  await type(user, 'Signature header', 'X-S');
  await user.click(button('Save: Scheme'));
  await screen.findByText('Saved');
  const sent = host.calls.find((call) => call.command === 'settings.set')?.params;
  expect(sent).toMatchObject({ schemes: { sume: { signature_header: 'X-S', tag: 'v1=' } } });
  await user.click(own);
  expect(field('Signature header')).toHaveValue('X-Sume-Signature');
  expect(button('Save: Scheme')).toBeEnabled();
});

it('describes a scheme of one’s own', async () => {
  const { host, user } = await open();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Scheme' }), 'custom');
  await user.clear(field('What is signed'));
  expect(field('What is signed')).toHaveAccessibleDescription(/Without {body} anybody/);
  await user.click(field('What is signed'));
  await user.paste('{method}\\n{body}');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Timestamp' }), 'beside the signature');
  await type(user, 'Timestamp word', 'ts');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Digest written in' }), 'base64');
  await user.click(button('Save: Scheme'));
  await screen.findByText('Saved');
  const sent = host.calls.find((call) => call.command === 'settings.set')?.params;
  expect(sent).toMatchObject({
    listen: { scheme: 'custom' },
    schemes: {
      custom: {
        signed: '{method}\n{body}',
        timestamp: { kind: 'parameter', name: 'ts' },
        encoding: 'base64',
      },
    },
  });
});

it('leaves a form alone when other state changes', async () => {
  const { session, user } = await open();
  await type(user, 'Port', '4500');
  session.take(appState({ claims: 7 }));
  await waitFor(() => expect(session.app?.claims).toBe(7));
  expect(field('Port')).toHaveValue('4500');
  expect(screen.queryByText('This was changed elsewhere meanwhile')).toBeNull();
});

it('asks before deliveries are forwarded to another machine, once', async () => {
  const { host, user } = await open();
  await user.click(screen.getByRole('radio', { name: 'Forward' }));
  expect(button('Save: Responder')).toBeDisabled();
  await user.type(field('Forward to'), 'https://staging.example/hook');
  await user.click(button('Save: Responder'));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(host.asked('settings.set')).toBe(0);
  await user.click(button('Save: Responder'));
  await user.click(await screen.findByRole('button', { name: 'Forward to staging.example' }));
  await screen.findByText('Saved');
  expect(host.calls.find(({ command }) => command === 'settings.set')?.params).toMatchObject({
    listen: { responder: { kind: 'forward' }, forward: { url: 'https://staging.example/hook', copies: 1 } },
  });
  await type(user, 'Copies', '3');
  await user.click(button('Save: Responder'));
  await waitFor(() => expect(host.asked('settings.set')).toBe(2));
});

it('this machine is forwarded to without a question', async () => {
  const { host, user } = await open();
  await user.click(screen.getByRole('radio', { name: 'Forward' }));
  await user.type(field('Forward to'), 'http://localhost:3000');
  await user.click(button('Save: Responder'));
  await waitFor(() => expect(host.asked('settings.set')).toBe(1));
});

it('asks of a tunnel what its program wants, and shows the command that would run', async () => {
  const { host, user } = await open();
  expect(await screen.findByLabelText('The command that would run')).toHaveTextContent('cloudflared tunnel');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Tunnel through' }), 'ssh');
  expect(button('Save: Tunnel')).toBeDisabled();
  await user.type(field('Server'), 'me@host.example');
  expect(screen.getByText(/save to see the change/)).toBeVisible();
  host.answers['tunnel.command'] = () => ({ text: 'ssh -R 0:127.0.0.1:4400 me@host.example' });
  await user.click(button('Save: Tunnel'));
  await waitFor(() =>
    expect(screen.getByLabelText('The command that would run')).toHaveTextContent('me@host.example'),
  );
});

it('the command that would run has its place from the start, and is copied when it is known', async () => {
  let know: (known: { text: string }) => void = () => {};
  await open({ 'tunnel.command': () => new Promise((resolve) => (know = resolve)) });
  const command = screen.getByLabelText('The command that would run');
  const copy = 'Copy: The command that would run';
  expect(screen.queryByRole('button', { name: copy })).toBeNull();
  know({ text: 'bore local 4400' });
  expect(await screen.findByRole('button', { name: copy })).toBeVisible();
  expect(command).toHaveTextContent('bore local 4400');
});

it('the API key goes one way, and is forgotten after a question', async () => {
  const kept = appState({ sume_key: secretInfo({ name: 'sume-api', fingerprint: '9c41' }) });
  const { host, user } = await open({
    'sume.set_key': () => kept,
    'sume.forget_key': () => appState(),
  });
  await user.type(screen.getByLabelText('API key'), 'sk-very-secret');
  await user.click(button('Set the key'));
  expect(await screen.findByText('9c41')).toBeVisible();
  expect(host.calls).toContainEqual({ command: 'sume.set_key', params: { key: 'sk-very-secret' } });
  expect(screen.getByLabelText('Another API key')).toHaveValue('');
  expect(document.body.innerHTML).not.toContain('sk-very-secret');
  await user.click(button('Forget the key'));
  await answer(user, 'Forget the key');
  expect(await screen.findByText('No API key is set.')).toBeVisible();
});
