import { expect, it } from 'vitest';
import { paragraphs } from './advice';

it('parts advice into paragraphs and what is typed', () => {
  expect(paragraphs('Claim by `insert`,\nthen work.\n\nAnswer 2xx.')).toEqual([
    [
      { text: 'Claim by ', code: false },
      { text: 'insert', code: true },
      { text: ',\nthen work.', code: false },
    ],
    [{ text: 'Answer 2xx.', code: false }],
  ]);
});

it('a backtick that stands alone opens nothing', () => {
  expect(paragraphs('a ` b')[0]?.map(({ code }) => code)).toEqual([false, false]);
});
