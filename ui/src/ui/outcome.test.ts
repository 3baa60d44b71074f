import { expect, it } from 'vitest';
import { copy } from '../test/runs';
import { wordOf } from './outcome';

it('never gives an outcome by colour alone', () => {
  expect(wordOf(copy(1))).toEqual({ word: '204', tone: 'accent' });
  expect(wordOf(copy(1, { status: 500 }))).toEqual({ word: '500', tone: 'bad' });
  expect(wordOf(copy(1, { status: null, outcome: 'unknown' }))).toEqual({ word: 'no answer', tone: 'dup' });
});
