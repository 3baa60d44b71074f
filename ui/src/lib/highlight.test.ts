import { expect, it } from 'vitest';
import { highlighted } from './highlight';

const joined = (text: string, json = true) =>
  highlighted(text, json)
    .spans.map((span) => span.text)
    .join('');

it.each([
  '{"a":1152921506151679042,"b":[1.0,true,"x"]}\n',
  '\ufeff{\r\n "a": "\u200b"\r\n}',
  '{"a":tru}',
  'not json',
  '',
  `[${'1,'.repeat(300_000)}1]`,
  '\u0000'.repeat(300_000),
])('the runs are the text, whatever it is', (text) => {
  expect(joined(text) === text).toBe(true);
  expect(joined(text, false) === text).toBe(true);
  expect(highlighted(text, true).spans.length).toBeLessThan(30_000);
});

it('marks the place where JSON breaks', () => {
  const { spans } = highlighted('{"a":tru}', true);
  expect(spans.find((span) => span.kind === 'broken')).toEqual({ text: 't', kind: 'broken' });
});

it('says from where on a large text is plain', () => {
  expect(highlighted(`[${'1,'.repeat(300_000)}1]`, true).plainFrom).toBeGreaterThan(1000);
  expect(highlighted('{"a":1}', true).plainFrom).toBeUndefined();
});
