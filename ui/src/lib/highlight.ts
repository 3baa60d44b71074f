import { tokenize } from './json';
import { pieces } from './visible';

/** A run of a text with what it is: a mark stands for a character that cannot be seen. */
export type Span = { text: string; kind: SpanKind; mark?: string };
export type SpanKind = 'plain' | 'key' | 'string' | 'number' | 'word' | 'broken' | 'mark';

/** More runs than this are not drawn: the rest of the text follows as one, without colours or marks. */
const MOST = 12_000;

/**
 * A text as runs to draw: JSON coloured as far as it is JSON, the place where it breaks, and marks for what cannot be
 * seen. Joined, the runs' texts are the text. `plainFrom` is where runs end and the rest begins.
 */
export function highlighted(text: string, json: boolean): { spans: Span[]; plainFrom: number | undefined } {
  const spans: Span[] = [];
  const add = (from: number, to: number, kind: SpanKind) => {
    for (const piece of pieces(text.slice(from, to), to === text.length)) {
      if (piece.mark === undefined) spans.push({ text: piece.text, kind });
      else spans.push({ text: piece.text, kind: 'mark', mark: piece.mark });
    }
  };
  const rest = (from: number) => {
    spans.push({ text: text.slice(from), kind: 'plain' });
    return { spans, plainFrom: from };
  };

  let done = 0;
  if (json) {
    const bom = text.startsWith('\ufeff') ? 1 : 0;
    const { tokens, broken } = tokenize(text.slice(bom, bom + MOST * 20));
    for (const { kind, start, end } of tokens) {
      if (kind !== 'key' && kind !== 'string' && kind !== 'number' && kind !== 'word') continue;
      if (spans.length > MOST) return rest(done);
      add(done, bom + start, 'plain');
      add(bom + start, bom + end, kind);
      done = bom + end;
    }
    const cut = text.length > bom + MOST * 20;
    if (broken !== undefined && !cut && bom + broken < text.length) {
      const at = bom + broken;
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      add(done, at, 'plain');
      spans.push({ text: character, kind: 'broken' });
      done = at + character.length;
    }
  }
  if (pieces(text.slice(done, done + MOST * 20)).length > MOST || text.length - done > MOST * 20) {
    const near = text.slice(done, done + MOST);
    add(done, done + near.length, 'plain');
    return rest(done + near.length);
  }
  add(done, text.length, 'plain');
  return { spans, plainFrom: undefined };
}
