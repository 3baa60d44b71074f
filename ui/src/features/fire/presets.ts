import type { Release } from '$bindings/Release';

/** A usual way to fire: how many, and how they are let go. */
export const PRESETS = [
  { value: 'once', label: 'once', title: 'One copy', copies: 1, release: 'together' },
  {
    value: 'row',
    label: '2 in a row',
    title: 'The second after the first was answered',
    copies: 2,
    release: 'sequential',
  },
  {
    value: 'two',
    label: '2 at once',
    title: 'Two copies, released together',
    copies: 2,
    release: 'together',
  },
  {
    value: 'ten',
    label: '10',
    title: 'Ten copies, released together',
    copies: 10,
    release: 'together',
  },
  {
    value: 'twenty',
    label: '20',
    title: 'Twenty copies, released together',
    copies: 20,
    release: 'together',
  },
] as const;

/** Sume's own way: attempt after attempt until one is acknowledged. */
export const SCHEDULE = {
  value: 'schedule',
  label: 'Sume’s ten',
  title: 'As Sume delivers: up to ten attempts, 30 s apart, until a 2xx',
} as const;

/** Everything that is offered. */
export const WAYS = [...PRESETS, SCHEDULE] as const;

export type Preset = (typeof WAYS)[number]['value'];
export type ReleaseKind = Release['kind'];

/** The most copies that the engine fires at once. */
export const MOST_COPIES = 1000;
/** The most attempts of a schedule. */
export const MOST_ATTEMPTS = 100;
/** How much faster than it is a schedule can go. */
export const MOST_SCALE = 10_000;

/** The preset that these choices are, if they are one. One copy is `once` however it is let go. */
export function presetOf(copies: number | undefined, release: ReleaseKind): Preset | undefined {
  return PRESETS.find((preset) => preset.copies === copies && (preset.release === release || copies === 1))
    ?.value;
}

/** `10 at once`, `2 in a row`, `5, 100 ms apart`, `once`. */
export function describe(copies: number, release: Release): string {
  if (copies === 1) return 'once';
  if (release.kind === 'together') return `${copies} at once`;
  if (release.kind === 'sequential') return `${copies} in a row`;
  return `${copies}, ${release.ms} ms apart`;
}
