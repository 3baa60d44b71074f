// Verifies the body as it would write it, not as it came.

import { attempt, effects, inOrder, isSigned, parseObject, serve } from "./sume_handler.mjs";

function verify({ headers, body }) {
  const event = parseObject(body);
  // Fault: JSON.stringify writes another text wherever the sender's spaces, escapes or digits differ from its own.
  return isSigned({ headers, body: event === undefined ? body : Buffer.from(JSON.stringify(event)) });
}

serve(inOrder((delivery) => (effects.claim(delivery.jobId) ? attempt(delivery) : 200), verify));
