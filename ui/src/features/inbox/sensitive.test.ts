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
