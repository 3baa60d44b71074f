import { describe, expect, it } from 'vitest';
import { position, repeatedKeys, seenLines, tokenize, treeLines, withoutMark } from './json';

const literals = (text: string) => {
  const { tokens } = tokenize(text);
  return treeLines(text, tokens).map((line) => (line.key ? `${line.key}: ${line.text}` : line.text));
};

describe('tokenize', () => {
  it('covers every character of a whole text', () => {
    const text = '\n{ "a" : [1, -0.0e+5,true ,null,"x\\u00e9\\""] }\r\n';
    const { tokens, broken } = tokenize(text);
    expect(broken).toBeUndefined();
    expect(tokens.map((token) => text.slice(token.start, token.end)).join('')).toBe(text);
  });

  it.each([
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['[1 2]', 3],
    ['[01]', 2],
    ['{"a":tru}', 5],
    ["{'a':1}", 1],
    ['"a\nb"', 0],
    ['"\\x"', 0],
    ['{"a":1', 6],
    ['[}', 1],
    ['1 1', 2],
    ['', 0],
    ['\ufeff{}', 0],
    ['{"a":NaN}', 5],
  ])('says where %j breaks', (text, at) => {
    expect(tokenize(text).broken).toBe(at);
  });

  it('takes 200,000 nested arrays', () => {
    const text = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(tokenize(text).broken).toBeUndefined();
  });
});

describe('the tree', () => {
  it('c74_digits_stay', () => {
    expect(literals('{"id":1152921506151679042,"v":1.0,"e":1E400,"n":-0}')).toEqual([
      '{',
      '"id": 1152921506151679042',
      '"v": 1.0',
      '"e": 1E400',
      '"n": -0',
      '}',
    ]);
  });

  it('keeps the order of keys, repeated keys and escapes', () => {
    const text = '{"b":1,"a":2,"b":"\\u0041","10":3,"2":4}';
    expect(literals(text)).toEqual(['{', '"b": 1', '"a": 2', '"b": "\\u0041"', '"10": 3', '"2": 4', '}']);
    expect(repeatedKeys(text, tokenize(text).tokens)).toEqual(['"b"']);
  });

  it('a key that stands in two objects is not repeated', () => {
    const text = '{"a":{"a":1},"b":[{"a":1},{"a":2}]}';
    expect(repeatedKeys(text, tokenize(text).tokens)).toEqual([]);
  });

  it('folds what is asked and what is empty', () => {
    const text = '{"a":[1,2],"b":{},"c":3}';
    const lines = treeLines(text, tokenize(text).tokens);
    const shown = (folded: number[]) => seenLines(lines, new Set(folded)).map((at) => lines[at]?.text);
    expect(shown([])).toEqual(['{', '[', '1', '2', ']', '{', '3', '}']);
    expect(shown([1])).toEqual(['{', '[', '{', '3', '}']);
    expect(lines[1]?.count).toBe(2);
  });

  it('shows what there is of a text that breaks', () => {
    expect(literals('{"a":[1,{"b":')).toEqual(['{', '"a": [', '1', '{']);
  });
});

describe('position', () => {
  it('counts lines, columns and bytes', () => {
    expect(position('{\n "é": x', 8)).toEqual({ line: 2, column: 7, byte: 9 });
  });
});

it.each([
  ['{"a":"x', true],
  ['{"a":"x\\', true],
  ['{"a":"x\\u00', true],
  ['{"a":tru', true],
  ['[-', true],
  ['[1.', true],
  ['[1e', true],
  ['[1e+', true],
  ['[-0.5E-', true],
  ['1.', true],
  ['[1,', true],
  ['{"a"', true],
  ['{"a":"x\\q', false],
  ['{"a":"x\\u0g', false],
  ['{"a":"x\n', false],
  ['{"a":trux', false],
  ['[1,]', false],
  ['[1.5.', false],
  ['[1e5e', false],
  ['[1.x', false],
  ['[1 .', false],
  ['{"a":1}', false],
])('%s: whether more of it could be JSON', (text, unfinished) => {
  expect(tokenize(text).unfinished).toBe(unfinished);
});

it('a string of millions of characters is one token', () => {
  const text = `{"a":"${'x\\n'.repeat(2_000_000)}"}`;
  const { tokens, broken } = tokenize(text);
  expect([tokens.length, broken]).toEqual([5, undefined]);
});

it('takes one byte order mark away, at the beginning', () => {
  expect(['\ufeff{}', '{}', '{\ufeff}', '\ufeff\ufeff', ''].map(withoutMark)).toEqual(['{}', '{}', '{\ufeff}', '\ufeff', '']); // prettier-ignore
});
