import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { isSensitive } from './sensitive';

it.each(['Authorization', 'COOKIE', 'x-api-key', 'X-Auth-Token', 'X-Hub-Secret'])('%s is masked', (name) => {
  expect(isSensitive(name)).toBe(true);
});

it.each(['Content-Type', 'X-Sume-Signature', 'X-Sume-Timestamp', 'Host', 'Idempotency-Key'])(
  '%s is not',
  (name) => {
    expect(isSensitive(name)).toBe(false);
  },
);

it('the same headers are sensitive here and in the engine', () => {
  const file = resolve(import.meta.dirname, '../../../../tests/fixtures/sensitive_headers.json');
  const table = JSON.parse(readFileSync(file, 'utf8')) as { masked: string[]; shown: string[] };
  expect(table.masked.filter((name) => !isSensitive(name))).toEqual([]);
  expect(table.shown.filter(isSensitive)).toEqual([]);
});
