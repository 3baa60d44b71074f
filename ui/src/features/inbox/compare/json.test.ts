import { expect, it } from 'vitest';
import { compareJson, type JsonComparison } from './json';
import type { Shown } from './values';

function compared(first: string, second: string): JsonComparison {
  const found = compareJson(first, second);
  if (!found) throw new Error('both were JSON');
  return found;
}

const text = (value: Shown | undefined) => value && value.before + value.middle + value.after;

/** Each difference as a line. */
function lines(first: string, second: string): string[] {
  return compared(first, second).differences.map(({ kind, path, now, first, second }) =>
    [
      kind,
      path,
      ...(now === undefined ? [] : [`(${now})`]),
      text(first) ?? '–',
      '→',
      text(second) ?? '–',
    ].join(' '),
  );
}

it('tells each value that says something else, by its path', () => {
  const first = '{"event":"a","data":{"items":[{"n":1},{"n":2}],"odd key":null,"same":true}}';
  const second = '{"event":"b","data":{"items":[{"n":1},{"n":3}],"odd key":0,"more":{"x": [1, 2]}}}';
  expect(lines(first, second)).toEqual([
    'changed event "a" → "b"',
    'changed data.items[1].n 2 → 3',
    'changed data["odd key"] null → 0',
    'removed data.same true → –',
    'added data.more – → {"x":[1,2]}',
  ]);
  const found = compared(first, second);
  expect(found.total).toBe(5);
  expect(found.differences[2]?.note).toBe('null became a number');
});

it.each([
  ['{"a":1,"b":[2]}', '{"b":[2],"a":1}', ['the order of keys']],
  ['{"a":1}', '{"a": 1}', ['white space']],
  ['{"a":1}', '{"a":1}\n', ['the newline at the end']],
  ['{"a":1}', ' {"a":1}', ['white space at the start']],
  ['{"a":1}', '{"a":1}  ', ['white space at the end']],
  ['{\n"a":1}', '{\r\n"a":1}', ['the ends of lines']],
  ['{"a":"/\\u00e9"}', '{"a":"\\/é"}', ['escapes in strings']],
  ['{"\\u0061":1}', '{"a":1}', ['escapes in strings']],
  ['[1, 10, 0]', '[1.0, 1e1, -0.0]', ['the spelling of numbers']],
  [
    '{"a":{"b":1,"c":2},"d":3}',
    '{"d":3.0,"a":{"c":2,\n"b":1}}',
    ['the order of keys', 'the spelling of numbers', 'white space'],
  ],
  ['[]', '[]', []],
])('%s is the same JSON as %s, written otherwise: %s', (first, second, form) => {
  expect(compared(first, second)).toMatchObject({ total: 0, differences: [], form });
  expect(compared(second, first)).toMatchObject({ total: 0, form });
});

it('c74_digits_of_large_numbers_are_compared_and_shown', () => {
  const found = compared('{"id":1152921506151679042}', '{"id":1152921506151679041}');
  expect(found.total).toBe(1);
  expect(found.differences[0]).toMatchObject({
    path: 'id',
    first: { before: '115292150615167904', middle: '2' },
    second: { before: '115292150615167904', middle: '1' },
    note: expect.stringContaining('64 bits') as string,
  });
  const spelled = compared('{"id":1152921506151679042}', '{"id":1152921506151679042.0}');
  expect(spelled).toMatchObject({ total: 0, spelledTotal: 1, form: ['the spelling of numbers'] });
  expect(text(spelled.spelled[0]?.second)).toBe('1152921506151679042.0');
});

it('an element that was put in is one difference', () => {
  expect(lines('[1,2,3,4]', '[1,9,2,3,4]')).toEqual(['added [1] – → 9']);
  expect(lines('[1,2,3,4]', '[2,3,4]')).toEqual(['removed [0] 1 → –']);
  expect(lines('{"a":[[1],[2]]}', '{"a":[[0],[1],[2,3]]}')).toEqual([
    'added a[0] – → [0]',
    'added a[1][1] (a[2][1]) – → 3'.replace('a[1][1] (a[2][1])', 'a[2][1]'),
  ]);
});

it('an element that was put in beside one that changed is told apart from it', () => {
  const first = '[{"id":1,"v":1},{"id":2,"v":2}]';
  const second = '[{"id":0,"v":0},{"id":1,"v":9},{"id":2,"v":2}]';
  expect(lines(first, second)).toEqual(['added [0] – → {"id":0,"v":0}', 'changed [0].v ([1].v) 1 → 9']);
});

it('the same elements in another order are one difference', () => {
  const found = compared('{"tags":["a","b","c"]}', '{"tags":["c","a","b"]}');
  expect(found.total).toBe(1);
  expect(found.differences[0]).toMatchObject({
    kind: 'reordered',
    note: 'the same 3 elements in another order',
  });
});

it('repeated keys are compared one by one, and named', () => {
  const found = compared('{"a":1,"a":2}', '{"a":1,"a":3,"a":4}');
  expect(found.repeated).toEqual({ first: ['"a"'], second: ['"a"'] });
  expect(found.differences.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'changed a(2nd)',
    'added a(3rd)',
  ]);
  expect(compared('{"a":1,"a":2}', '{"a":2,"a":1}').total).toBe(2);
});

it('says what is easily overlooked in strings', () => {
  const note = (first: string, second: string) =>
    compared(JSON.stringify(first), JSON.stringify(second)).differences[0]?.note;
  expect(note('é', 'e\u0301')).toContain('composed otherwise');
  expect(note('a', 'a ')).toContain('white space');
  expect(note('Job', 'job')).toContain('capitals');
  expect(note('a', 'b')).toBeUndefined();
});

it('only the place that differs of a long string is shown, and what is left out is counted', () => {
  const long = 'x'.repeat(100_000);
  const { first } = compared(`"${long}a${long}"`, `"${long}b${long}"`).differences[0] ?? {};
  expect(first).toEqual({
    leftOut: 100_001 - 40,
    before: 'x'.repeat(40),
    middle: 'a',
    after: 'x'.repeat(40),
    leftOutAfter: 100_001 - 40,
  });
});

it('nothing is compared where one of them is not JSON', () => {
  expect(compareJson('{"a":1}', '{"a":1')).toBeUndefined();
  expect(compareJson('', '1')).toBeUndefined();
});

it('depth costs no recursion', () => {
  const deep = (inner: string) => '['.repeat(50_000) + inner + ']'.repeat(50_000);
  const found = compared(deep('1'), deep('2'));
  expect(found.total).toBe(1);
  expect(found.differences[0]?.path).toMatch(/^\(49976 levels above\)…(\[0\]){24}$/);
  expect(compared(deep('1'), deep('1.0'))).toMatchObject({ total: 0, spelledTotal: 1 });
});

it('arrays that are too long to be aligned are compared place by place, and it says so', () => {
  const list = (seed: number) => Array.from({ length: 3000 }, (_, i) => (i * seed) % 7);
  const found = compared(JSON.stringify(list(3)), JSON.stringify([...list(5), 1]));
  expect(found.coarse).toBe(true);
  expect(found.total).toBeGreaterThan(0);
  // What stands once in each still leads through it.
  const numbers = Array.from({ length: 50_000 }, (_, i) => i);
  const shifted = [-1, ...numbers.slice(0, 30_000), ...numbers.slice(30_001), 7];
  expect(compared(JSON.stringify(numbers), JSON.stringify(shifted))).toMatchObject({
    total: 3,
    coarse: false,
  });
});
