// Verifies with Stripe's own library, looks whether the job was done, and takes 3 ms before it does it: deliveries that
// come within them find nothing either.

import { setTimeout } from "node:timers/promises";
import { effects, serve } from "../sume_handler.mjs";
import { withEvent } from "./stripe_event.mjs";

serve(
  withEvent(async ({ job_id: jobId }) => {
    if (typeof jobId !== "string" || effects.count(jobId) > 0) return 200;
    await setTimeout(3);
    effects.run(jobId);
    return 200;
  }),
);
