// Works once, and takes it for granted that a signed body is JSON.

import { isSigned, serve, workOnce } from "./sume_handler.mjs";

async function decide({ headers, body }) {
  if (!isSigned({ headers, body })) return 401;
  return new Promise((resolve) => {
    // Fault: JSON.parse throws, and what a callback throws ends the process.
    setImmediate(() => {
      const event = JSON.parse(body.toString("utf8"));
      const jobId = event?.job_id;
      if (typeof jobId !== "string" || jobId === "") return resolve(200);
      return resolve(workOnce({ jobId, event }));
    });
  });
}

serve(decide);
