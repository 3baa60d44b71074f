// Claims rightly, and looks at no signature.

import { attempt, effects, inOrder, serve } from "./sume_handler.mjs";

// Fault: whoever knows the address can run the effect.
const verify = () => true;

serve(inOrder((delivery) => (effects.claim(delivery.jobId) ? attempt(delivery) : 200), verify));
