import type { ClaimRow } from '$bindings/ClaimRow';
import { Session, sessionContext } from '$host/session.svelte';
import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { answer } from '../../test/dialogs';
import { FakeHost } from '../../test/fake';
import Claims from './Claims.svelte';
import { matching } from './claims.svelte';

const claim = (job_id: string, over: Partial<ClaimRow> = {}): ClaimRow => ({
  path: '/hook',
  job_id,
  job_id_type: 'string',
  first_delivery: 1,
  claimed_at: '2025-11-29T12:04:31.482123Z',
  deliveries: 1,
  ...over,
});

async function page(rows: ClaimRow[]) {
  const kept = [...rows];
  let released: ClaimRow[] = [];
  const host = new FakeHost({
    'claims.list': () => ({ claims: [...kept], total: kept.length }),
    'claims.discard': ({ which }) => {
      released = kept.filter((row) => !which || row.job_id === which.job_id);
      kept.splice(0, kept.length, ...kept.filter((row) => !released.includes(row)));
      return { changed: released.length, undo: 7 };
    },
    'claims.restore': () => {
      kept.unshift(...released);
      return { restored: released.length, taken: 0 };
    },
    'claims.clear': () => ({ changed: kept.splice(0).length }),
    'deliveries.counts': () => ({ all: 0, duplicates: 0, bad_signature: 0, failed: 0 }),
  });
  const session = new Session(host);
  await session.start();
  render(Claims, { props: { active: true }, context: sessionContext(session) });
  return { host, user: userEvent.setup() };
}

it('filters by words in id and path', () => {
  const rows = [claim('job_A'), claim('job_b', { path: '/other' })];
  expect(matching(rows, 'JOB other').map((row) => row.job_id)).toEqual(['job_b']);
  expect(matching(rows, '  ')).toHaveLength(2);
});

it('releases one claim at once, and takes it back', async () => {
  const { host, user } = await page([
    claim('job_a'),
    claim('job_b', { job_id_type: 'number', deliveries: 12 }),
  ]);
  const row = await screen.findByRole('row', { name: /job_b/ });
  expect(row).toHaveTextContent('number');
  expect(row).toHaveTextContent('12');
  await user.click(within(row).getByRole('button', { name: 'Release job_b' }));
  expect(host.calls.find((call) => call.command === 'claims.discard')?.params).toEqual({
    which: { job_id: 'job_b', job_id_type: 'number', path: '/hook' },
  });
  await expect.poll(() => screen.queryByRole('row', { name: /job_b/ })).toBeNull();
  expect(await screen.findByTestId('undo')).toHaveTextContent('The claim of job_b is released');
  await user.click(screen.getByRole('button', { name: /^Undo/ }));
  expect(host.calls.find((call) => call.command === 'claims.restore')?.params).toEqual({ undo: 7 });
  expect(await screen.findByRole('row', { name: /job_b/ })).toBeInTheDocument();
  expect(screen.queryByTestId('undo')).toBeNull();
});

it('releases all at once, and says which were claimed anew meanwhile', async () => {
  const { host, user } = await page([claim('job_a'), claim('job_b')]);
  await user.click(await screen.findByRole('button', { name: 'Release all' }));
  expect(await screen.findByText('Nothing is claimed')).toBeInTheDocument();
  host.answers['claims.restore'] = () => ({ restored: 1, taken: 1 });
  await user.keyboard('{Control>}z{/Control}');
  expect(await screen.findByTestId('undo')).toHaveTextContent(
    '1 claim back; 1 claimed anew meanwhile, left as they are',
  );
});

it('says of one claim whose job was claimed anew that the new one stays', async () => {
  const { host, user } = await page([claim('job_a'), claim('job_b')]);
  await user.click(await screen.findByRole('button', { name: 'Release job_a' }));
  await screen.findByText('The claim of job_a is released');
  host.answers['claims.restore'] = () => ({ restored: 0, taken: 1 });
  await user.keyboard('z');
  const bar = await screen.findByTestId('undo');
  await expect.poll(() => bar.textContent).toContain('The job was claimed anew meanwhile; that claim stays');
  expect(bar).not.toHaveTextContent('0 claims');
});

it('asks where there is too much to be undone', async () => {
  const { host, user } = await page([claim('job_a'), claim('job_b')]);
  host.answers['claims.discard'] = () => ({ changed: 0, undo: null });
  await user.click(await screen.findByRole('button', { name: 'Release all' }));
  expect(await screen.findByRole('alertdialog', { name: 'Release 2 claims?' })).toBeInTheDocument();
  await answer(user, 'Release');
  expect(host.asked('claims.clear')).toBe(1);
  expect(await screen.findByText('Nothing is claimed')).toBeInTheDocument();
});

it('says so where nothing is claimed', async () => {
  await page([]);
  expect(await screen.findByText('Nothing is claimed')).toBeInTheDocument();
});
