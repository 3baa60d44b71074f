import { expect, it } from 'vitest';
import { copy, run, summary } from '../../test/runs';
import { apart, factsOf } from './facts';

const copies = [copy(1), copy(2)];

it('shows a spread as finely as volleys differ', () => {
  const within = (us: number) =>
    apart(run(copies, { summary: { ...summary(copies), release_spread_us: us } }));
  expect(within(41.5)).toBe('42 µs');
  expect(within(1234)).toBe('1.23 ms');
  expect(within(45_000)).toBe('45 ms');
});

it('shows a spread only where copies were held, and two of them were let go', () => {
  const keys = (report: Parameters<typeof factsOf>[0]) => factsOf(report).map((fact) => fact.key);
  expect(keys(run(copies))).toEqual(['answers', 'spread', 'peak']);
  expect(keys(run(copies, { release: { kind: 'sequential' } }))).toEqual(['answers', 'peak']);
  const unsent = { outcome: 'not-sent', status: null } as const;
  expect(keys(run([copy(1), copy(2, unsent)]))).toEqual(['answers', 'peak', 'unsent']);
  expect(keys(run([copy(1)]))).toEqual(['answers', 'peak']);
  expect(keys(run(copies, { state: 'running', summary: null }))).toEqual(['answers']);
});
