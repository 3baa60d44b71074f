import type { ClaimReason } from '$bindings/ClaimReason';
import type { Delivery } from '$bindings/Delivery';
import type { Ended } from '$bindings/Ended';
import type { SignatureState } from '$bindings/SignatureState';
import { byteSize } from '$lib/format';
import type { Tone } from '$ui/tone';

/** A word and its colour. */
export type BadgeWord = { word: string; tone: Tone; why: string | undefined };

const SIGNATURE: Record<SignatureState, Tone> = {
  valid: 'off',
  invalid: 'bad',
  stale: 'dup',
  unsigned: 'bad',
  unchecked: 'off',
};

export function signatureBadge(delivery: Delivery): BadgeWord {
  const { state, reason } = delivery.signature;
  return { word: state, tone: SIGNATURE[state], why: reason ?? undefined };
}

const REASON: Record<ClaimReason, { word: string; why: string }> = {
  'not-verified': { word: 'not verified', why: 'The signature is not valid, so nothing was claimed.' },
  'missing-id': { word: 'no job id', why: 'Nothing stands where the job id should be.' },
  'null-id': { word: 'null id', why: 'The job id is null: every such delivery would be new.' },
  'empty-id': { word: 'empty id', why: 'The job id is empty, or only white space.' },
  'id-type': { word: 'id type', why: 'The job id is neither a string nor a number.' },
  'id-too-long': { word: 'id too long', why: 'The job id is longer than 4 KiB.' },
  'ambiguous-id': { word: 'two job ids', why: 'The job id stands twice in its object.' },
  'not-json': { word: 'not JSON', why: 'The body is not JSON.' },
  'no-body': { word: 'no body', why: 'There is no body.' },
  method: { word: 'no claim', why: 'GET, HEAD and OPTIONS claim nothing.' },
  imported: { word: 'imported', why: 'It was read from a file: it did not arrive here and claims nothing.' },
};

export function claimBadge(delivery: Delivery): BadgeWord {
  switch (delivery.claim) {
    case 'won':
      return { word: 'won', tone: 'won', why: 'The first verified delivery of this job: the effect runs.' };
    case 'duplicate': {
      const winner = delivery.duplicate_of;
      if (winner === null) return { word: 'duplicate', tone: 'dup', why: 'The job was claimed already.' };
      const why = `#${winner} came first and won the claim of this job: its effect is not to run again.`;
      return { word: `duplicate of #${winner}`, tone: 'dup', why };
    }
    case 'none': {
      const reason = delivery.claim_reason && REASON[delivery.claim_reason];
      return { word: reason ? reason.word : 'no claim', tone: 'off', why: reason?.why };
    }
  }
}

const ENDED: Record<Ended, { word: string; why: string } | undefined> = {
  answered: undefined,
  'sender-left': { word: 'sender left', why: 'The sender was gone before the answer could be written.' },
  incomplete: { word: 'incomplete', why: 'The body stopped early: nothing was verified or claimed.' },
  refused: { word: 'refused', why: 'It passed a limit, or is not HTTP.' },
  interrupted: { word: 'interrupted', why: 'Hooktwice ended between the commit and the answer.' },
};

/** What else is to be seen at a glance; often nothing. */
export function otherBadges(delivery: Delivery): BadgeWord[] {
  const badges: BadgeWord[] = [];
  if (delivery.body_differs) {
    badges.push({ word: 'body differs', tone: 'dup', why: 'Not the bytes of the delivery that won.' });
  }
  const ended = delivery.ended && ENDED[delivery.ended];
  if (ended) {
    const promised =
      delivery.expected_size === null
        ? ''
        : ` ${byteSize(delivery.size)} came of ${byteSize(delivery.expected_size)}.`;
    badges.push({ word: ended.word, tone: 'bad', why: ended.why + promised });
  }
  return badges;
}

/** The tone of a status: only what failed stands out. */
export function failed(delivery: Delivery): boolean {
  return delivery.status !== null && (delivery.status < 200 || delivery.status > 299);
}
