import type { AppState } from '$bindings/AppState';
import type { SecretInfo } from '$bindings/SecretInfo';
import { HostError } from '$host/host';
import { Session, sessionContext } from '$host/session.svelte';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { answer } from '../../test/dialogs';
import { FakeHost, appState, secretInfo } from '../../test/fake';
import SecretsCard from './SecretsCard.svelte';
import SecretsPage from './Settings.svelte';

/** A page over secrets that change as the engine would change them. */
async function open(secrets: SecretInfo[], answers: ConstructorParameters<typeof FakeHost>[0] = {}) {
  let now = secrets;
  const is = (scheme: string, name: string) => (secret: SecretInfo) =>
    secret.scheme === scheme && secret.name === name;
  const take = (next: SecretInfo[]): AppState => appState({ secrets: (now = next) });
  const first = (secret: SecretInfo) =>
    take([secret, ...now.filter((other) => !is(secret.scheme ?? '', secret.name)(other))]);
  const host = new FakeHost({
    'app.state': () => appState({ secrets: now }),
    'secret.set': ({ scheme, name }) => first(secretInfo({ scheme, name, fingerprint: 'ab12' })),
    'secret.use': ({ scheme, name }) => first(secretInfo({ scheme, name })),
    'secret.prefer': ({ scheme, name }) => first(now.find(is(scheme, name)) ?? secretInfo()),
    'secret.remove': ({ scheme, name }) => take(now.filter((secret) => !is(scheme, name)(secret))),
    'secret.clear': ({ scheme }) => take(now.filter((secret) => secret.scheme !== scheme)),
    ...answers,
  });
  const session = new Session(host);
  await session.start();
  const page = render(SecretsPage, { props: { active: true }, context: sessionContext(session) });
  return { host, session, page, user: userEvent.setup() };
}

const button = (name: string) => screen.getByRole('button', { name });
const secretField = () => screen.getByLabelText('Secret', { selector: 'input' });
const group = (label: string) => screen.getByRole('region', { name: `Secrets of ${label}` });
const rows = (label: string) => within(group(label)).queryAllByRole('listitem');
const names = (label: string) => rows(label).map((row) => row.querySelector('code')?.textContent);

it('hands a secret over once and forgets it', async () => {
  const { host, user } = await open([], {
    'secret.set': ({ scheme, name }) =>
      appState({ secrets: [secretInfo({ scheme, name, fingerprint: 'ab12', warning: 'Odd.' })] }),
  });
  expect(group('Sume')).toHaveTextContent('no secret');
  expect(secretField()).toHaveAttribute('type', 'password');
  await user.type(secretField(), ' whsec ');
  await user.click(button('Add the secret'));
  await waitFor(() => expect(group('Sume')).toHaveTextContent('sume ab12 signs'));
  const params = { scheme: 'sume', name: 'sume', secret: ' whsec ' };
  expect(host.calls).toContainEqual({ command: 'secret.set', params });
  expect(secretField()).toHaveValue('');
  expect(screen.getByText('Odd.')).toBeVisible();
  expect(screen.getByText('sume signs now.')).toBeVisible();
});

it('a second one signs, and the older one verifies still and can be made to sign', async () => {
  const { host, user } = await open([secretInfo({ name: 'old-2025' })]);
  await user.clear(screen.getByRole('textbox', { name: 'Name' }));
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'new-2026');
  await user.type(secretField(), 'x');
  await user.click(button('Add the secret'));
  await waitFor(() => expect(names('Sume')).toEqual(['new-2026', 'old-2025']));
  expect(rows('Sume').map((row) => row.textContent.includes('signs'))).toEqual([true, false]);
  await user.click(button('Sign with old-2025'));
  await waitFor(() => expect(names('Sume')).toEqual(['old-2025', 'new-2026']));
  expect(host.calls.at(-1)).toEqual({
    command: 'secret.prefer',
    params: { scheme: 'sume', name: 'old-2025' },
  });
});

it('takes one out after asking, and the keychain forgets it only where that is chosen', async () => {
  const { host, user } = await open([secretInfo({ name: 'new' }), secretInfo({ name: 'old' })]);
  await user.click(button('Take out old'));
  const dialog = await screen.findByRole('alertdialog');
  expect(host.asked('secret.remove')).toBe(0);
  expect(within(dialog).getByRole('switch')).not.toBeChecked();
  await answer(user, 'Take out');
  await waitFor(() => expect(names('Sume')).toEqual(['new']));
  expect(host.calls.at(-1)?.params).toEqual({ scheme: 'sume', name: 'old', forget: false });

  await user.click(button('Take out new'));
  await user.click(await screen.findByRole('switch', { name: /keychain forgets/ }));
  await answer(user, 'Take out and forget');
  await waitFor(() => expect(group('Sume')).toHaveTextContent('no secret'));
  expect(host.calls.at(-1)?.params).toEqual({ scheme: 'sume', name: 'new', forget: true });
});

it('takes one that the keychain holds by its name alone', async () => {
  const { host, user } = await open([]);
  await user.type(secretField(), 'half typed');
  await user.click(screen.getByRole('radio', { name: 'In the keychain already' }));
  expect(screen.queryByLabelText('Secret', { selector: 'input' })).toBeNull();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Used for' }), 'github');
  expect(screen.getByRole('textbox', { name: 'Name' })).toHaveValue('github');
  await user.click(button('Add the secret'));
  await waitFor(() => expect(names('GitHub')).toEqual(['github']));
  expect(host.calls.at(-1)).toEqual({
    command: 'secret.use',
    params: { scheme: 'github', name: 'github' },
  });
  await user.click(screen.getByRole('radio', { name: 'Typed here' }));
  expect(secretField()).toHaveValue('');
});

it('asks before it forgets a secret that is only in memory, and says that it is', async () => {
  const { host, user } = await open([secretInfo({ name: 'mine', kept_in: 'memory' })]);
  expect(screen.getByText('No system keychain runs here')).toBeVisible();
  await user.click(button('Use none for Sume'));
  expect(host.asked('secret.clear')).toBe(0);
  expect(await screen.findByRole('alertdialog')).toHaveTextContent('gone with this: mine');
  await answer(user, 'Forget and use none');
  await waitFor(() => expect(group('Sume')).toHaveTextContent('no secret'));
  expect(screen.queryByText('No system keychain runs here')).toBeNull();
});

it('a throwaway one goes without a question', async () => {
  const throwaway = secretInfo({ name: 'throwaway', scheme: null, throwaway: true, kept_in: 'memory' });
  const { host, user } = await open([throwaway], { 'secret.clear': () => appState({ secrets: [] }) });
  expect(screen.queryByText('No system keychain runs here')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Take out throwaway' })).toBeNull();
  await user.click(button('Use none for Sume'));
  await waitFor(() => expect(group('Sume')).toHaveTextContent('no secret'));
  expect(host.calls.at(-1)?.params).toEqual({ scheme: 'sume' });
});

it('those of this start come first and cannot be ordered; what is kept is set aside', async () => {
  const given = secretInfo({ name: 'HOOK_SECRET', scheme: null, kept_in: 'environment' });
  await open([given, secretInfo({ name: 'kept' }), secretInfo({ name: 'hub', scheme: 'github' })]);
  expect(names('Sume')).toEqual(['HOOK_SECRET', 'kept']);
  expect(rows('Sume')[0]).toHaveTextContent('signs');
  expect(rows('Sume')[1]).toHaveTextContent('set aside');
  expect(rows('GitHub')[0]).toHaveTextContent('set aside');
  expect(screen.queryByRole('button', { name: /^Sign with/ })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Take out HOOK_SECRET' })).toBeNull();
  expect(button('Take out kept')).toBeEnabled();
});

it('sixteen stand in their order, and what is refused is said where it was asked', async () => {
  const many = Array.from({ length: 16 }, (_, n) => secretInfo({ name: `s${n}` }));
  const { user } = await open(many, {
    'secret.set': () => {
      throw new HostError({ code: 'bad-input', message: 'There are 16 secrets for this scheme already.' });
    },
  });
  expect(names('Sume')).toEqual(many.map(({ name }) => name));
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'more');
  await user.type(secretField(), 'kept');
  await user.click(button('Add the secret'));
  expect(await screen.findByRole('alert')).toHaveTextContent('There are 16 secrets');
  expect(secretField()).toHaveValue('kept');
});

it('a name that another scheme has in the keychain is not overwritten; its own is, and that is said', async () => {
  const { user } = await open([secretInfo({ name: 'mine' }), secretInfo({ name: 'hub', scheme: 'github' })]);
  const name = screen.getByRole('textbox', { name: 'Name' });
  await user.type(secretField(), 'x');
  await user.clear(name);
  await user.type(name, 'hub');
  expect(name).toBeInvalid();
  expect(name).toHaveAccessibleDescription(/GitHub has one of this name/);
  expect(button('Add the secret')).toBeDisabled();
  await user.clear(name);
  await user.type(name, 'mine');
  expect(name).toHaveAccessibleDescription(/takes the place/);
  expect(button('Add the secret')).toBeEnabled();
});

it('what was typed is forgotten when the page is left', async () => {
  const host = new FakeHost();
  const session = new Session(host);
  await session.start();
  const app = appState();
  const page = render(SecretsCard, { props: { app, active: true }, context: sessionContext(session) });
  await userEvent.setup().type(secretField(), 'half');
  expect(secretField()).toHaveValue('half');
  await page.rerender({ app, active: false });
  expect(secretField()).toHaveValue('');
});
