import type { DeliveryDetail } from '$bindings/DeliveryDetail';
import { byteSize, count, plural } from '$lib/format';
import { MOST, type BodyResult } from './bodies.svelte';
import type { HeaderRow } from './headers';
import type { JsonDifference } from './json';

/** What is said first of two bodies. */
export function sentence(result: BodyResult, first: DeliveryDetail, second: DeliveryDetail): string {
  switch (result.kind) {
    case 'same':
      return first.size === 0 ? 'both have none' : `the same ${plural(first.size, 'byte')}`;
    case 'empty': {
      const [none, other] = first.size === 0 ? [first, second] : [second, first];
      return `#${none.seq} has none, #${other.seq} has ${plural(other.size, 'byte')}`;
    }
    case 'json': {
      const { total, form } = result.json;
      if (total === 0)
        return `the same JSON, other bytes: ${list(form)} ${form.length === 1 ? 'differs' : 'differ'}`;
      return `the JSON differs in ${plural(total, 'place')}`;
    }
    case 'text': {
      const [one, other] = result.isJson;
      if (one === other) return 'the text differs; it is not JSON';
      const [json, not] = one ? [first, second] : [second, first];
      return `the text differs: #${json.seq} is JSON, #${not.seq} is not`;
    }
    case 'bytes':
      return `the first byte that differs is byte ${count(result.offset)}, counted from 0`;
  }
}

/** What became of a header or of a value, in a word or two. */
export function became(
  kind: HeaderRow['state'] | JsonDifference['kind'],
  [first, second]: readonly [number, number],
): string {
  switch (kind) {
    case 'same':
      return 'the same';
    case 'changed':
      return 'changed';
    case 'removed':
      return `only in #${first}`;
    case 'added':
      return `only in #${second}`;
    case 'reordered':
      return 'another order';
    case 'spelled':
      return 'spelled otherwise';
  }
}

/** What else is to be known of them, a sentence each. */
export function remarks(result: BodyResult, first: number, second: number): string[] {
  if (result.kind === 'bytes') {
    return [
      result.binary
        ? 'They are not both text, so the bytes are shown.'
        : `Past ${byteSize(MOST)} bodies are not compared value by value.`,
    ];
  }
  if (result.kind !== 'json') return [];
  const { total, form, repeated, coarse } = result.json;
  const said: string[] = [];
  if (total > 0 && form.length > 0) said.push(`Written otherwise besides: ${list(form)}.`);
  if (coarse) said.push('Some arrays are too long to be aligned: they are compared place by place.');
  for (const [seq, keys] of [
    [first, repeated.first],
    [second, repeated.second],
  ] as const) {
    if (keys.length === 0) continue;
    const some = keys.slice(0, 8).map((key) => (key.length > 60 ? `${key.slice(0, 59)}…` : key));
    const more = keys.length > some.length ? ` and ${plural(keys.length - some.length, 'other key')}` : '';
    said.push(
      `In #${seq} ${some.join(', ')}${more} stands more than once in one object. Readers disagree on which one counts.`,
    );
  }
  return said;
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
