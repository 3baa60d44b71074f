import type { Command } from '$lib/commands.svelte';
import type { Actions } from './actions.svelte';
import type { Deliveries } from './deliveries.svelte';
import type { Exchange } from './exchange/exchange.svelte';
import type { Hands } from './hands.svelte';

/** What the palette offers on the Inbox: first what can be done with the delivery that is selected. */
export function commands(list: Deliveries, actions: Actions, exchange: Exchange, hands: Hands): Command[] {
  const { selected } = list;
  const own = selected ? actions.items(selected) : [];
  return [
    ...own.map(({ label, key, disabled, run }) => ({
      label: `#${selected?.seq}: ${label}`,
      ...(key === undefined ? {} : { key }),
      disabled: disabled ?? false,
      run,
    })),
    { label: 'Filter the list', key: '/', run: () => hands.focusFilter() },
    ...(list.query === ''
      ? []
      : [{ label: 'Clear the filter and its chip', run: () => list.filterBy('', 'all') }]),
    list.following
      ? { label: 'Hold the list', key: 'Space', run: () => list.hold() }
      : { label: 'Follow the newest', key: 'Space', run: () => hands.follow() },
    ...exchange.items(list.query, list.length),
  ];
}
