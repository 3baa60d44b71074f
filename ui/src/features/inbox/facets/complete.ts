import { terms } from './terms';

/** Something that can stand in the filter, and what it does. */
export type Suggestion = { text: string; about: string };

const KEYS: readonly Suggestion[] = [
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

const VALUES: Record<string, readonly string[]> = {
  sig: ['valid', 'invalid', 'stale', 'unsigned', 'unchecked'],
  claim: ['won', 'duplicate', 'none'],
  ended: ['answered', 'sender-left', 'incomplete', 'refused', 'interrupted'],
  is: ['duplicate', 'bad-signature', 'failed', 'pinned', 'body-differs', 'no-event'],
  status: ['2xx', '3xx', '4xx', '5xx', 'none'],
  method: ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'],
};

/** What can stand where the caret is: of an empty text every key, else what the term there may become. */
export function suggestions(text: string, caret: number): Suggestion[] {
  if (text.trim() === '') return [...KEYS];
  const term = terms(text.slice(0, caret)).at(-1);
  if (!term || term.to < caret || term.open) return [];
  const typed = term.typed.replace(/^-(?=.)/, '').toLowerCase();
  const [, key = '', value] = /^([a-z]+)(?:[:=](.*))?$/s.exec(typed) ?? [];
  if (value === undefined) {
    return key === '' ? [] : KEYS.filter((one) => one.text.startsWith(key) && one.text !== key);
  }
  // Several values stand apart by commas.
  const last = value.slice(value.lastIndexOf(',') + 1);
  const known = VALUES[key] ?? [];
  const fitting = known.filter((word) => word.toLowerCase().startsWith(last) && word.toLowerCase() !== last);
  return fitting.map((word) => ({ text: word, about: '' }));
}

/** The text with a suggestion in the place of what it completes, and where the caret is then. */
export function completed(text: string, caret: number, { text: taken }: Suggestion): [string, number] {
  const before = text.slice(0, caret);
  const begun = /(?:^|\s)-?(?:[a-z]+[:=](?:[^\s,]*,)*)?([^\s,]*)$/i.exec(before)?.[1] ?? '';
  const start = caret - begun.length;
  const joined = before.slice(0, start) + taken;
  return [joined + text.slice(caret), joined.length];
}
