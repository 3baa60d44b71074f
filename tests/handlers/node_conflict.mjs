// Works once, and answers every other copy 409 for ever.

import { download, effects, inOrder, serve } from "./sume_handler.mjs";

const atWork = new Set();

serve(
  inOrder(async ({ jobId, event }) => {
    // Fault: to the provider a 409 is a failure, so the job that is done is sent again and again.
    if (atWork.has(jobId) || effects.count(jobId) > 0) return 409;
    atWork.add(jobId);
    try {
      await download(event);
      effects.once(jobId);
    } finally {
      atWork.delete(jobId);
    }
    return 200;
  }),
);
