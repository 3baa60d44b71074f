import type { SignatureDetail } from '$bindings/SignatureDetail';
import { HostError } from '$host/host';
import { Session, sessionContext } from '$host/session.svelte';
import { toBase64 } from '$lib/bytes';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { appState, delivery, FakeHost, secretInfo, signature } from '../../../test/fake';
import { Body } from '../body.svelte';
import SignatureTab from './SignatureTab.svelte';

const BODY = '{"a":1}\n';
const bad = signature({ state: 'invalid', reason: 'No digest matches.', secret: null });
const signed: SignatureDetail = {
  signed_prefix: '1764417871.',
  signed_suffix: '',
  received: ['v1=00'],
  age_s: 0.2,
  tolerance_s: 300,
  again: null,
};

type Setup = {
  report?: ReturnType<typeof signature>;
  detail?: Partial<SignatureDetail>;
  headers?: string[];
  answers?: ConstructorParameters<typeof FakeHost>[0];
};

async function open({ report = bad, detail = {}, headers = ['X-Sume-Signature'], answers = {} }: Setup = {}) {
  const host = new FakeHost({
    'app.state': () =>
      appState({
        secrets: [
          secretInfo({ name: 'new-2026' }),
          secretInfo({ name: 'old-2025', fingerprint: 'beef' }),
          secretInfo({ name: 'hub', scheme: 'github' }),
        ],
      }),
    'deliveries.signature': () => ({ ...signed, ...detail }),
    'deliveries.body': () => ({
      base64: toBase64(new TextEncoder().encode(BODY)),
      offset: 0,
      total: BODY.length,
      json_error: null,
    }),
    'deliveries.judge': ({ scheme }) => signature({ scheme, secret: 'the typed one' }),
    ...answers,
  });
  const session = new Session(host);
  await session.start();
  const of = (seq: number) => ({
    delivery: delivery(seq, { signature: report }),
    body: new Body(session, seq),
    headers,
    active: true,
  });
  const page = render(SignatureTab, { props: of(1), context: sessionContext(session) });
  await screen.findByText('What came');
  return { host, page, of, user: userEvent.setup() };
}

const verdict = () => screen.getByTestId('signature-verdict');
const field = () => screen.getByLabelText('Secret to try', { selector: 'input' });
const judged = (host: FakeHost) => host.calls.find(({ command }) => command === 'deliveries.judge')?.params;

it('names the secret that matched, and how old the time was', async () => {
  await open({ report: signature({ secret: 'old-2025' }) });
  expect(verdict()).toHaveTextContent('It matches the secret old-2025.');
  expect(verdict()).toHaveTextContent('was 200 ms old at receipt; 300 s are allowed.');
  expect(verdict()).toHaveTextContent('Judged at receipt, by the scheme Sume.');
});

it('shows what was signed from its first to its last byte, and what cannot be seen in it', async () => {
  await open({
    detail: { signed_prefix: 'POST \u200b', signed_suffix: '\n end ', received: ['v1=00\u00a0'] },
  });
  const text = await screen.findByLabelText('Signed text');
  expect(text.textContent).toBe(`POST \u200b${BODY}\n end `);
  const marks = (within: Element) =>
    [...within.querySelectorAll('[data-mark]')].map((one) => one.getAttribute('data-mark'));
  expect(marks(text)).toEqual(['U+200B', 'LF', 'LF', 'SP']);
  expect(marks(screen.getByLabelText('Signature header'))).toEqual(['U+00A0']);
});

it('a trial with a typed secret says its verdict and leaves the one at receipt', async () => {
  const { host, user } = await open();
  expect(screen.getByRole('button', { name: 'Try it' })).toBeDisabled();
  expect(field()).toHaveAttribute('type', 'password');
  await user.type(field(), 'hush ');
  await user.click(screen.getByRole('button', { name: 'Try it' }));
  const tried = await screen.findByTestId('trial-verdict');
  expect(tried).toHaveTextContent('Tried: The signature matches');
  expect(tried).toHaveTextContent('with the scheme Sume and the secret that was typed');
  expect(tried).toHaveTextContent('What was judged at receipt stays.');
  expect(verdict()).toHaveTextContent('The signature does not match this body');
  expect(judged(host)).toEqual({ seq: 1, scheme: 'sume', secret: { kind: 'typed', secret: 'hush ' } });
});

it('offers the scheme whose header came, and every secret that is known', async () => {
  const { host, user } = await open({ headers: ['X-Hub-Signature-256'] });
  expect(screen.getByRole('combobox', { name: 'Scheme' })).toHaveValue('github');
  const secret = screen.getByRole('combobox', { name: 'Secret' });
  const options = within(secret).getAllByRole('option');
  expect(options.map(({ textContent }) => textContent.trim())).toEqual([
    'typed below',
    'in use: hub',
    'hub · 7f3a',
    'new-2026 · 7f3a',
    'old-2025 · beef',
  ]);
  await user.selectOptions(secret, 'old-2025 · beef');
  await user.click(screen.getByRole('button', { name: 'Try it' }));
  expect(await screen.findByTestId('trial-verdict')).toHaveTextContent('GitHub and the secret old-2025.');
  expect(judged(host)).toEqual({ seq: 1, scheme: 'github', secret: { kind: 'named', name: 'old-2025' } });
});

it('forgets a typed secret with another delivery, another choice and another page', async () => {
  const { page, of, user } = await open();
  await user.type(field(), 'hush');
  await user.click(screen.getByRole('button', { name: 'Try it' }));
  await screen.findByTestId('trial-verdict');
  await page.rerender(of(2));
  expect(field()).toHaveValue('');
  expect(screen.queryByTestId('trial-verdict')).toBeNull();

  await user.type(field(), 'hush');
  const secret = screen.getByRole('combobox', { name: 'Secret' });
  await user.selectOptions(secret, 'in-use');
  await user.selectOptions(secret, 'typed');
  expect(field()).toHaveValue('');

  await user.type(field(), 'hush');
  await page.rerender({ ...of(2), active: false });
  await waitFor(() => expect(field()).toHaveValue(''));
});

it('says where it could not be tried or loaded', async () => {
  const fail = () => {
    throw new HostError({ code: 'not-found', message: 'Delivery #1 is not kept any more.' });
  };
  const { user } = await open({ answers: { 'deliveries.judge': fail, 'deliveries.body': fail } });
  expect(await screen.findByText('The body could not be loaded')).toBeVisible();
  await user.type(field(), 'hush');
  await user.click(screen.getByRole('button', { name: 'Try it' }));
  expect(await screen.findByText('It could not be tried')).toBeVisible();
});
