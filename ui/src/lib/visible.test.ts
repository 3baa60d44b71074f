import { describe, expect, it } from 'vitest';
import { endings, pieces } from './visible';

const marks = (text: string) => pieces(text).map((piece) => piece.mark ?? piece.text);

describe('pieces', () => {
  it('joined they are the text', () => {
    const text = '\ufeff{"a":\t"\u200b\u00a0x"}\r\n\n\u0000é👩‍💻';
    expect(
      pieces(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });

  it('names what cannot be seen', () => {
    expect(marks('\ufeffa\r\nb\nc\rd\u200be\u0007')).toEqual([
      'BOM',
      'a',
      'CRLF',
      'b',
      'LF',
      'c',
      'CR',
      'd',
      'U+200B',
      'e',
      'BEL',
    ]);
  });

  it('leaves a plain text and a tab alone', () => {
    expect(pieces('a\tb c')).toEqual([{ text: 'a\tb c', mark: undefined }]);
    expect(pieces('')).toEqual([]);
  });
});

describe('endings', () => {
  it.each([
    ['a\nb\n', ['lines end with LF', 'a newline at the end']],
    ['a\r\nb', ['lines end with CR LF', 'no newline at the end']],
    ['a\r\nb\nc\r', ['lines end with CR LF and LF and CR, mixed', 'a newline at the end']],
    ['\ufeffa', ['starts with a byte order mark', 'no newline at the end']],
    ['', []],
  ])('of %j', (text, said) => {
    expect(endings(text)).toEqual(said);
  });
});
