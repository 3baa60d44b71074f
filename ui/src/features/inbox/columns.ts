/** A column of the list. Widths are pixels; the lowest `rank` gives way first when there is no room. */
export type ColumnId =
  'seq' | 'time' | 'path' | 'event' | 'job' | 'signature' | 'claim' | 'status' | 'duration' | 'size';

export type Column = { id: ColumnId; label: string; width: number; rank: number; right?: boolean };

export const COLUMNS: readonly Column[] = [
  { id: 'seq', label: '#', width: 62, rank: 99, right: true },
  { id: 'time', label: 'time', width: 108, rank: 7 },
  { id: 'path', label: 'method and path', width: 170, rank: 3 },
  { id: 'event', label: 'event', width: 124, rank: 4 },
  { id: 'job', label: 'job', width: 136, rank: 8 },
  { id: 'signature', label: 'signature', width: 96, rank: 6 },
  { id: 'claim', label: 'claim', width: 204, rank: 98 },
  { id: 'status', label: 'status', width: 58, rank: 5, right: true },
  { id: 'duration', label: 'took', width: 72, rank: 2, right: true },
  { id: 'size', label: 'size', width: 78, rank: 1, right: true },
];

/** What a person set: which are hidden, and widths that differ. */
export type ColumnChoice = { hidden: ColumnId[]; widths: Partial<Record<ColumnId, number>> };

const MIN_WIDTH = 44;
const MAX_WIDTH = 900;

/** A width that can be used. */
export function clampWidth(width: number): number {
  return Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
}

/** The columns that are shown in so many pixels, with their widths. */
export function fit(choice: ColumnChoice, room: number): Column[] {
  const shown = COLUMNS.filter((column) => !choice.hidden.includes(column.id)).map((column) => ({
    ...column,
    width: clampWidth(choice.widths[column.id] ?? column.width),
  }));
  let sum = shown.reduce((total, column) => total + column.width, 0);
  while (sum > room && shown.length > 2) {
    const weakest = shown.reduce((least, column) => (column.rank < least.rank ? column : least));
    shown.splice(shown.indexOf(weakest), 1);
    sum -= weakest.width;
  }
  return shown;
}

/** Where the room that is left goes. */
const GROWS: readonly ColumnId[] = ['path', 'job', 'event', 'claim'];

/** The columns as a grid's template. */
export function template(columns: readonly Column[]): string {
  const grows = GROWS.find((id) => columns.some((column) => column.id === id));
  return columns.map(({ id, width }) => (id === grows ? `minmax(${width}px, 1fr)` : `${width}px`)).join(' ');
}

export function isColumnChoice(value: unknown): value is ColumnChoice {
  if (typeof value !== 'object' || value === null || !('hidden' in value) || !('widths' in value))
    return false;
  const { hidden, widths } = value;
  return (
    Array.isArray(hidden) &&
    typeof widths === 'object' &&
    widths !== null &&
    Object.values(widths).every((width) => typeof width === 'number')
  );
}
