import type { DeliveryCounts } from '$bindings/DeliveryCounts';
import { joined } from './facets/terms';

/** The quick filters beside the box: what each adds to the text, and which count it shows. */
export const CHIPS = [
  { chip: 'all', label: 'All', term: '', count: 'all' },
  { chip: 'duplicates', label: 'Duplicates', term: 'is:duplicate', count: 'duplicates' },
  { chip: 'bad-signature', label: 'Bad signature', term: 'is:bad-signature', count: 'bad_signature' },
  { chip: 'failed', label: 'Failed', term: 'is:failed', count: 'failed' },
] as const satisfies readonly { chip: string; label: string; term: string; count: keyof DeliveryCounts }[];

export type Chip = (typeof CHIPS)[number]['chip'];

/** The text that is asked for: what was typed, narrowed by the chip. */
export function narrowed(text: string, chip: Chip): string {
  return joined(text, CHIPS.find((entry) => entry.chip === chip)?.term ?? '');
}
