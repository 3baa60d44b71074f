import type { ClaimRow } from '$bindings/ClaimRow';
import { Session, sessionContext } from '$host/session.svelte';
import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
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
  const host = new FakeHost({
    'claims.list': () => ({ claims: [...kept], total: kept.length }),
    'claims.release': ({ job_id }) => {
      kept.splice(
        kept.findIndex((row) => row.job_id === job_id),
        1,
      );
      return { changed: 1 };
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

it('releases one claim after asking', async () => {
  const { host, user } = await page([
    claim('job_a'),
    claim('job_b', { job_id_type: 'number', deliveries: 12 }),
  ]);
  const row = await screen.findByRole('row', { name: /job_b/ });
  expect(row).toHaveTextContent('number');
  expect(row).toHaveTextContent('12');
  await user.click(within(row).getByRole('button', { name: 'Release job_b' }));
  expect(host.asked('claims.release')).toBe(0);
  await user.click(await screen.findByRole('button', { name: 'Release' }));
  expect(host.calls.find((call) => call.command === 'claims.release')?.params).toEqual({
    job_id: 'job_b',
    job_id_type: 'number',
    path: '/hook',
  });
  await expect.poll(() => screen.queryByRole('row', { name: /job_b/ })).toBeNull();
});

it('says so where nothing is claimed', async () => {
  await page([]);
  expect(await screen.findByText('Nothing is claimed')).toBeInTheDocument();
});
