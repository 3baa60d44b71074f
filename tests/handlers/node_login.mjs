// Stands behind a login page: every delivery is sent there.

import { serve } from "./sume_handler.mjs";

// Fault: a delivery does not log in, and following the redirect would turn it into a GET without its body.
serve(async () => 302, { Location: "/login" });
