import { expect, it } from 'vitest';
import { COLUMNS, fit, isColumnChoice, template, widest, type ColumnId } from './columns';

const none = { hidden: [], widths: {} };
const ids = (room: number, choice: Parameters<typeof fit>[0] = none) =>
  fit(choice, room).map((column) => column.id);

it('shows all where there is room, and gives way from the least wanted', () => {
  expect(ids(2000)).toEqual(COLUMNS.map((column) => column.id));
  expect(ids(800)).toEqual(['seq', 'time', 'event', 'job', 'signature', 'claim', 'status']);
  expect(ids(100)).toEqual(['seq', 'claim']);
});

it('keeps what was chosen', () => {
  expect(ids(2000, { hidden: ['job', 'size'], widths: {} })).not.toContain('job');
  const wide = fit({ hidden: [], widths: { event: 300, time: 5 } }, 2000);
  expect(wide.find((column) => column.id === 'event')?.width).toBe(300);
  expect(wide.find((column) => column.id === 'time')?.width).toBe(44);
});

it('never takes more room than there is, whatever was chosen', () => {
  const choices = [
    none,
    { hidden: [], widths: { job: 900, path: 900 } },
    { hidden: ['claim', 'seq'], widths: { size: 5000, took: 3 } },
    { hidden: [], widths: Object.fromEntries(COLUMNS.map(({ id }) => [id, 400])) },
  ] as Parameters<typeof fit>[0][];
  for (const choice of choices) {
    for (let room = 100; room < 3000; room += 37) {
      const shown = fit(choice, room);
      expect(shown.reduce((sum, { width }) => sum + width, 0)).toBeLessThanOrEqual(room);
      expect(shown.length).toBeGreaterThanOrEqual(2);
      for (const { width } of shown) expect(width).toBeGreaterThanOrEqual(44);
    }
  }
});

it('what is made wider stays, and those that are less wanted give way', () => {
  const room = 1120;
  const of = (id: ColumnId, columns: ReturnType<typeof fit>) => columns.find((column) => column.id === id)!;
  for (const { id } of COLUMNS) {
    const before = fit(none, room);
    const most = widest(of(id, before), before, room);
    const after = fit({ hidden: [], widths: { [id]: most } }, room);
    expect(of(id, after).width, id).toBe(most);
    // Nothing that is wanted more has gone.
    const gone = before.filter((column) => !after.some((other) => other.id === column.id));
    for (const column of gone) expect(column.rank).toBeLessThan(of(id, before).rank);
  }
});

it('one column takes the room that is left', () => {
  expect(template(fit(none, 2000))).toContain('minmax(170px, 1fr)');
  expect(template(fit(none, 800)).match(/1fr/g)).toHaveLength(1);
  // One whose width was set keeps it.
  expect(template(fit(none, 2000), { path: 200 })).toContain('170px 124px minmax(136px, 1fr)');
  const all = { path: 200, job: 200, event: 200, claim: 200 };
  expect(template(fit({ hidden: [], widths: all }, 2000), all)).toMatch(/ 1fr$/);
});

it('takes no other shape from what was kept', () => {
  expect(isColumnChoice(none)).toBe(true);
  expect(isColumnChoice(undefined)).toBe(false);
  expect(isColumnChoice({ hidden: 3, widths: {} })).toBe(false);
  expect(isColumnChoice({ hidden: [], widths: { job: 'wide' } })).toBe(false);
});
