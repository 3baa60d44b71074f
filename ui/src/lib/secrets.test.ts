import type { SecretInfo } from '$bindings/SecretInfo';
import { expect, it } from 'vitest';
import { appState, secretInfo } from '../test/fake';
import { isLost, keptIn, secretGroups, secretsOf, secretsToTry } from './secrets';

const names = (secrets: SecretInfo[]) => secrets.map(({ name }) => name);
const throwaway = secretInfo({ name: 'throwaway', scheme: null, throwaway: true, kept_in: 'memory' });
const given = secretInfo({ name: 'HOOK_SECRET', scheme: null, kept_in: 'environment' });

function app(secrets: SecretInfo[], remembered: Record<string, string[]> = {}) {
  const state = appState({ secrets });
  return { ...state, settings: { ...state.settings, secrets: remembered } };
}

it('a throwaway secret fills in only where a scheme has none', () => {
  const state = app([throwaway, secretInfo({ name: 'hub', scheme: 'github' })]);
  expect(names(secretsOf(state, 'sume'))).toEqual(['throwaway']);
  expect(names(secretsOf(state, 'github'))).toEqual(['hub']);
  expect(secretsOf(app([]), 'sume')).toEqual([]);
});

it('what was given at the start comes before what is kept', () => {
  const state = app([given, secretInfo({ name: 'kept' }), secretInfo({ name: 'hub', scheme: 'github' })]);
  expect(names(secretsOf(state, 'sume'))).toEqual(['HOOK_SECRET']);
  expect(names(secretsOf(state, 'github'))).toEqual(['HOOK_SECRET']);
  const groups = secretGroups(state).map(({ scheme, secrets, aside }) => [
    scheme,
    names(secrets),
    names(aside),
  ]);
  expect(groups).toEqual([
    ['sume', ['HOOK_SECRET'], ['kept']],
    ['github', [], ['hub']],
  ]);
});

it('one that was set since the start puts aside what was given, for its scheme', () => {
  const own = secretInfo({ name: 'new' });
  const state = { ...app([given, own, secretInfo({ name: 'hub', scheme: 'github' })]), secret: own };
  expect(names(secretsOf(state, 'sume'))).toEqual(['new']);
  expect(secretGroups(state)[0]).toMatchObject({ secrets: [own], aside: [] });
  expect(names(secretsOf(state, 'github'))).toEqual(['HOOK_SECRET']);
});

it('the scheme in use stands first, though it has none', () => {
  const state = app([secretInfo({ name: 'slack', scheme: 'slack' })]);
  expect(secretGroups(state)).toMatchObject([
    { scheme: 'sume', inUse: true, secrets: [] },
    { scheme: 'slack', inUse: false },
  ]);
});

it('names what the settings remember and the keychain did not give', () => {
  const state = app([secretInfo({ name: 'new' })], { sume: ['new', 'old'], stripe: ['whsec'] });
  expect(secretGroups(state).map(({ scheme, unread }) => [scheme, unread])).toEqual([
    ['sume', ['old']],
    ['stripe', ['whsec']],
  ]);
});

it('offers each name once, as the engine would find it', () => {
  const state = app([
    secretInfo({ name: 'same', fingerprint: 'bbbb' }),
    throwaway,
    secretInfo({ name: 'same', scheme: 'github', fingerprint: 'aaaa' }),
  ]);
  expect(secretsToTry(state, 'sume').map(({ name, fingerprint }) => [name, fingerprint])).toEqual([
    ['same', 'bbbb'],
    ['throwaway', '7f3a'],
  ]);
  expect(secretsToTry(state, 'github')[0]?.fingerprint).toBe('aaaa');
});

it('says where each is kept, and which cannot be had back', () => {
  expect(keptIn(secretInfo())).toContain('keychain');
  expect(keptIn(given)).toContain('environment');
  expect(keptIn(throwaway)).toContain('gone');
  expect(isLost(secretInfo({ kept_in: 'memory' }))).toBe(true);
  expect(isLost(throwaway) || isLost(given) || isLost(secretInfo())).toBe(false);
});
