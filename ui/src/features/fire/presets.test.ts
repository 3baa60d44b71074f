import { expect, it } from 'vitest';
import { PRESETS, describe as words, presetOf } from './presets';

it('finds every preset by its own choices', () => {
  for (const preset of PRESETS) expect(presetOf(preset.copies, preset.release)).toBe(preset.value);
});

it('finds none for other choices', () => {
  expect(presetOf(10, 'gap')).toBeUndefined();
  expect(presetOf(3, 'together')).toBeUndefined();
  expect(presetOf(undefined, 'together')).toBeUndefined();
  expect(presetOf(1, 'sequential')).toBe('once');
});

it('says a release in words', () => {
  expect(words(1, { kind: 'sequential' })).toBe('once');
  expect(words(20, { kind: 'together' })).toBe('20 at once');
  expect(words(2, { kind: 'sequential' })).toBe('2 in a row');
  expect(words(5, { kind: 'gap', ms: 1.5 })).toBe('5, 1.5 ms apart');
});
