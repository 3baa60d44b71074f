// Verifies with Stripe's own library and claims by insert. No fault.

import { serve } from "../sume_handler.mjs";
import { claimed } from "./claimed.mjs";
import { withEvent } from "./stripe_event.mjs";

serve(withEvent(claimed));
