import { expect, it } from 'vitest';
import { labelBeside, shortened } from './lanes';

const room = { left: 30, width: 400 };

it('a label stands behind what it tells of, or before it where there is more room', () => {
  expect(labelBeside('204 · 2.0 ms', { from: 40, to: 60 }, room)).toEqual({
    label: '204 · 2.0 ms',
    labelX: 68,
  });
  expect(labelBeside('no answer · 10.0 s', { from: 340, to: 380 }, room)).toEqual({
    label: 'no answer · 10.0 s',
    labelX: 332,
    labelEnd: true,
  });
});

it('a label that fits nowhere is cut, and left out where that would say nothing', () => {
  const { label, labelX } = labelBeside('x'.repeat(90), { from: 40, to: 60 }, room);
  expect(label).toMatch(/^x+…$/);
  expect(labelX + label.length * 6.7).toBeLessThanOrEqual(400);
  expect(shortened('204 · 2.0 ms', 3)).toBe('');
});
