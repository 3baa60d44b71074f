import { expect, it } from 'vitest';
import { compareHeaders, type Header } from './headers';

const told = (first: Header[], second: Header[]) =>
  compareHeaders(first, second).rows.map(({ spelled, state }) => `${spelled}: ${state}`);

it('compares name by name, whatever the capitals, and keeps the order of the first', () => {
  const first: Header[] = [
    ['Host', 'a'],
    ['X-Time', '1'],
    ['Content-Length', '3'],
    ['Old', 'x'],
  ];
  const second: Header[] = [
    ['Host', 'a'],
    ['New', 'y'],
    ['x-time', '1'],
    ['Content-Length', '4'],
  ];
  expect(told(first, second)).toEqual([
    'Host: same',
    'X-Time → x-time: changed',
    'Content-Length: changed',
    'Old: removed',
    'New: added',
  ]);
  expect(compareHeaders(first, second)).toMatchObject({ differing: 4, moved: [] });
});

it('repeated headers stay apart, and their order counts', () => {
  const twice: Header[] = [
    ['Set-Cookie', 'a'],
    ['Set-Cookie', 'b'],
  ];
  const [row] = compareHeaders(twice, [...twice].reverse()).rows;
  expect(row).toMatchObject({ state: 'reordered', sensitive: true, first: [{ text: 'a' }, { text: 'b' }] });
  expect(told(twice, twice.slice(1))).toEqual(['Set-Cookie: changed']);
  expect(compareHeaders(twice, twice.slice(1)).moved).toEqual([]);
  expect(told([['A', 'x,y']], [['A', 'x'], ['A', 'y']])).toEqual(['A: changed']); // prettier-ignore
});

it('tells the headers that came in another place', () => {
  const names = (...list: string[]): Header[] => list.map((name) => [name, '1']);
  expect(compareHeaders(names('A', 'B', 'C', 'D'), names('a', 'c', 'd', 'b')).moved).toEqual(['B']);
  expect(compareHeaders(names('A', 'B'), names('A', 'X', 'B')).moved).toEqual([]);
  // Two that changed places stand beside what did not move, each in the place of the other.
  expect(compareHeaders(names('X', 'B', 'C', 'Y'), names('Y', 'B', 'C', 'X')).moved).toEqual(['X', 'Y']);
});

it('bytes that are not text are compared as bytes', () => {
  const [row] = compareHeaders([['X', { base64: '/w==' }]], [['X', { base64: '/g==' }]]).rows;
  expect(row).toMatchObject({
    state: 'changed',
    first: [{ text: 'ff', hex: true }],
    second: [{ text: 'fe', hex: true }],
  });
});
