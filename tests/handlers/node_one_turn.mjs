// Looks first and inserts one turn of the event loop later: the smallest window that a Node handler can have. Only
// deliveries whose last bytes are read in the same turn get through it.

import { setImmediate } from "node:timers/promises";
import { effects, serve } from "./sume_handler.mjs";

serve(async (jobId) => {
  if (effects.count(jobId) > 0) return 200;
  await setImmediate();
  effects.run(jobId);
  return 200;
});
