import { expect, it } from 'vitest';
import { completed, suggestions } from './complete';

const offered = (text: string, caret = text.length) => suggestions(text, caret).map((one) => one.text);

it('an empty box offers every key', () => {
  expect(offered('')).toContain('job:');
  expect(offered('')).toContain('status');
  expect(offered('  ')).toEqual(offered(''));
});

it('offers what the term at the caret may become', () => {
  expect(offered('s')).toEqual(['status', 'sig:', 'size']);
  expect(offered('apple st')).toEqual(['status']);
  expect(offered('-si')).toEqual(['sig:', 'size']);
  expect(offered('sig:')).toEqual(['valid', 'invalid', 'stale', 'unsigned', 'unchecked']);
  expect(offered('SIG:Un')).toEqual(['unsigned', 'unchecked']);
  expect(offered('sig:valid,st')).toEqual(['stale']);
  expect(offered('sig:in claim:won', 6)).toEqual(['invalid']);
});

it('offers nothing to words, to what is whole, in quotation marks and after a space', () => {
  for (const text of [
    'apple',
    'sig:valid',
    'job:s',
    '"s',
    'sig:valid ',
    '12',
    '-',
    'status>=4',
    'constructor:',
  ])
    expect(offered(text), text).toEqual([]);
});

it('puts the suggestion in the place of what it completes', () => {
  const take = (text: string, word: string, caret = text.length) =>
    completed(
      text,
      caret,
      suggestions(text, caret).find((one) => one.text === word)!,
    );
  expect(take('', 'job:')).toEqual(['job:', 4]);
  expect(take('apple -si', 'sig:')).toEqual(['apple -sig:', 11]);
  expect(take('sig:valid,st', 'stale')).toEqual(['sig:valid,stale', 15]);
  expect(take('sig:in claim:won', 'invalid', 6)).toEqual(['sig:invalid claim:won', 11]);
  expect(take('is:body-d', 'body-differs')).toEqual(['is:body-differs', 15]);
});
