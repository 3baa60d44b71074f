// Answers 409 while the first copy is at work and 200 when it is done. No fault. A copy that was refused comes again, so
// a failure loses nothing; the effect itself can only run once, whichever instance runs it.

import { download, effects, inOrder, serve } from "./sume_handler.mjs";

const atWork = new Set();

serve(
  inOrder(async ({ jobId, event }) => {
    if (effects.count(jobId) > 0) return 200;
    if (atWork.has(jobId)) return 409;
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
