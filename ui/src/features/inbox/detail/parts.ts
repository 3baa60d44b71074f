import { splitsPair } from '$lib/format';

/** How many characters of a text are drawn at once: a few hundred screens. */
export const PART = 256 * 1024;

/** A part of a text by its number, and where it stands. A pair of surrogates stays in one part. */
export function partAt(text: string, number: number): { text: string; from: number; to: number } {
  const from = whole(text, number * PART);
  const to = whole(text, (number + 1) * PART);
  return { text: text.slice(from, to), from, to };
}

/** The index, or the one before it where it would split a character in two. */
function whole(text: string, index: number): number {
  if (index >= text.length) return text.length;
  return splitsPair(text, index) ? index - 1 : index;
}
