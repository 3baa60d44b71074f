import type { DeliveryDetail } from '$bindings/DeliveryDetail';
import { Session } from '$host/session.svelte';
import { toBase64 } from '$lib/bytes';
import { expect, it } from 'vitest';
import { delivery, FakeHost } from '../../../test/fake';
import { BodyComparison } from './bodies.svelte';

function detail(seq: number, size: number): DeliveryDetail {
  return {
    ...delivery(seq, { size }),
    headers: [],
    trailers: [],
    http_version: '1.1',
    peer: '127.0.0.1:5000',
    body_sha256: String(seq),
    response_headers: [],
    forward: null,
    response_body: '',
  };
}

it('a body that ends before it should is told, and not asked for again and again', async () => {
  const host = new FakeHost({
    'deliveries.body': ({ offset, length }) => {
      if (host.asked('deliveries.body') > 9) throw new Error('It is asked without an end.');
      const slice = Uint8Array.of(1, 2).subarray(offset, offset + length);
      return { base64: toBase64(slice), offset, total: 5, json_error: null };
    },
  });
  const bodies = new BodyComparison(new Session(host), detail(1, 5), detail(2, 5));
  await bodies.run();
  expect(bodies.error?.message).toBe('The body of #1 ends after 2 of 5 bytes.');
  expect([bodies.result, bodies.working]).toEqual([undefined, false]);
  // Its beginning, and twice what comes after that.
  expect(host.asked('deliveries.body')).toBe(3);
});
