/** Round marks from 0 to at or past `end`, about `wanted` of them: steps of 1, 2 or 5 and their tenfolds. */
export function ticks(end: number, wanted: number): number[] {
  const rough = end / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough) ?? rough;
  const count = Math.ceil(end / step - 1e-9);
  // A sum of steps would gather the errors of each.
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}
