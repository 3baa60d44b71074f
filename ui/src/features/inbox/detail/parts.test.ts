import { expect, it } from 'vitest';
import { PART, partAt } from './parts';

it('c59_the_parts_of_a_text_are_all_of_it_and_split_no_character', () => {
  for (const before of [0, 1, 2]) {
    const text = 'x'.repeat(before) + '😀'.repeat(PART);
    const parts = Array.from({ length: Math.ceil(text.length / PART) }, (_, number) => partAt(text, number));
    expect(parts.map((part) => part.text).join('')).toBe(text);
    // A half of a pair is no character, and so has an escape of its own.
    for (const part of parts) expect(JSON.stringify(part.text)).not.toContain('\\ud');
    expect(parts.at(-1)?.to).toBe(text.length);
  }
  expect(partAt('', 0)).toEqual({ text: '', from: 0, to: 0 });
});
