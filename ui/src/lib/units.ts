/** Durations and sizes as a person types them: `500ms`, `10 s`, `2m`, `10MiB`. Without a unit the field's own is meant. */

const DURATIONS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };
const KIB = 1024;
const SIZES: Record<string, number> = {
  b: 1,
  kib: KIB,
  mib: KIB ** 2,
  gib: KIB ** 3,
  tib: KIB ** 4,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
};

/** Milliseconds, or nothing where the text is no duration. A number alone is in `unit`. */
export function parseDuration(text: string, unit: 'ms' | 's'): number | undefined {
  return parse(text, DURATIONS, unit);
}

/** Bytes, or nothing where the text is no size. A number alone is in bytes. */
export function parseSize(text: string): number | undefined {
  const bytes = parse(text, SIZES, 'b');
  return bytes === undefined ? undefined : Math.round(bytes);
}

/** A whole number that is not below zero, or nothing. Commas between thousands are taken. */
export function parseCount(text: string): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}

/** A number above zero, or nothing. */
export function parseNumber(text: string): number | undefined {
  const value = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : 0;
  return value > 0 ? value : undefined;
}

/** The shortest text that {@link parseDuration} reads as exactly so many milliseconds. */
export function writeDuration(ms: number): string {
  if (ms !== 0 && ms % 60_000 === 0) return `${ms / 60_000} min`;
  if (ms !== 0 && ms % 1000 === 0) return `${ms / 1000} s`;
  return `${ms} ms`;
}

/** The shortest text that {@link parseSize} reads as exactly so many bytes. */
export function writeSize(bytes: number): string {
  if (bytes === 0) return '0';
  for (const [unit, name] of [
    [KIB ** 3, 'GiB'],
    [KIB ** 2, 'MiB'],
    [KIB, 'KiB'],
  ] as const) {
    if (bytes % unit === 0) return `${bytes / unit} ${name}`;
  }
  return `${bytes} B`;
}

function parse(text: string, units: Record<string, number>, fallback: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/.exec(text.trim().toLowerCase());
  const factor = units[match?.[2] === '' ? fallback : (match?.[2] ?? '')];
  const value = Number(match?.[1]);
  return factor === undefined || !Number.isFinite(value * factor) ? undefined : value * factor;
}
