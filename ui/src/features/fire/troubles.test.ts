import { expect, it } from 'vitest';
import { copy, run } from '../../test/runs';
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
