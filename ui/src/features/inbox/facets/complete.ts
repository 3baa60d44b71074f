import type { ClaimState } from '$bindings/ClaimState';
import type { Ended } from '$bindings/Ended';
import type { SignatureState } from '$bindings/SignatureState';
import { terms } from './terms';

/** Something that can stand in the filter, and what it does. */
type Word = { text: string; about: string };

/** A word, and where what it completes begins. */
export type Suggestion = Word & { from: number };

const KEYS: readonly Word[] = [
  { text: 'job:', about: 'the whole job id; with * at its end, ids that begin so' },
  { text: 'event:', about: 'a part of the event; event= is the whole' },
  { text: 'status', about: 'status>=400, status:4xx, status:none' },
  { text: 'sig:', about: 'how the signature was judged' },
  { text: 'claim:', about: 'won, duplicate or none' },
  { text: 'path:', about: 'a part of the path; path= is the whole' },
  { text: 'size', about: 'size>10KiB' },
  { text: 'duration', about: 'duration>1s' },
  { text: 'method:', about: 'POST' },
  { text: 'ended:', about: 'how it ended' },
  { text: 'is:', about: 'pinned, failed, body-differs and others' },
];

type Values = Record<string, readonly string[]> & {
  sig: readonly SignatureState[];
  claim: readonly ClaimState[];
  ended: readonly Ended[];
};

const VALUES: Values = {
  sig: ['valid', 'invalid', 'stale', 'unsigned', 'unchecked'],
  claim: ['won', 'duplicate', 'none'],
  ended: ['answered', 'sender-left', 'incomplete', 'refused', 'interrupted'],
  is: ['duplicate', 'bad-signature', 'failed', 'pinned', 'body-differs', 'no-event'],
  status: ['2xx', '3xx', '4xx', '5xx', 'none'],
  method: ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'],
};

/** What can stand where the caret is: of an empty text every key, else what the term there may become. */
export function suggestions(text: string, caret: number): Suggestion[] {
  const all = (words: readonly Word[], from: number) => words.map((word) => ({ ...word, from }));
  if (text.trim() === '') return all(KEYS, caret);
  const term = terms(text.slice(0, caret)).at(-1);
  if (!term || term.to < caret || term.open) return [];
  const typed = term.typed.replace(/^-(?=.)/, '').toLowerCase();
  const [, key = '', value] = /^([a-z]+)(?:[:=](.*))?$/s.exec(typed) ?? [];
  if (key === '') return [];
  if (value === undefined) {
    const begun = KEYS.filter((one) => one.text.startsWith(key) && one.text !== key);
    return all(begun, caret - key.length);
  }
  // Several values stand apart by commas.
  const last = value.slice(value.lastIndexOf(',') + 1);
  const known = Object.hasOwn(VALUES, key) ? (VALUES[key] ?? []) : [];
  const fitting = known.filter((word) => word.toLowerCase().startsWith(last) && word.toLowerCase() !== last);
  return fitting.map((word) => ({ text: word, about: '', from: caret - last.length }));
}

/** The text with a suggestion in the place of what it completes, and where the caret is then. */
export function completed(text: string, caret: number, { text: word, from }: Suggestion): [string, number] {
  const before = text.slice(0, from) + word;
  return [before + text.slice(caret), before.length];
}
