import { expect, it } from 'vitest';
import { inWords, real, SUMES } from './schedule';

it('says a schedule as a person would', () => {
  expect(inWords(SUMES)).toBe('up to 10 attempts, 30 s apart, 10 s for each');
  expect(inWords({ ...SUMES, attempts: 1, gap_ms: 500, timeout_ms: 90_000, time_scale: 60 })).toBe(
    'up to 1 attempt, 500 ms apart, 1 min 30 s for each, 60 × faster',
  );
});

it('the time scale squeezes gaps and timeouts, and nothing divides by zero', () => {
  expect(real({ ...SUMES, time_scale: 60 })).toEqual({ gap: 500, timeout: 10_000 / 60 });
  expect(real({ ...SUMES, time_scale: 0 }).gap).toBe(30_000);
});
