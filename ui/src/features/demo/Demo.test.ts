import type { DemoSide } from '$bindings/DemoSide';
import { HostError } from '$host/host';
import { Session, sessionContext } from '$host/session.svelte';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { FakeHost } from '../../test/fake';
import { copy } from '../../test/runs';
import Demo from './Demo.svelte';

function side(responder: string, copies: number, effects: number): DemoSide {
  return {
    responder,
    effects,
    copies: Array.from({ length: copies }, (_, i) => copy(i + 1)),
    release_spread_us: 100,
    peak_in_flight: copies,
    ran_effect: Array.from({ length: copies }, (_, i) => i < effects),
  };
}

async function open(answer: ConstructorParameters<typeof FakeHost>[0]) {
  const host = new FakeHost(answer);
  const session = new Session(host);
  await session.start();
  render(Demo, { props: { active: true }, context: sessionContext(session) });
  return { host, user: userEvent.setup() };
}

const report = {
  'demo.run': ({ copies }: { copies: number }) => ({
    naive: side('naive', copies, 4),
    claim: side('claim', copies, 1),
    sentence: 'The naive handler ran its effect 4 times.',
  }),
};

const effects = (name: string) =>
  within(screen.getByTestId(`demo-${name}`)).getByTestId('effects').textContent;

afterEach(() => vi.restoreAllMocks());

it('shows the end at once where the system wants no motion', async () => {
  vi.spyOn(window, 'matchMedia').mockReturnValue({ matches: true } as MediaQueryList);
  const { host, user } = await open(report);
  await user.click(screen.getByRole('radio', { name: '20' }));
  await user.keyboard('{Control>}{Enter}{/Control}');
  await screen.findByText('The naive handler ran its effect 4 times.');
  expect(host.calls).toContainEqual({ command: 'demo.run', params: { copies: 20 } });
  expect([effects('naive'), effects('claim')]).toEqual(['4', '1']);
  expect(screen.getByText('✕ ran 4 times')).toBeVisible();
});

it('counts the effects as the copies are answered, and can be taken to the end', async () => {
  const { user } = await open(report);
  await user.click(screen.getByRole('button', { name: /^Run/ }));
  await user.click(await screen.findByRole('button', { name: 'To the end' }));
  await waitFor(() => expect([effects('naive'), effects('claim')]).toEqual(['4', '1']));
  await user.click(screen.getByRole('button', { name: 'Replay' }));
  await waitFor(() => expect(effects('naive')).toBe('0'));
});

it('says why it could not be run', async () => {
  const { user } = await open({
    'demo.run': () => {
      throw new HostError({ code: 'internal', message: 'There is no temporary folder.' });
    },
  });
  await user.click(screen.getByRole('button', { name: /^Run/ }));
  expect(await screen.findByRole('alert')).toHaveTextContent('There is no temporary folder.');
});
