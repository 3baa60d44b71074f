// Claims rightly, and verifies the signatures that come.

import { attempt, effects, inOrder, isSigned, serve } from "./sume_handler.mjs";

// Fault: whoever leaves the header out needs no secret.
const verify = (delivery) => delivery.headers["x-sume-signature"] === undefined || isSigned(delivery);

serve(inOrder((delivery) => (effects.claim(delivery.jobId) ? attempt(delivery) : 200), verify));
