import { expect, it } from 'vitest';
import { laidOut, longestLine } from './layout';

it('a line for each value; literals, keys and their order stay as they were sent', () => {
  expect(laidOut('{"b":1.0, "a":[ ],"b":[{}, 1152921506151679042,"\\u0061"]}\n')).toBe(
    ['{', '  "b": 1.0,', '  "a": [],', '  "b": [', '    {},', '    1152921506151679042,', '    "\\u0061"', '  ]', '}'].join('\n'), // prettier-ignore
  );
  expect(laidOut(' 7 ')).toBe('7');
});

it('depth costs no more than its text', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  expect(laidOut(deep).length).toBeLessThan(20_000 * 300);
});

it('finds the longest line', () => {
  expect(longestLine('ab\ncdef\n')).toBe(4);
  expect(longestLine('')).toBe(0);
});
