import { expect, it } from 'vitest';
import { narrowed } from './chips';

it('a chip narrows what is typed', () => {
  expect(narrowed('', 'all')).toBe('');
  expect(narrowed('  job:x ', 'all')).toBe('job:x');
  expect(narrowed('job:x', 'duplicates')).toBe('job:x is:duplicate');
  expect(narrowed('', 'failed')).toBe('is:failed');
});
