import { describe, expect, it } from 'vitest';
import { editable, lineEndOf, separatorOf, withLineEnd } from './body';

const bytes = (...values: number[]) => new Uint8Array(values);

describe('c07 line ends', () => {
  it.each([
    ['{}', 'none'],
    ['{\n}', 'LF'],
    ['{\r\n}\r\n', 'CRLF'],
    ['{\r\n}\n', 'mixed'],
    ['{\r}', 'mixed'],
    ['{\r\r\n}', 'mixed'],
    ['{\n\r\n}', 'mixed'],
  ] as const)('of %j are %s', (text, end) => {
    expect(lineEndOf(text)).toBe(end);
  });

  it.each(['{}', '{\n}', '{\r\n}\r\n', '{\r\n}\n', '{\r}', '\r\r\n', '\n\r\n\r'])(
    'of %j survive the lines of an editor',
    (text) => {
      const separator = separatorOf(text);
      expect(text.split(separator).join(separator)).toBe(text);
      // Lines that hold a feed would be broken by the editor.
      for (const line of text.split(separator)) expect(line).not.toContain('\n');
    },
  );

  it('become alike only when asked', () => {
    expect(withLineEnd('a\r\nb\nc\rd', 'LF')).toBe('a\nb\nc\nd');
    expect(withLineEnd('a\r\nb\nc\rd', 'CRLF')).toBe('a\r\nb\r\nc\r\nd');
  });
});

it('takes for text only what comes back as the same bytes', () => {
  const encoder = new TextEncoder();
  for (const text of ['', '{"a":"é😀"}', '\uFEFF{}', 'a\r\nb']) {
    const there = encoder.encode(text);
    expect(encoder.encode(editable(there))).toEqual(there);
  }
  expect(editable(bytes(0xff, 0xfe))).toBeUndefined();
  expect(editable(bytes(0x7b, 0x00, 0x7d))).toBeUndefined();
});
