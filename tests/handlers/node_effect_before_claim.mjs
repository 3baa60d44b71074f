// Works, and then claims to know what to answer.

import { effects, inOrder, serve, work } from "./sume_handler.mjs";

serve(
  inOrder(async (delivery) => {
    await work(delivery);
    // Fault: the claim decides about the answer, and the effect has run.
    return effects.claim(delivery.jobId) ? 201 : 200;
  }),
);
