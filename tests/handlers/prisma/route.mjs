// The recipe: the job's id is the key of its row, and an upsert that updates nothing leaves the first row as it is.

import { Prisma, prisma } from "./client.mjs";
import { read } from "./event.mjs";

/** A route handler as Next.js calls it. */
export async function POST(request) {
  const { jobId, payload, refusal } = await read(request);
  if (refusal) return refusal;
  try {
    await prisma.sumeJob.upsert({ where: { jobId }, create: { jobId, payload }, update: {} });
  } catch (error) {
    // Where Prisma reads before it writes, the copy that comes second is told by the key: its row is there already.
    const isDuplicate = error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
    if (!isDuplicate) throw error;
  }
  return new Response(null, { status: 204 });
}
