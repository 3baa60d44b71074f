import { describe, expect, it } from 'vitest';
import { endings, hasUnseen, pieces } from './visible';

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

describe('spaces', () => {
  it('are marked at the end of a line and of the text, and nowhere else', () => {
    expect(marks(' a b  \n c \r\nd ')).toEqual([' a b', 'SP×2', 'LF', ' c', 'SP', 'CRLF', 'd', 'SP']);
    expect(marks('  ')).toEqual(['SP×2']);
    expect(pieces('a ', false)).toEqual([{ text: 'a ', mark: undefined }]);
  });

  it('take no longer the more there are', () => {
    const text = `${' '.repeat(200_000)}x`;
    const began = performance.now();
    expect(pieces(text)).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

it('names fillers and tags, which no font draws', () => {
  expect(marks('a\u3164b\u{e0041}c\u2800')).toEqual(['a', 'U+3164', 'b', 'U+E0041', 'c', 'U+2800']);
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

it('knows whether anything is unseen, however often it is asked', () => {
  for (let n = 0; n < 3; n += 1) {
    expect(['', 'job_1', '/a b', 'é', 'עברית'].map(hasUnseen)).toEqual([false, false, false, false, false]);
    expect(['a ', 'a\u202eb', '\u200b', 'a\nb', '\ufeff'].map(hasUnseen)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
  }
});
