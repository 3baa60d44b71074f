import { expect, it } from 'vitest';
import { COLUMNS, fit, isColumnChoice, template } from './columns';

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

it('one column takes the room that is left', () => {
  expect(template(fit(none, 2000))).toContain('minmax(170px, 1fr)');
  expect(template(fit(none, 800)).match(/1fr/g)).toHaveLength(1);
});

it('takes no other shape from what was kept', () => {
  expect(isColumnChoice(none)).toBe(true);
  expect(isColumnChoice(undefined)).toBe(false);
  expect(isColumnChoice({ hidden: 3, widths: {} })).toBe(false);
  expect(isColumnChoice({ hidden: [], widths: { job: 'wide' } })).toBe(false);
});
