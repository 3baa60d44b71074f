import { expect, it } from 'vitest';
import { copy, run } from '../../test/runs';
import { factsOf, spread } from './facts';
import { numbers, troublesOf } from './troubles';

it('says every trouble once, with its copies', () => {
  const refused = { outcome: 'not-sent', status: null, error: 'refused' } as const;
  const report = run([
    copy(3, refused),
    copy(1, refused),
    copy(2, refused),
    copy(4, { warnings: ['a body'] }),
    copy(6, refused),
  ]);
  expect(troublesOf(report)).toEqual([
    { text: 'refused', error: true, copies: [1, 2, 3, 6] },
    { text: 'a body', error: false, copies: [4] },
  ]);
  expect(numbers([1, 2, 3, 6])).toBe('copies 1–3, 6');
  expect(numbers([4])).toBe('copy 4');
});

it('shows a spread as finely as volleys differ', () => {
  expect(spread(41.5)).toBe('42 µs');
  expect(spread(1234)).toBe('1.23 ms');
  expect(spread(45_000)).toBe('45 ms');
});

it('shows a spread only where copies were held', () => {
  const keys = (over: Parameters<typeof run>[1]) =>
    factsOf(run([copy(1), copy(2)], over)).map((fact) => fact.key);
  expect(keys({})).toEqual(['answers', 'spread', 'peak']);
  expect(keys({ release: { kind: 'sequential' } })).toEqual(['answers', 'peak']);
});
