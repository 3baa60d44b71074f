/** Round marks from 0 to at or past `end`, about `wanted` of them: steps of 1, 2 or 5 and their tenfolds. */
export function ticks(end: number, wanted: number): number[] {
  const rough = end / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough) ?? rough;
  const count = Math.ceil(end / step - 1e-9);
  // A sum of steps would gather the errors of each.
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

/** Marks up to the end or a little past it, about as many as wanted, and never only the first. */
export function marks(end: number, wanted: number): number[] {
  for (let many = Math.max(2, Math.floor(wanted)); ; many += 1) {
    const found = ticks(end, many).filter((at) => at <= end * 1.02);
    if (found.length > 1 || many > 8) return found;
  }
}

/** Steps of a clock, in milliseconds: past a minute nobody counts in tens. */
const CLOCK_STEPS = [15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400].map(
  (seconds) => seconds * 1000,
);

/** As {@link marks}, for milliseconds: past a minute in half minutes, minutes and their usual multiples. */
export function timeMarks(end: number, wanted: number): number[] {
  if (end <= 60_000) return marks(end, wanted);
  const rough = end / Math.max(1, wanted);
  const step = CLOCK_STEPS.find((size) => size >= rough) ?? Math.ceil(rough / 86_400_000) * 86_400_000;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}
