/** Words for what is measured. Everything is meant for a monospaced face with tabular figures. */

const two = (n: number) => String(n).padStart(2, '0');

/** The local wall clock of an RFC 3339 moment, with milliseconds: `12:04:31.482`. */
export function clockTime(rfc3339: string): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return rfc3339;
  const ms = String(at.getMilliseconds()).padStart(3, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${ms}`;
}

/** The local day and wall clock: `2025-11-29 12:04:31.482`. */
export function dateTime(rfc3339: string): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return rfc3339;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clockTime(rfc3339)}`;
}

/** `0.8 ms`, `143 ms`, `9.8 s`, `2 min 5 s`. */
export function duration(ms: number | null | undefined): string {
  if (ms == null) return '';
  const size = Math.abs(ms);
  if (size < 0.095) return `${(ms * 1000).toFixed(0)} µs`;
  if (size < 9.95) return `${ms.toFixed(1)} ms`;
  if (size < 999.5) return `${ms.toFixed(0)} ms`;
  if (size < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (size < 3_600_000) return `${Math.trunc(seconds / 60)} min ${Math.abs(seconds % 60)} s`;
  return `${Math.trunc(seconds / 3600)} h ${Math.trunc(Math.abs(seconds % 3600) / 60)} min`;
}

/** `0 B`, `312 B`, `1.5 KiB`, `10 MiB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 9.95 && !Number.isInteger(value) ? value.toFixed(1) : value.toFixed(0)} ${units[unit] ?? ''}`;
}

/**
 * `1,204`, of a whole number. By hand: the first number that a browser writes for a language has it load that language,
 * which is a tenth of what a start takes.
 */
export function count(n: number): string {
  return String(n).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 delivery`, `12 deliveries`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Cuts a long id in its middle, never inside a character: `job_1f3a…77c0`. The whole stands in a title or is copied. */
export function middle(text: string, length = 20): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 3);
  const head = length - 1 - tail;
  // Most ids need no search for where a character ends; rows are drawn many at a time.
  if (ASCII.test(text)) return `${text.slice(0, head)}…${text.slice(text.length - tail)}`;
  // A character is seldom so long that these do not hold enough of them.
  const around = 32 * length;
  const whole = text.length <= 2 * around;
  const first = characters(whole ? text : text.slice(0, around));
  if (whole && first.length <= length) return text;
  const last = whole ? first : characters(text.slice(-around));
  return `${first.slice(0, head).join('')}…${last.slice(last.length - tail).join('')}`;
}

// eslint-disable-next-line no-control-regex -- all of them
const ASCII = /^[\x00-\x7f]*$/;
let segmenter: Intl.Segmenter | undefined;

/** Made when it is first needed: its tables take longer to load than a page to draw, and most texts are ASCII. */
function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

function characters(text: string): string[] {
  return Array.from(segments(text), (part) => part.segment);
}

/** Whether an index parts a pair of surrogates, which is one character. */
export function splitsPair(text: string, index: number): boolean {
  const low = text.charCodeAt(index);
  const high = text.charCodeAt(index - 1);
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff;
}

/** The beginning of a text, up to so many code units, never ending inside a character. */
export function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  // A character is seldom longer than this; a little more is looked at than is kept.
  const part = text.slice(0, length + 64);
  const last = segments(part).containing(length);
  return part.slice(0, last ? last.index : length);
}
