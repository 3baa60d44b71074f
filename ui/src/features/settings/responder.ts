import type { Responder } from '$bindings/Responder';
import type { Settings } from '$bindings/Settings';
import { targetFault } from '$lib/target';
import { parseCount, parseDuration, writeDuration } from '$lib/units';
import { rules, within, withListen, type Section } from './sections';

export type ResponderDraft = {
  kind: Responder['kind'];
  pause: string;
  code: string;
  forwardUrl: string;
  forwardCopies: string;
  forwardValidOnly: boolean;
  forwardTimeout: string;
  failFirst: string;
  delay: string;
  drop: boolean;
  answerChallenges: boolean;
};

/** The most copies of a delivery that go on. */
const MOST_COPIES = 100;

export const responderSection: Section<ResponderDraft> = {
  read: ({ listen }) => ({
    kind: listen.responder.kind,
    pause: writeDuration(listen.responder.kind === 'naive' ? listen.responder.pause_ms : 20),
    code: String(listen.responder.kind === 'status' ? listen.responder.code : 200),
    forwardUrl: listen.forward.url,
    forwardCopies: String(listen.forward.copies),
    forwardValidOnly: listen.forward.valid_only,
    forwardTimeout: writeDuration(listen.forward.timeout_ms),
    failFirst: String(listen.fail_first),
    delay: writeDuration(listen.delay_ms),
    drop: listen.drop,
    answerChallenges: listen.answer_challenges,
  }),
  check: (draft) => {
    const forward = draft.kind === 'forward';
    const target = forward ? targetFault(draft.forwardUrl) : undefined;
    return rules<ResponderDraft>(
      [
        'pause',
        draft.kind !== 'naive' || within(parseDuration(draft.pause, 'ms'), 0, 60_000),
        'A time up to a minute, as 20 ms.',
      ],
      [
        'code',
        draft.kind !== 'status' || within(parseCount(draft.code), 200, 599),
        'A status from 200 to 599.',
      ],
      ['forwardUrl', target === undefined, target ?? ''],
      [
        'forwardCopies',
        !forward || within(parseCount(draft.forwardCopies), 1, MOST_COPIES),
        `A number from 1 to ${MOST_COPIES}.`,
      ],
      [
        'forwardTimeout',
        !forward || within(parseDuration(draft.forwardTimeout, 's'), 1, 600_000),
        'A time up to 10 minutes, as 30 s.',
      ],
      ['failFirst', within(parseCount(draft.failFirst), 0, 4_294_967_295), 'A number; 0 fails none.'],
      [
        'delay',
        within(parseDuration(draft.delay, 'ms'), 0, 600_000),
        'A time up to 10 minutes, as 500 ms or 2 s.',
      ],
    );
  },
  apply: (settings, draft) =>
    withListen(settings, {
      responder: responderOf(draft),
      forward: forwardOf(settings, draft),
      fail_first: parseCount(draft.failFirst) ?? 0,
      delay_ms: Math.round(parseDuration(draft.delay, 'ms') ?? 0),
      drop: draft.drop,
      answer_challenges: draft.answerChallenges,
    }),
};

function responderOf(draft: ResponderDraft): Responder {
  switch (draft.kind) {
    case 'naive':
      return { kind: 'naive', pause_ms: Math.round(parseDuration(draft.pause, 'ms') ?? 0) };
    case 'status':
      return { kind: 'status', code: parseCount(draft.code) ?? 200 };
    case 'claim':
    case 'forward':
      return { kind: draft.kind };
  }
}

/** What cannot be read of a forwarding that is not in use stays as it was. */
function forwardOf({ listen: { forward } }: Settings, draft: ResponderDraft): Settings['listen']['forward'] {
  const copies = parseCount(draft.forwardCopies);
  const timeout = parseDuration(draft.forwardTimeout, 's');
  return {
    url: draft.forwardUrl.trim(),
    copies: within(copies, 1, MOST_COPIES) && copies !== undefined ? copies : forward.copies,
    valid_only: draft.forwardValidOnly,
    timeout_ms:
      within(timeout, 1, 600_000) && timeout !== undefined ? Math.round(timeout) : forward.timeout_ms,
  };
}
