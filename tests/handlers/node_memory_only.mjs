// Remembers what it has seen in its memory.

import { inOrder, serve, work } from "./sume_handler.mjs";

// Fault: another instance knows nothing of it, and neither does the next start.
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
    return 200;
  }),
);
