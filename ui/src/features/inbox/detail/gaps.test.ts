import { expect, it } from 'vitest';
import { delivery } from '../../../test/fake';
import { steps } from './gaps';

it('gaps know microseconds', () => {
  const at = (received_at: string) => delivery(1, { received_at });
  const found = steps([
    at('2025-11-29T12:00:00.000100Z'),
    at('2025-11-29T12:00:00.000350Z'),
    at('2025-11-29T12:00:30.000350Z'),
  ]);
  expect(found.map(({ since, gap }) => [since, gap])).toEqual([
    [0, undefined],
    [0.25, 0.25],
    [30_000.25, 30_000],
  ]);
  expect(steps([])).toEqual([]);
});
