import { expect, it } from 'vitest';
import { hexRow, hexRows, spacedHex } from './hex';

it('shows offset, bytes and what is printable', () => {
  const bytes = new TextEncoder().encode('{"a":"é\r\n"}0123456789');
  expect(hexRow(bytes, 0)).toEqual({
    offset: '00000000',
    hex: '7b 22 61 22 3a 22 c3 a9  0d 0a 22 7d 30 31 32 33',
    text: '{"a":"····"}0123',
  });
  expect(hexRow(bytes, 1)).toEqual({ offset: '00000010', hex: '34 35 36 37 38 39', text: '456789' });
  expect(hexRows(bytes.length)).toBe(2);
  expect(hexRows(0)).toBe(0);
  expect(hexRows(16)).toBe(1);
});

it('shows bytes in a line', () => {
  expect(spacedHex(Uint8Array.of(0, 0x0a, 0xff))).toBe('00 0a ff');
  expect(spacedHex(new Uint8Array())).toBe('');
});
