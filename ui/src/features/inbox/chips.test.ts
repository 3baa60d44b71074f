import { expect, it } from 'vitest';
import { narrowed, token } from './chips';

it('a chip narrows what is typed', () => {
  expect(narrowed('', 'all')).toBe('');
  expect(narrowed('  job:x ', 'all')).toBe('job:x');
  expect(narrowed('job:x', 'duplicates')).toBe('job:x is:duplicate');
  expect(narrowed('', 'failed')).toBe('is:failed');
});

it('a token keeps spaces, quotation marks and stars', () => {
  expect(token('job', 'job_1')).toBe('job:job_1');
  expect(token('job', 'a b')).toBe('job:"a b"');
  expect(token('job', 'a"\\')).toBe('job:"a\\"\\\\"');
  expect(token('job', 'a*')).toBe('job:"a*"');
});
