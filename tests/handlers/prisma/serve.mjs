// The recipe's route on a socket.

import { POST } from "./route.mjs";
import { serve } from "./server.mjs";

serve(POST);
