// Verifies with GitHub's own library and claims by insert. No fault; GitHub signs no time, so there is none to look at.

import { verifyFromGitHub } from "../../oracles/providers.mjs";
import { parseObject, serve } from "../sume_handler.mjs";
import { claimed } from "./claimed.mjs";

const secret = process.env.HOOK_SECRET;

/** As the library's middleware: without any of them it looks no further. */
const REQUIRED = ["x-github-event", "x-github-delivery", "x-hub-signature-256"];

serve(async ({ headers, body }) => {
  if (REQUIRED.some((name) => !headers[name])) return 400;
  const signature = headers["x-hub-signature-256"];
  if (!(await verifyFromGitHub(secret, body.toString("utf8"), signature))) return 401;
  const event = parseObject(body);
  return event === undefined ? 400 : claimed(event);
});
