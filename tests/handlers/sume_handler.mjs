// What the Node sample handlers share: the socket, Sume's signature, the effects and the question how often one ran.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { parseArgs } from "node:util";

const TOLERANCE_S = 300;
const EFFECTS = "/effects/";
const CHUNK = 64 * 1024;

/** Makes a file, unless it exists. Whoever makes it is the only one, in this process and in all others. */
function create(file) {
  try {
    closeSync(openSync(file, "wx"));
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/**
 * The effects that ran: a JSON string a line in a file, and a file for each that can only run once. Several instances
 * may stand on one file, and a second start knows what the first one did.
 */
class Effects {
  #file;
  #folder;
  #read;
  #chunk = Buffer.alloc(CHUNK);
  #offset = 0;
  #rest = Buffer.alloc(0);
  #counts = new Map();

  constructor(file) {
    this.#file = file;
    this.#folder = `${file}.keys`;
    mkdirSync(this.#folder, { recursive: true });
    appendFileSync(file, "");
    this.#read = openSync(file, "r");
  }

  /** How often the effect of a job ran, in any instance. */
  count(jobId) {
    this.#catchUp();
    return (this.#counts.get(jobId) ?? 0) + (existsSync(this.#key("once", jobId)) ? 1 : 0);
  }

  /** Runs it. Nothing else happens in this process meanwhile, since it does not wait. */
  run(jobId) {
    appendFileSync(this.#file, `${JSON.stringify(jobId)}\n`);
  }

  /** Runs it, unless it ran: the effect is the file, and the system makes a file once. */
  once(jobId) {
    create(this.#key("once", jobId));
  }

  /** Whether this call is the first that claims the key. */
  claim(key) {
    return create(this.#key("claim", key));
  }

  /** Gives a claim back, so that the next attempt can have it. */
  release(key) {
    rmSync(this.#key("claim", key), { force: true });
  }

  /** A file's name for any text; a digest, since a name cannot hold every id. */
  #key(kind, text) {
    return `${this.#folder}/${kind}-${createHash("sha256").update(text).digest("hex")}`;
  }

  /** Reads the lines that were added since. */
  #catchUp() {
    for (;;) {
      const length = readSync(this.#read, this.#chunk, 0, CHUNK, this.#offset);
      if (length === 0) return;
      this.#offset += length;
      const lines = Buffer.concat([this.#rest, this.#chunk.subarray(0, length)]);
      const end = lines.lastIndexOf("\n") + 1;
      this.#rest = lines.subarray(end);
      for (const line of lines.subarray(0, end).toString("utf8").split("\n")) {
        if (line === "") continue;
        const jobId = JSON.parse(line);
        this.#counts.set(jobId, (this.#counts.get(jobId) ?? 0) + 1);
      }
    }
  }
}

/** This handler's effects. */
export const effects = new Effects(process.env.HOOK_STORE);

const secret = process.env.HOOK_SECRET;
if (!secret) throw new Error("HOOK_SECRET is not set; give the secret that deliveries are signed with");

/** Whether Sume signed these bytes with this secret within the tolerance. */
export function isSigned({ headers, body }) {
  const timestamp = headers["x-sume-timestamp"] ?? "";
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
  const expected = Buffer.from(`v1=${digest}`);
  // Bytes of equal length, since timingSafeEqual throws on anything else.
  const given = Buffer.from(headers["x-sume-signature"] ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The event of a body, or nothing when it is not a JSON object. */
export function parseObject(body) {
  try {
    const value = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The first half of the work: fetches the event's first artifact whole, if it names one. */
export async function download(event) {
  const url = event.artifacts?.[0]?.url;
  if (typeof url !== "string") return;
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`${url} was answered ${answer.status}`);
  await answer.arrayBuffer();
}

/** The whole work: the download, then the effect. */
export async function work({ jobId, event }) {
  await download(event);
  effects.run(jobId);
}

/** The work under a claim: when it fails the claim goes back, and the next attempt can run it. */
export async function attempt(delivery) {
  try {
    await work(delivery);
  } catch {
    effects.release(delivery.jobId);
    return 500;
  }
  return 200;
}

/** The download, and then the effect where it has not run: right over crashes and instances. */
export async function workOnce({ jobId, event }) {
  if (effects.count(jobId) > 0) return 200;
  await download(event);
  effects.once(jobId);
  return 200;
}

/**
 * Decides as Sume asks for it: verify, then parse, then the job. `deliver({ jobId, event, headers, body })` decides about
 * a signed event with a job id and resolves to the status.
 */
export function inOrder(deliver, verify = isSigned) {
  return async (delivery) => {
    // The signature comes first, so that a forged body cannot use up a real job's id.
    if (!verify(delivery)) return 401;
    const event = parseObject(delivery.body);
    if (event === undefined) return 400;
    const jobId = event.job_id;
    if (typeof jobId !== "string" || jobId === "") return 200;
    return deliver({ ...delivery, jobId, event });
  };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Serves until it is ended. `decide({ headers, body })` resolves to the status, and what it throws is answered 500.
 * `headers` go with every answer to a delivery.
 */
export function serve(decide, headers = {}) {
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
    response.setHeaders(new Headers(headers));
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      decide({ headers: request.headers, body: Buffer.concat(chunks) }).then(answer, (error) => {
        console.error(`${error.name}: ${error.message}`);
        answer(500);
      });
    });
  });

  const { values } = parseArgs({ options: { port: { type: "string", default: process.env.PORT ?? "0" } } });
  server.listen({ host: "127.0.0.1", port: Number(values.port), backlog: 1024 }, () => {
    console.log(`listening http://127.0.0.1:${server.address().port}`);
  });
}
