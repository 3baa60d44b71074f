// Looks first and inserts after an await, as a handler does that asks its database in between. Every delivery that
// comes within the wait finds nothing either.

import { setTimeout } from "node:timers/promises";
import { download, effects, inOrder, serve } from "./sume_handler.mjs";

serve(
  inOrder(async ({ jobId, event }) => {
    await download(event);
    if (effects.count(jobId) > 0) return 200;
    await setTimeout(3);
    effects.run(jobId);
    return 200;
  }),
);
