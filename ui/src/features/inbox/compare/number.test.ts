import { expect, it } from 'vitest';
import { numberValue, sameForDoubles } from './number';

it.each([
  ['0', ['-0', '0.0', '0e5', '-0.00E-3']],
  ['1', ['1.0', '10e-1', '0.1e1', '1E+0', '100e-02']],
  ['1152921506151679042', ['1152921506151679042.0', '1.152921506151679042e18', '11529215061516790420e-1']],
  ['-12.5', ['-125e-1', '-12.50']],
  ['1e999999999999', ['10e999999999998', '0.1e1000000000000']],
])('%s is worth as much as %s', (first, others) => {
  for (const other of others) expect(numberValue(other), other).toBe(numberValue(first));
});

it('tells apart what a double cannot', () => {
  expect(numberValue('1152921506151679042')).not.toBe(numberValue('1152921506151679041'));
  expect(sameForDoubles('1152921506151679042', '1152921506151679041')).toBe(true);
  expect(numberValue('1')).not.toBe(numberValue('-1'));
  expect(numberValue('1e400')).not.toBe(numberValue('1e401'));
  expect(numberValue('0.1')).not.toBe(numberValue('0.10000000000000000555'));
});

it('an exponent of any length costs nothing', () => {
  const literal = `1e${'9'.repeat(100_000)}`;
  expect(numberValue(literal)).toBe(literal);
});
