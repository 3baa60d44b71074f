// Remembers a job while it is at work and for a second after.

import { inOrder, serve, work } from "./sume_handler.mjs";

const REMEMBERED_MS = 1000;
const seen = new Set();

serve(
  inOrder(async (delivery) => {
    if (seen.has(delivery.jobId)) return 200;
    seen.add(delivery.jobId);
    try {
      await work(delivery);
    } catch {
      seen.delete(delivery.jobId);
      return 500;
    }
    // Fault: a provider's retry comes later than this, and a redelivery days later.
    setTimeout(() => seen.delete(delivery.jobId), REMEMBERED_MS);
    return 200;
  }),
);
