import { expect, it } from 'vitest';
import { parseHeaders } from './headers';

it('keeps order, repeats and colons in values', () => {
  expect(parseHeaders('X-A: 1\n\n X-B :  http://a:1 \nX-A:2\nX-C:')).toEqual({
    headers: [
      ['X-A', '1'],
      ['X-B', 'http://a:1'],
      ['X-A', '2'],
      ['X-C', ''],
    ],
    fault: undefined,
  });
});

it('names the line that is no header', () => {
  expect(parseHeaders('X-A: 1\nnothing').fault).toContain('Line 2');
  expect(parseHeaders(': value').fault).toContain('Line 1');
});
