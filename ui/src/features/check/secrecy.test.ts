import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './secrecy';

describe('what looks like a secret is left out', () => {
  it.each([
    ['postgres://app:s3cr3t@db/app', 'postgres://app:@db/app'],
    ['https://me:pw@host/x?token=abc&a=1', 'https://me:@host/x?token=&a=1'],
    ['HOOK_SECRET=hush node server.mjs', 'HOOK_SECRET= node server.mjs'],
    [`API_KEY='a b' PORT=1 node x`, 'API_KEY= PORT=1 node x'],
    ['node x --api-key k1 --port 1', 'node x --api-key  --port 1'],
    ['node x --password=k1', 'node x --password='],
    ['PGPASSWORD=x psql -Atc "select 1"', 'PGPASSWORD= psql -Atc "select 1"'],
    ['curl -H "Authorization: Bearer abcdef.123"', 'curl -H "Authorization: Bearer "'],
  ])('%s', (text, left) => {
    expect(withoutSecrets(text)).toBe(left);
  });
});

describe('what is none stays', () => {
  it.each([
    'postgres://app@127.0.0.1:5432/app',
    'sqlite:effects.db',
    'select count(*) from effects where job_id = :job_id',
    'http://127.0.0.1:3000/effects/{job_id}',
    'node server.mjs --port 3000',
    'hooktwice listen --secret-env HOOK_SECRET',
    'node x --secret-file=/run/secrets/hook',
    `psql -Atc "select count(*) from effects where job_id = '{job_id}'"`,
  ])('%s', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });
});
