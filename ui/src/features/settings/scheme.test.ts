import type { CustomForm } from '$bindings/CustomForm';
import type { Settings } from '$bindings/Settings';
import { SCHEMES } from '$lib/schemes';
import { describe, expect, it } from 'vitest';
import { appState } from '../../test/fake';
import { readEscapes, writeEscapes } from './escapes';
import { isSumesOwn, schemeSection, type SchemeDraft } from './scheme';
import { templateFault } from './template';

const { settings } = appState();

function set(scheme: string, custom: Partial<CustomForm> = {}): Settings {
  return {
    ...settings,
    listen: { ...settings.listen, scheme },
    schemes: { ...settings.schemes, custom: { ...settings.schemes.custom, ...custom } },
  };
}

const custom = (over: Partial<SchemeDraft>): SchemeDraft => ({
  ...schemeSection.read(set('custom')),
  ...over,
});

it('writes back what it read', () => {
  const acme = set('custom', {
    signed: '{method}\r\n{path}?{query}\n{header:X-A}\t\\n{id}.{timestamp}.{body}',
    timestamp: { kind: 'parameter', name: 'ts' },
    id_header: 'X-Id',
    algorithm: 'sha512',
    encoding: 'base64',
    prefix: 's1=',
    separator: ' ',
    secret: 'hex',
  });
  const timeless = set('custom', { signed: '{body}', timestamp: { kind: 'none' }, separator: '' });
  for (const before of [acme, timeless, ...SCHEMES.map(({ value }) => set(value))]) {
    const draft = schemeSection.read(before);
    expect(schemeSection.check(draft)).toEqual({});
    expect(schemeSection.apply(before, draft)).toEqual(before);
  }
  expect(schemeSection.read(acme).signed).toContain('{method}\\r\\n{path}?{query}\\n{header:X-A}\\t\\\\n');
});

it('tells what is Sume’s own', () => {
  const draft = schemeSection.read(settings);
  expect(isSumesOwn(draft)).toBe(true);
  expect(isSumesOwn({ ...draft, sumeTag: 'v2=' })).toBe(false);
});

it('names the field of Sume’s that cannot be saved', () => {
  const faults = (over: Partial<SchemeDraft>) =>
    Object.keys(schemeSection.check({ ...schemeSection.read(settings), ...over }));
  expect(faults({ sumeTimestamp: 'X Time' })).toEqual(['sumeTimestamp']);
  expect(faults({ sumeSignature: '' })).toEqual(['sumeSignature']);
  expect(faults({ sumeEventId: 'x-sume-timestamp' })).toEqual(['sumeEventId']);
  for (const sumeTag of ['v1,', 'v1= ', 'é=']) expect(faults({ sumeTag })).toEqual(['sumeTag']);
  expect(faults({ sumeTag: '' })).toEqual([]);
});

describe('the custom form', () => {
  it.each<[keyof SchemeDraft, Partial<SchemeDraft>]>([
    ['signed', { signed: '{timestamp}' }],
    ['signed', { signed: '{body}{body}' }],
    ['signed', { signed: '{body}{now}' }],
    ['signed', { signed: '{body}{timestamp' }],
    ['signed', { signed: '{body}\\q' }],
    ['signed', { signed: '{id}.{body}' }],
    ['signed', { timeKind: 'none' }],
    ['signature', { signature: 'X:' }],
    ['timeHeader', { timeHeader: 'x-signature' }],
    ['timeParameter', { timeKind: 'parameter', timeParameter: 't=' }],
    ['timeParameter', { timeKind: 'parameter', timeParameter: 'a,b' }],
    ['idHeader', { idHeader: 'X-Timestamp' }],
    ['prefix', { prefix: ' v1=' }],
    ['prefix', { prefix: 't=', timeKind: 'parameter' }],
    ['separator', { separator: ';;' }],
    ['separator', { separator: 'f' }],
    ['separator', { separator: '=', encoding: 'base64' }],
    ['separator', { prefix: 'v1,' }],
    ['separator', { separator: '', timeKind: 'parameter' }],
  ])('names %s', (field, over) => {
    expect(Object.keys(schemeSection.check(custom(over)))).toEqual([field]);
  });

  it('does not mind what is not in use', () => {
    expect(schemeSection.check(custom({ timeHeader: '', timeKind: 'parameter', signed: '{body}' }))).toEqual(
      {},
    );
    expect(schemeSection.check({ ...custom({ signed: '' }), scheme: 'github' })).toEqual({});
  });

  it('keeps what is set where what is typed could not be, and is not shown', () => {
    const before = set('custom');
    const after = schemeSection.apply(before, {
      ...custom({ signed: '' }),
      scheme: 'github',
      sumeTag: 'v2=',
    });
    expect(after.listen.scheme).toBe('github');
    expect(after.schemes.custom).toEqual(before.schemes.custom);
    expect(after.schemes.sume.tag).toBe('v2=');
  });
});

it('shows line breaks and reads them back', () => {
  for (const text of ['', 'a', 'a\nb', '\r\n\t', '\\n', '\\\\', 'ends in \\', '{body}\n']) {
    const written = writeEscapes(text);
    expect(written).not.toMatch(/[\n\r\t]/);
    expect(readEscapes(written)).toBe(text);
  }
  for (const wrong of ['\\', '\\x', '\\\\\\', 'a\\ n']) expect(readEscapes(wrong)).toBeUndefined();
});

it('takes a brace that closes nothing as text', () => {
  expect(templateFault('}{body}}')).toBeUndefined();
  expect(templateFault('{body}{header:}')).toBe('{header:} is not known.');
});
