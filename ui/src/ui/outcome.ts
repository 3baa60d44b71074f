import type { CopyReport } from '$bindings/CopyReport';
import type { Tone } from './tone';

/** What became of a copy, in a word and a colour that says no more than the word. */
export function wordOf({ outcome, status }: Pick<CopyReport, 'outcome' | 'status'>): {
  word: string;
  tone: Tone;
} {
  if (outcome === 'not-sent') return { word: 'not sent', tone: 'off' };
  if (outcome === 'unknown' || status === null) return { word: 'no answer', tone: 'dup' };
  const word = String(status);
  if (status >= 400) return { word, tone: 'bad' };
  return { word, tone: status >= 300 ? 'dup' : 'accent' };
}
