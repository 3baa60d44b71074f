import { tokenize } from '$lib/json';

/** Past this depth lines are not indented further: the spaces would be more than the text. */
const DEEPEST = 60;

/** JSON with a line for each value. Its literals and the order of its keys stay; its white space does not. */
export function laidOut(text: string): string {
  const { tokens } = tokenize(text);
  const parts: string[] = [];
  let depth = 0;
  let opened = false;
  const line = () => parts.push(`\n${'  '.repeat(Math.min(depth, DEEPEST))}`);
  for (const { kind, start, end } of tokens) {
    if (kind === 'space') continue;
    const literal = text.slice(start, end);
    if (kind === 'close') {
      depth -= 1;
      if (!opened) line();
    } else if (opened) {
      line();
    }
    opened = kind === 'open';
    if (opened) depth += 1;
    parts.push(literal);
    if (kind === 'comma') line();
    else if (kind === 'colon') parts.push(' ');
  }
  return parts.join('');
}

/** The longest line of a text. */
export function longestLine(text: string): number {
  let longest = 0;
  for (let from = 0; from <= text.length;) {
    const feed = text.indexOf('\n', from);
    const end = feed === -1 ? text.length : feed;
    longest = Math.max(longest, end - from);
    from = end + 1;
  }
  return longest;
}
