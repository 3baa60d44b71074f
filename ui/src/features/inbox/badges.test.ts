import { expect, it } from 'vitest';
import { delivery, signature } from '../../test/fake';
import { claimBadge, otherBadges, signatureBadge } from './badges';

it('a duplicate always names the delivery that won', () => {
  const badge = claimBadge(delivery(128, { claim: 'duplicate', duplicate_of: 121 }));
  expect([badge.word, badge.tone]).toEqual(['duplicate of #121', 'dup']);
});

it.each([
  ['not-verified', 'not verified'],
  ['missing-id', 'no job id'],
  ['null-id', 'null id'],
  ['not-json', 'not JSON'],
] as const)('nothing claimed, %s', (reason, word) => {
  const badge = claimBadge(delivery(1, { claim: 'none', claim_reason: reason }));
  expect(badge.word).toBe(word);
  expect(badge.why).toBeTruthy();
});

it.each(['valid', 'invalid', 'stale', 'unsigned', 'unchecked'] as const)('the signature is %s', (state) => {
  const report = signature({ state, reason: 'because' });
  expect(signatureBadge(delivery(1, { signature: report }))).toMatchObject({ word: state, why: 'because' });
});

it('says how it ended where that is odd', () => {
  expect(otherBadges(delivery(1))).toEqual([]);
  expect(otherBadges(delivery(1, { ended: null, status: null }))).toEqual([]);
  const odd = otherBadges(
    delivery(2, { body_differs: true, ended: 'incomplete', size: 10, expected_size: 2048 }),
  );
  expect(odd.map((badge) => badge.word)).toEqual(['body differs', 'incomplete']);
  expect(odd[1]?.why).toContain('10 B came of 2 KiB');
});
