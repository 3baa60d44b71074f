// What follows once a provider's library has said yes.

import { attempt, effects } from "../sume_handler.mjs";

/** Claims by insert, and works only under the claim. `event` is verified and parsed. */
export async function claimed(event) {
  const jobId = event?.job_id;
  if (typeof jobId !== "string" || jobId === "") return 200;
  if (!effects.claim(jobId)) return 200;
  return attempt({ jobId, event });
}
