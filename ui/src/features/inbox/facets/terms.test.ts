import { expect, it } from 'vitest';
import { holds, terms, toggled } from './terms';

it('takes a text apart at white space outside quotation marks', () => {
  const typed = (text: string) => terms(text).map((term) => term.typed);
  expect(typed('  job:a\t"b c" path="d \\" e"x ')).toEqual(['job:a', '"b c"', 'path="d \\" e"x']);
  expect(terms('a "b c')).toEqual([
    { typed: 'a', from: 0, to: 1, open: false },
    { typed: '"b c', from: 2, to: 6, open: true },
  ]);
});

it('white space is what the engine takes for it', () => {
  const typed = (text: string) => terms(text).map((term) => term.typed);
  expect(typed('a\u0085b\u00a0c\u3000d')).toEqual(['a', 'b', 'c', 'd']);
  expect(typed('a\ufeffb')).toEqual(['a\ufeffb']);
});

it('adds a term, and takes it out again however it was typed', () => {
  expect(toggled('', 'sig:valid')).toBe('sig:valid');
  expect(toggled(' apple ', 'path="/a b"')).toBe('apple path="/a b"');
  expect(toggled('apple path="/a b" x', 'path="/a b"')).toBe('apple x');
  expect(toggled('SIG=Valid apple', 'sig:valid')).toBe('apple');
  expect(toggled('status:2XX', 'status:2xx')).toBe('');
  expect(toggled('event="job.x"', 'event=job.x')).toBe('');
});

it('another operator, another case of a text, or a turned term is not the same', () => {
  expect(holds('event:job.x', 'event=job.x')).toBe(false);
  expect(holds('event=Job.x', 'event=job.x')).toBe(false);
  expect(holds('-sig:valid', 'sig:valid')).toBe(false);
  expect(holds('"sig:valid"', 'sig:valid')).toBe(false);
  expect(holds('x sig:valid', 'sig:valid')).toBe(true);
});
