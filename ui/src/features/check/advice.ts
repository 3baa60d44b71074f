/** A part of a text: plain, or something to be typed, which stood between backticks. */
export type Part = { text: string; code: boolean };

/** Advice in paragraphs, each with what is code in it. */
export function paragraphs(text: string): Part[][] {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) =>
      paragraph
        .split('`')
        // Between the first and the second backtick is code, and so on; one that stands alone opens nothing.
        .map((part, at, all) => ({ text: part, code: at % 2 === 1 && at < all.length - 1 }))
        .filter((part) => part.text !== ''),
    );
}
