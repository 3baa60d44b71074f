import { targetFault } from '$lib/target';
import { writeDuration } from '$lib/units';
import { rules, seconds, wholeSeconds, type Section } from './sections';

export type SumeDraft = { baseUrl: string; within: string };

export const sumeSection: Section<SumeDraft> = {
  read: ({ sume }) => ({
    baseUrl: sume.base_url,
    within: writeDuration(sume.expect_within_s * 1000),
  }),
  check: ({ baseUrl, within }) =>
    rules<SumeDraft>(
      ['baseUrl', targetFault(baseUrl) === undefined, 'A URL, as https://api.sume.com/v1.'],
      ['within', wholeSeconds(within, 1), 'Whole seconds, 1 or more, as 90 s or 5 min.'],
    ),
  apply: (settings, { baseUrl, within }) => ({
    ...settings,
    sume: {
      ...settings.sume,
      base_url: baseUrl.trim().replace(/\/+$/, ''),
      expect_within_s: seconds(within),
    },
  }),
};
