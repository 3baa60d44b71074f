import type { DeliveryDetail } from '$bindings/DeliveryDetail';
import { expect, it } from 'vitest';
import { delivery } from '../../../test/fake';
import { facts } from './overview';

function from(peer: string): DeliveryDetail {
  return {
    ...delivery(1),
    headers: [],
    trailers: [],
    http_version: '1.1',
    peer,
    body_sha256: '',
    response_headers: [],
    forward: null,
    response_body: '',
  };
}

it.each([
  ['127.0.0.1:5001', '127.0.0.1'],
  ['[::1]:5001', '[::1]'],
  // An import that came without it.
  ['0.0.0.0:0', 'not known'],
])('the sender %s is told as %s', (peer, told) => {
  const fact = facts(from(peer), from('10.0.0.7:1')).find(({ name }) => name === 'From');
  expect(fact).toEqual({ name: 'From', first: told, second: '10.0.0.7', same: false });
});
