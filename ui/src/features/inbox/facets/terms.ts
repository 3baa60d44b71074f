/** A filter's text taken apart as the engine does: terms stand apart by white space outside quotation marks. */

/** A term as it was typed, and where it stands. */
export type Typed = { typed: string; from: number; to: number; open: boolean };

/** The terms of a text; the last one is `open` where its quotation mark is not closed. */
export function terms(text: string): Typed[] {
  const found: Typed[] = [];
  let from = -1;
  let quoted = false;
  let escaped = false;
  const end = (to: number) => {
    if (from >= 0) found.push({ typed: text.slice(from, to), from, to, open: quoted });
    from = -1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    // Not `\s`: that holds U+FEFF, and lacks U+0085.
    if (/\p{White_Space}/u.test(char) && !quoted) {
      end(at);
      continue;
    }
    if (from < 0) from = at;
    if (escaped) escaped = false;
    else if (char === '\\' && quoted) escaped = true;
    else if (char === '"') quoted = !quoted;
  }
  end(text.length);
  return found;
}

/** These keys mean the same with `:` and with `=`. */
const SAME = new Set(['sig', 'claim', 'status', 'is', 'ended', 'job']);
/** The letters of these values may be of either case. */
const EITHER_CASE = new Set(['sig', 'claim', 'status', 'is', 'ended']);

/** The term in the one form that all that mean the same share. */
function meaning(typed: string): string {
  const match = /^(-?)([a-z]+)(>=|<=|[:=><])(.*)$/is.exec(typed);
  if (!match) return typed;
  const [, not = '', word = '', operator = '', value = ''] = match;
  const key = word.toLowerCase();
  const plain = unquoted(value);
  return `${not}${key}${operator === '=' && SAME.has(key) ? ':' : operator}${EITHER_CASE.has(key) ? plain.toLowerCase() : plain}`;
}

function unquoted(text: string): string {
  let plain = '';
  let quoted = false;
  let escaped = false;
  for (const char of text) {
    if (escaped) {
      plain += char;
      escaped = false;
    } else if (char === '\\' && quoted) escaped = true;
    else if (char === '"') quoted = !quoted;
    else plain += char;
  }
  return plain;
}

/** Whether a term stands in a text. */
export function holds(text: string, term: string): boolean {
  const wanted = meaning(term);
  return terms(text).some(({ typed }) => meaning(typed) === wanted);
}

/** The text with a term at its end; without one just the text. */
export function joined(text: string, term: string): string {
  return [text.trim(), term].filter((part) => part !== '').join(' ');
}

/** The text without a term that it holds, else with it at its end. */
export function toggled(text: string, term: string): string {
  const wanted = meaning(term);
  const there = terms(text);
  const kept = there.filter(({ typed }) => meaning(typed) !== wanted);
  if (kept.length < there.length) return kept.map(({ typed }) => typed).join(' ');
  return joined(text, term);
}
