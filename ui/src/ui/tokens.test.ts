import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

/** WCAG's AA for text. */
const AA = 4.5;
const TEXTS = ['text', 'muted', 'faint', 'accent', 'won', 'dup', 'bad', 'off'];
const GROUNDS = ['bg', 'surface', 'sunken', 'raised', 'accent-weak', 'select', 'kin'];
const OWN = ['won', 'dup', 'bad', 'off'].map((tone) => [tone, `${tone}-weak`] as const);

const colours = (rule: string) =>
  new Map(
    [...rule.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
  );
const [light = '', dark = ''] = css.split("[data-theme='dark']");

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

it.each([
  ['light', colours(light)],
  ['dark', colours(dark)],
])('every text is read on every ground, %s', (_, tokens) => {
  const of = (name: string) => tokens.get(name) ?? `no --${name}`;
  const pairs = [
    ...TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)),
    ...OWN,
    ['on-accent', 'accent'] as const,
    ['on-accent', 'accent-hover'] as const,
    ...OWN.map(([, ground]) => ['text', ground] as const),
    ...OWN.map(([, ground]) => ['faint', ground] as const),
  ];
  const low = pairs
    .map(([text, ground]) => [text, ground, contrast(of(text), of(ground))] as const)
    .filter(([, , ratio]) => !(ratio >= AA));
  expect(low).toEqual([]);
});
