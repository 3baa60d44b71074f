// What the Node sample handlers share: the socket, Sume's signature, the effects and the question how often one ran.

import { createHmac, timingSafeEqual } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { parseArgs } from "node:util";

const TOLERANCE_S = 300;
const EFFECTS = "/effects/";

/** The effects that ran: a JSON string a line in a file, so that a second start knows what the first one did. */
class Effects {
  #file;
  #counts = new Map();

  constructor(file) {
    this.#file = file;
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, "utf8").split("\n")) {
      if (line !== "") this.#add(JSON.parse(line));
    }
  }

  /** How often the effect of a job ran. */
  count(jobId) {
    return this.#counts.get(jobId) ?? 0;
  }

  /** Runs it. Nothing else happens between the file and the count, since neither waits. */
  run(jobId) {
    appendFileSync(this.#file, `${JSON.stringify(jobId)}\n`);
    this.#add(jobId);
  }

  #add(jobId) {
    this.#counts.set(jobId, this.count(jobId) + 1);
  }
}

/** This handler's effects. */
export const effects = new Effects(process.env.HOOK_STORE);

/** Whether Sume signed these bytes with this secret within the tolerance. */
function isSigned(headers, body, secret, nowSeconds) {
  const timestamp = headers["x-sume-timestamp"] ?? "";
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_S) return false;
  const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
  const expected = Buffer.from(`v1=${digest}`);
  // Bytes of equal length, since timingSafeEqual throws on anything else.
  const given = Buffer.from(headers["x-sume-signature"] ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parseObject(body) {
  try {
    const value = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Serves until it is ended. `deliver(jobId, event)` decides about a signed event and resolves to the status. */
export function serve(deliver) {
  const secret = process.env.HOOK_SECRET;
  if (!secret) throw new Error("HOOK_SECRET is not set; give the secret that deliveries are signed with");

  async function decide(headers, body) {
    // The signature comes first, so that a forged body cannot use up a real job's id.
    if (!isSigned(headers, body, secret, Date.now() / 1000)) return 401;
    const event = parseObject(body);
    if (event === undefined) return 400;
    const jobId = event.job_id;
    if (typeof jobId !== "string" || jobId === "") return 200;
    return deliver(jobId, event);
  }

  const server = createServer((request, response) => {
    const answer = (status, value) => {
      response.statusCode = status;
      response.end(value === undefined ? undefined : JSON.stringify(value));
    };
    if (request.method === "GET" && request.url.startsWith(EFFECTS)) {
      const jobId = decode(request.url.slice(EFFECTS.length));
      return jobId === undefined ? answer(400) : answer(200, { count: effects.count(jobId) });
    }
    if (request.method !== "POST") return answer(404);
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      decide(request.headers, Buffer.concat(chunks)).then(answer, () => answer(500));
    });
  });

  const { values } = parseArgs({ options: { port: { type: "string", default: process.env.PORT ?? "0" } } });
  server.listen({ host: "127.0.0.1", port: Number(values.port), backlog: 1024 }, () => {
    console.log(`listening http://127.0.0.1:${server.address().port}`);
  });
}
