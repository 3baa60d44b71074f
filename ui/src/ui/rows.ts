/** Browsers cut an element that is too high (Firefox at 17.8, Chromium and WebKit at 33.5 million pixels). */
export const MOST_PX = 15_000_000;

/** Rows above and below what is seen. */
export const SPARE = 8;

/** Where the rows of a list are, as it stands scrolled. */
export type Place = {
  /** The rows that are drawn: from this one, so many. */
  first: number;
  drawn: number;
  /** How high what is scrolled is, in pixels. */
  shown: number;
  /** How far all rows together are scrolled for each pixel that the viewport is. */
  ratio: number;
  /** Where the first row that is drawn stands in what is scrolled. */
  offset: number;
};

/**
 * Lays rows of one height out: of `total`, with `seen` pixels in sight and some rows to spare, scrolled to `at`. Where all of them would be too
 * high, a pixel of the scroll bar stands for more than one.
 */
export function place(total: number, height: number, seen: number, at: number, spare = SPARE): Place {
  const whole = total * height;
  const shown = Math.min(whole, MOST_PX);
  const ratio = whole > shown ? (whole - seen) / (shown - seen) : 1;
  const top = at * ratio;
  // As many everywhere, so that rows can be used again.
  const drawn = Math.min(total, Math.ceil(seen / height) + 1 + 2 * spare);
  const first = Math.max(0, Math.min(Math.floor(top / height) - spare, total - drawn));
  return { first, drawn, shown, ratio, offset: first * height - top + at };
}

/** How far to scroll to see a row, no further than needed. */
export function revealed(index: number, height: number, seen: number, at: number, ratio: number): number {
  const [upper, top] = [index * height, at * ratio];
  if (upper < top) return upper / ratio;
  if (upper + height > top + seen) return (upper + height - seen) / ratio;
  return at;
}
