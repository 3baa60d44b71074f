// Looks before it writes and lets the key's error out: the row is made once, and a copy that lost the race is a 500.

import { prisma } from "./client.mjs";
import { read } from "./event.mjs";
import { serve } from "./server.mjs";

serve(async (request) => {
  const { jobId, payload, refusal } = await read(request);
  if (refusal) return refusal;
  const known = await prisma.sumeJob.findUnique({ where: { jobId } });
  if (known === null) await prisma.sumeJob.create({ data: { jobId, payload } });
  return new Response(null, { status: 204 });
});
