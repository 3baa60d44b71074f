// Copies wait for the first one and answer as it does. No fault. When the work fails all of them are answered 500 and
// the next copy works; the effect itself can only run once, whichever instance runs it.

import { inOrder, serve, workOnce } from "./sume_handler.mjs";

const atWork = new Map();

serve(
  inOrder(({ jobId, event }) => {
    const first = atWork.get(jobId);
    if (first) return first;
    const work = workOnce({ jobId, event }).finally(() => atWork.delete(jobId));
    atWork.set(jobId, work);
    return work;
  }),
);
