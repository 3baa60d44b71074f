import type { DeliveryDetail } from '$bindings/DeliveryDetail';
import { byteSize, plural } from '$lib/format';
import { claimBadge, otherBadges } from '../badges';
import { micros } from '../detail/gaps';
import { sender } from '../detail/sender';

/** A fact about two deliveries. */
export type Fact = { name: string; first: string; second: string; same: boolean };

/** What is compared beside the headers and the body. */
export function facts(first: DeliveryDetail, second: DeliveryDetail): Fact[] {
  const fact = (name: string, of: (delivery: DeliveryDetail) => string): Fact => {
    const [one, other] = [of(first), of(second)];
    return { name, first: one, second: other, same: one === other };
  };
  return [
    fact('Method', ({ method }) => method),
    fact('Path', ({ path }) => path),
    fact('Query', ({ query }) => query || 'none'),
    fact('HTTP', ({ http_version }) => http_version),
    fact('From', ({ peer }) => host(sender(peer))),
    fact('Event', ({ event }) => event ?? 'none'),
    fact('Job', ({ job_id, job_id_type }) =>
      job_id === null ? 'none' : `${job_id}${job_id_type === 'string' ? '' : ` (${job_id_type})`}`,
    ),
    fact('Signature', ({ signature: { state, reason } }) =>
      reason === null ? state : `${state}: ${reason}`,
    ),
    fact('Claim', (delivery) => claimBadge(delivery).word),
    fact('Answered', ({ status, ended }) =>
      status === null ? (ended === null ? 'not yet' : 'nothing') : `${status}`,
    ),
    fact('Ended', (delivery) => otherEnds(delivery)),
    fact('Body', ({ size }) =>
      size < 1024 ? plural(size, 'byte') : `${plural(size, 'byte')} (${byteSize(size)})`,
    ),
  ];
}

/** How much later the second came, in milliseconds; below zero it came earlier. */
export function timeApart(first: string, second: string): number {
  return (micros(second) - micros(first)) / 1000;
}

/** The port of a sender is another one each time and says nothing. */
function host(from: string): string {
  return from.replace(/:\d+$/, '');
}

/** That a body differs from the winner's is what the comparison shows itself. */
function otherEnds(delivery: DeliveryDetail): string {
  const words = otherBadges(delivery).map(({ word }) => word);
  return words.filter((word) => word !== 'body differs').join(', ') || 'whole';
}
