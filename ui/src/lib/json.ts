/**
 * JSON as it was sent. Nothing here goes through a JavaScript number or object: digits, escapes, the order of keys and
 * repeated keys stay as they are (C74). Deep bodies do not recurse.
 */

export type TokenKind = 'open' | 'close' | 'colon' | 'comma' | 'key' | 'string' | 'number' | 'word' | 'space';

/** A piece of the text, from `start` to before `end`. */
export type Token = { kind: TokenKind; start: number; end: number };

/** The tokens up to where the text stops being JSON, and where that is (an index into the text). */
export type Tokens = {
  tokens: Token[];
  broken: number | undefined;
  /** Only the end of the text stops it: with more of it, it may be JSON. */
  unfinished: boolean;
};

const SPACE = /[ \t\n\r]+/y;
/** What a word, a number or an escape begins with, when the text ends there. */
const BEGUN = /^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-)$/;
const BEGUN_ESCAPE = /^\\(?:u[0-9a-fA-F]{0,3})?$/;
/** A number whose fraction or exponent has begun and has no digit yet. */
const BEGUN_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.|(?:\.[0-9]+)?[eE][+-]?)$/;
const MARK = '\ufeff';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /(?:true|false|null)/y;

/** What may come next. */
type State = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'comma-or-close' | 'end';

/** A text without its byte order mark: that is not JSON, and some senders begin with one. */
export function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(1) : text;
}

/** Parts a text into tokens and checks their order. A byte order mark is not JSON. */
export function tokenize(text: string): Tokens {
  const tokens: Token[] = [];
  const inside: ('{' | '[')[] = [];
  let state: State = 'value';
  let at = 0;

  const match = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    return pattern.test(text);
  };
  const take = (kind: TokenKind, end: number) => {
    tokens.push({ kind, start: at, end });
    at = end;
  };
  const after = (): State => (inside.length === 0 ? 'end' : 'comma-or-close');

  while (at < text.length) {
    if (match(SPACE)) {
      take('space', SPACE.lastIndex);
      continue;
    }
    const character = text[at] ?? '';
    const top = inside.at(-1);
    const wantsValue: boolean = state === 'value' || state === 'value-or-close';
    const wantsKey: boolean = state === 'key' || state === 'key-or-close';
    if (wantsValue && (character === '{' || character === '[')) {
      inside.push(character);
      state = character === '{' ? 'key-or-close' : 'value-or-close';
      take('open', at + 1);
    } else if (
      (character === '}' && top === '{' && (state === 'key-or-close' || state === 'comma-or-close')) ||
      (character === ']' && top === '[' && (state === 'value-or-close' || state === 'comma-or-close'))
    ) {
      inside.pop();
      state = after();
      take('close', at + 1);
    } else if (character === ',' && state === 'comma-or-close') {
      state = top === '{' ? 'key' : 'value';
      take('comma', at + 1);
    } else if (character === ':' && state === 'colon') {
      state = 'value';
      take('colon', at + 1);
    } else if (character === '"' && (wantsValue || wantsKey)) {
      const end = stringEnd(text, at);
      if (typeof end === 'string') return { tokens, broken: at, unfinished: end === 'unfinished' };
      take(wantsKey ? 'key' : 'string', end);
      state = wantsKey ? 'colon' : after();
    } else if (wantsValue && match(NUMBER) && NUMBER.lastIndex > at) {
      take('number', NUMBER.lastIndex);
      state = after();
    } else if (wantsValue && match(WORD)) {
      take('word', WORD.lastIndex);
      state = after();
    } else {
      const unfinished = wantsValue
        ? BEGUN.test(text.slice(at, at + 5))
        : isBegunNumber(text, tokens.at(-1), at);
      return { tokens, broken: at, unfinished };
    }
  }
  return state === 'end'
    ? { tokens, broken: undefined, unfinished: false }
    : { tokens, broken: at, unfinished: true };
}

/** Whether what stands at the end of a text only goes on with the number before it. */
function isBegunNumber(text: string, last: Token | undefined, at: number): boolean {
  return last?.kind === 'number' && last.end === at && BEGUN_NUMBER.test(text.slice(last.start));
}

/**
 * Where a literal that begins with a quotation mark ends: `none` where it is none, `unfinished` where the text ends first.
 * By hand: WebKit gives up on a regular expression over a million characters, and says that there is no match.
 */
function stringEnd(text: string, start: number): number | 'none' | 'unfinished' {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    // JSON allows no control in a string.
    if (code < 0x20) return 'none';
    if (code !== BACKSLASH) continue;
    ESCAPE.lastIndex = at + 1;
    if (!ESCAPE.test(text)) return BEGUN_ESCAPE.test(text.slice(at, at + 6)) ? 'unfinished' : 'none';
    at = ESCAPE.lastIndex - 1;
  }
  return 'unfinished';
}

/** A line of the tree. */
export type TreeLine = {
  depth: number;
  /** The key's literal with its quotes. */
  key: string | undefined;
  /** The literal, or the bracket. */
  text: string;
  kind: 'open' | 'close' | 'string' | 'number' | 'word';
  /** For an open bracket: its number among all, to fold it. */
  id: number;
  /** For an open bracket: how many it holds, and the line that closes it; -1 where the text broke off. */
  count: number;
  closes: number;
};

/** The lines of the whole tree: one for each value, one for each closing bracket. */
export function treeLines(text: string, tokens: readonly Token[]): TreeLine[] {
  const lines: TreeLine[] = [];
  const open: number[] = [];
  let key: string | undefined;

  const value = (kind: TreeLine['kind'], token: Token) => {
    const parent = lines[open.at(-1) ?? -1];
    if (parent) parent.count += 1;
    const literal = text.slice(token.start, token.end);
    lines.push({ depth: open.length, key, text: literal, kind, id: lines.length, count: 0, closes: -1 });
    key = undefined;
  };

  for (const token of tokens) {
    switch (token.kind) {
      case 'key':
        key = text.slice(token.start, token.end);
        break;
      case 'open':
        value('open', token);
        open.push(lines.length - 1);
        break;
      case 'close': {
        const at = open.pop();
        const opened = lines[at ?? -1];
        if (opened) opened.closes = lines.length;
        const bracket = text.slice(token.start, token.end);
        const depth = open.length;
        lines.push({ depth, key: undefined, text: bracket, kind: 'close', id: -1, count: 0, closes: -1 });
        break;
      }
      case 'string':
      case 'number':
      case 'word':
        value(token.kind, token);
        break;
      case 'colon':
      case 'comma':
      case 'space':
    }
  }
  return lines;
}

/** The indexes of the lines that are seen when some brackets are folded. */
export function seenLines(lines: readonly TreeLine[], folded: ReadonlySet<number>): number[] {
  const seen: number[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (!line) break;
    seen.push(at);
    if (line.kind !== 'open') continue;
    const empty = line.count === 0 && line.closes !== -1;
    if (!empty && !folded.has(line.id)) continue;
    if (line.closes === -1) break;
    at = line.closes;
  }
  return seen;
}

/** Keys that stand twice in one object, as their literals; what a reader takes of them is not said by JSON. */
export function repeatedKeys(text: string, tokens: readonly Token[]): string[] {
  const repeated = new Set<string>();
  const inside: Set<string>[] = [];
  for (const token of tokens) {
    if (token.kind === 'open') inside.push(new Set());
    else if (token.kind === 'close') inside.pop();
    else if (token.kind === 'key') {
      const key = text.slice(token.start, token.end);
      const keys = inside.at(-1);
      if (keys?.has(key)) repeated.add(key);
      keys?.add(key);
    }
  }
  return [...repeated];
}

/** Line and column from 1, and the byte from 0, of an index into a text. */
export function position(text: string, index: number): { line: number; column: number; byte: number } {
  const before = text.slice(0, index);
  const line = before.split('\n').length;
  const column = index - (before.lastIndexOf('\n') + 1) + 1;
  return { line, column, byte: new TextEncoder().encode(before).length };
}
