// Reads a delivery the way the web's standards see it: a Request comes in, and an event, or the refusal, goes out.

import process from "node:process";

const TOLERANCE_S = 300;

const secret = process.env.HOOK_SECRET;
if (!secret) throw new Error("HOOK_SECRET is not set; give the secret that deliveries are signed with");
const key = await crypto.subtle.importKey(
  "raw",
  new TextEncoder().encode(secret),
  { name: "HMAC", hash: "SHA-256" },
  false,
  ["verify"],
);

/** Whether Sume signed these bytes within the tolerance. The comparison is WebCrypto's, in constant time. */
async function isSigned(headers, body) {
  const timestamp = headers.get("x-sume-timestamp") ?? "";
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const digest = /^v1=([0-9a-f]{64})$/.exec(headers.get("x-sume-signature") ?? "");
  if (digest === null) return false;
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  return crypto.subtle.verify("HMAC", key, Buffer.from(digest[1], "hex"), signed);
}

/**
 * Verifies first and reads second, so that a forged body gets nowhere near the database.
 * Gives `{ jobId, payload }`, or `{ refusal }`, a Response: 401 where Sume did not sign it, 400 where it is not a JSON
 * object, 204 where it is about no job.
 */
export async function read(request) {
  const body = new Uint8Array(await request.arrayBuffer());
  if (!(await isSigned(request.headers, body))) return { refusal: new Response(null, { status: 401 }) };
  let payload, event;
  try {
    payload = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    event = JSON.parse(payload);
  } catch {
    return { refusal: new Response(null, { status: 400 }) };
  }
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    return { refusal: new Response(null, { status: 400 }) };
  }
  const jobId = event.job_id;
  // Sume's webhook.test has none.
  if (typeof jobId !== "string" || jobId === "") return { refusal: new Response(null, { status: 204 }) };
  return { jobId, payload };
}
