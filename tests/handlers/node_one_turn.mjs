// Looks first and inserts one turn of the event loop later: the smallest window that a Node handler can have. Only
// deliveries whose last bytes, or whose artifact's, are read in the same turn get through it.

import { setImmediate } from "node:timers/promises";
import { download, effects, inOrder, serve } from "./sume_handler.mjs";

serve(
  inOrder(async ({ jobId, event }) => {
    await download(event);
    if (effects.count(jobId) > 0) return 200;
    await setImmediate();
    effects.run(jobId);
    return 200;
  }),
);
