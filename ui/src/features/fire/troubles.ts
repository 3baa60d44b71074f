import type { RunReport } from '$bindings/RunReport';

/** Something that was said of one or more copies. */
export type Trouble = { text: string; error: boolean; copies: number[] };

/** Every error and warning once, with the copies that it was said of, in their order. */
export function troublesOf(run: RunReport): Trouble[] {
  const found = new Map<string, Trouble>();
  const add = (text: string, error: boolean, n: number) => {
    const known = found.get(text);
    if (known) known.copies.push(n);
    else found.set(text, { text, error, copies: [n] });
  };
  for (const copy of [...run.copies].sort((a, b) => a.n - b.n)) {
    if (copy.error !== null) add(copy.error, true, copy.n);
    for (const warning of copy.warnings) add(warning, false, copy.n);
  }
  return [...found.values()];
}

/** `copy 3`, `copies 1–4, 7`. */
export function numbers(copies: readonly number[]): string {
  const spans: string[] = [];
  for (let at = 0; at < copies.length;) {
    let end = at;
    while (copies[end + 1] === (copies[end] ?? 0) + 1) end += 1;
    spans.push(end === at ? `${copies[at] ?? ''}` : `${copies[at] ?? ''}–${copies[end] ?? ''}`);
    at = end + 1;
  }
  return `${copies.length === 1 ? 'copy' : 'copies'} ${spans.join(', ')}`;
}
