import { expect, it } from 'vitest';
import { signature } from '../../../test/fake';
import { ageWords } from './age';

it.each([
  [signature({ age_s: 0.2 }), 'was 200 ms old at receipt; 300 s are allowed.'],
  [signature({ age_s: -12, state: 'invalid' }), 'was 12.0 s ahead at receipt; 300 s are allowed.'],
  [signature({ age_s: 900 }), 'was 15 min 0 s old at receipt; 300 s are allowed now.'],
])('says the age of %j', (report, words) => {
  expect(ageWords(report, 300)).toContain(words);
});

it('says nothing where no time is signed, or the reason says it', () => {
  expect(ageWords(signature({ age_s: null }), 300)).toBeUndefined();
  expect(ageWords(signature({ age_s: 900, state: 'stale' }), 300)).toBeUndefined();
});
