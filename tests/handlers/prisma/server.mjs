// Puts a route handler on a socket: what Node read becomes a Request with the same bytes, its Response is written back.

import { createServer } from "node:http";
import process from "node:process";
import { parseArgs } from "node:util";
import { prisma } from "./client.mjs";

const EFFECTS = "/effects/";

/** The whole request; throws where its URL or its headers are none. */
async function requestOf(incoming) {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at], incoming.rawHeaders[at + 1]);
  }
  const url = new URL(incoming.url, "http://127.0.0.1");
  return new Request(url, { method: "POST", headers, body: Buffer.concat(chunks) });
}

/** How many rows a job has. */
async function effects(path) {
  let jobId;
  try {
    jobId = decodeURIComponent(path.slice(EFFECTS.length));
  } catch {
    return new Response(null, { status: 400 });
  }
  return Response.json({ count: await prisma.sumeJob.count({ where: { jobId } }) });
}

async function answer(incoming, post) {
  if (incoming.method === "GET" && incoming.url.startsWith(EFFECTS)) return effects(incoming.url);
  if (incoming.method !== "POST") return new Response(null, { status: 405 });
  let request;
  try {
    request = await requestOf(incoming);
  } catch {
    return new Response(null, { status: 400 });
  }
  return post(request);
}

/** Serves until it is ended. `post` is a route handler; what it throws is logged and answered 500, as Next.js does. */
export function serve(post) {
  const server = createServer(async (incoming, outgoing) => {
    const response = await answer(incoming, post).catch((error) => {
      console.error(error);
      return new Response(null, { status: 500 });
    });
    outgoing.statusCode = response.status;
    outgoing.setHeaders(response.headers);
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  const { values } = parseArgs({ options: { port: { type: "string", default: process.env.PORT ?? "0" } } });
  server.listen({ host: "127.0.0.1", port: Number(values.port), backlog: 1024 }, () => {
    console.log(`listening http://127.0.0.1:${server.address().port}`);
  });
}
