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

export const MIN_WIDTH = 44;
/** No column takes more of the room than this. */
const MOST_SHARE = 0.45;
/** A step of a key that makes a column wider, in pixels; with Shift a long one. */
export const STEP_PX = 8;
export const LONG_STEP_PX = 32;

/** A width that can be used. */
export function clampWidth(width: number, most: number): number {
  return Math.round(Math.max(MIN_WIDTH, Math.min(most, width)));
}

/** How wide a column is at first. */
const usual = (column: Column) => COLUMNS.find(({ id }) => id === column.id)?.width ?? MIN_WIDTH;

const sum = (columns: readonly Column[]) => columns.reduce((total, { width }) => total + width, 0);

/** The columns that are shown in so many pixels, with their widths: together they never take more than that. */
export function fit(choice: ColumnChoice, room: number): Column[] {
  const shown = COLUMNS.filter((column) => !choice.hidden.includes(column.id)).map((column) => ({
    ...column,
    width: clampWidth(choice.widths[column.id] ?? column.width, Math.max(column.width, room * MOST_SHARE)),
  }));
  for (let excess = sum(shown) - room; excess > 0; excess = sum(shown) - room) {
    const weakest = shown.reduce((least, column) => (column.rank < least.rank ? column : least));
    const atFirst = usual(weakest);
    // It is made as narrow as it was at first before it goes.
    if (weakest.width > atFirst) weakest.width = Math.max(atFirst, weakest.width - excess);
    else if (shown.length > 2) shown.splice(shown.indexOf(weakest), 1);
    else {
      const widest = shown.reduce((most, column) => (column.width > most.width ? column : most));
      if (widest.width <= MIN_WIDTH) break;
      widest.width = Math.max(MIN_WIDTH, widest.width - excess);
    }
  }
  return shown;
}

/** How wide a column can be made: others that are less wanted give way to it. */
export function widest(column: Column, columns: readonly Column[], room: number): number {
  const stronger = columns.filter((other) => other.rank > column.rank);
  const most = Math.min(Math.max(usual(column), room * MOST_SHARE), room - sum(stronger));
  return Math.max(MIN_WIDTH, Math.floor(most));
}

/** Where the room that is left goes: to the first of these whose width nobody has set, else behind the last column. */
const GROWS: readonly ColumnId[] = ['path', 'job', 'event', 'claim'];

/** The columns as a grid's template. */
export function template(columns: readonly Column[], widths: ColumnChoice['widths'] = {}): string {
  const grows = GROWS.find((id) => widths[id] === undefined && columns.some((column) => column.id === id));
  const tracks = columns.map(({ id, width }) => (id === grows ? `minmax(${width}px, 1fr)` : `${width}px`));
  return [...tracks, ...(grows ? [] : ['1fr'])].join(' ');
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
