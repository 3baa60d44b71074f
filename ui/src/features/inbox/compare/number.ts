const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Exponents with more digits than this are compared as they are spelled. */
const LONGEST_EXPONENT = 400;

/**
 * What a JSON number is worth, to its last digit, as a text that is the same for every spelling of it: `1`, `1.0` and
 * `10e-1` have one. No JavaScript number is made: two ids that differ in their last digit stay two (C74).
 */
export function numberValue(literal: string): string {
  const match = PARTS.exec(literal);
  if (!match) return literal;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  if (exponent.length > LONGEST_EXPONENT) return literal;
  const bare = withoutZeros(digits);
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - bare.length);
  return `${sign}${bare}e${power}`;
}

/** Whether two numbers that differ are one for a reader that keeps numbers in 64 bits, as JavaScript does. */
export function sameForDoubles(first: string, second: string): boolean {
  return Number(first) === Number(second);
}

// A pattern for zeros at the end looks for them from each zero on.
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
