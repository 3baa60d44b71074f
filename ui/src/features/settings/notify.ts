import { rules, type Section } from './sections';

export type NotifyDraft = { duplicates: boolean; badSignatures: boolean; inFront: boolean };

export const notifySection: Section<NotifyDraft> = {
  read: ({ notify }) => ({
    duplicates: notify.duplicates,
    badSignatures: notify.bad_signatures,
    inFront: notify.in_front,
  }),
  check: () => rules<NotifyDraft>(),
  apply: (settings, { duplicates, badSignatures, inFront }) => ({
    ...settings,
    notify: { duplicates, bad_signatures: badSignatures, in_front: inFront },
  }),
};
