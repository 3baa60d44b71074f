import type { ProbeSpec } from '$bindings/ProbeSpec';
import { describe, expect, it } from 'vitest';
import { KINDS, KIND_NAMES, firstValues, pointerFault, probeFaults, specOf, valuesOf } from './probes';

const faulty = (spec: ProbeSpec) => Object.keys(probeFaults(spec.kind, valuesOf(spec))).sort();

it.each([
  { kind: 'sql', database: 'sqlite:effects.db', query: 'select 1 where :job_id' },
  { kind: 'url', url: 'http://localhost:1/{job_id}', pointer: '' },
  { kind: 'command', command: 'count {job_id}' },
  { kind: 'log', file: 'app.log', pattern: 'sent {job_id}' },
  { kind: 'canary', pointer: '/artifacts/0/url' },
] as ProbeSpec[])('$kind comes back as it was', (spec) => {
  expect(specOf(spec.kind, valuesOf(spec))).toEqual(spec);
  expect(faulty(spec)).toEqual([]);
});

it('every example but that of two databases is one', () => {
  for (const kind of KIND_NAMES) {
    const examples = Object.fromEntries(KINDS[kind].fields.map((field) => [field.name, field.placeholder]));
    expect([kind, probeFaults(kind, examples)]).toEqual([kind, {}]);
  }
});

it('a new canary stands where Sume names the artifact', () => {
  expect(probeFaults('canary', firstValues('canary'))).toEqual({});
});

describe('says what is missing', () => {
  it.each([
    [{ kind: 'sql', database: 'effects.db', query: 'select 1' }, ['database', 'query']],
    [{ kind: 'sql', database: 'sqlite:', query: ':job_id' }, ['database']],
    [{ kind: 'url', url: 'http://localhost:1/effects', pointer: 'count' }, ['pointer', 'url']],
    [{ kind: 'command', command: 'count' }, ['command']],
    [{ kind: 'log', file: '', pattern: 'sent' }, ['file', 'pattern']],
    [{ kind: 'canary', pointer: '' }, ['pointer']],
  ] as [ProbeSpec, string[]][])('%j', (spec, fields) => {
    expect(faulty(spec)).toEqual(fields);
  });
});

it.each([
  ['', true],
  ['/a~1b/~0', true],
  ['a', false],
  ['/a~b', false],
])('the pointer %j is one: %s', (pointer, right) => {
  expect(pointerFault(pointer) === undefined).toBe(right);
});
