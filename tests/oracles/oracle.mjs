// Signs and verifies with what is not ours. Its first line says what there is; then it answers a line for each line of
// stdin, both JSON, with bodies in base64, until stdin ends.

import { createInterface } from 'node:readline';
import { libraries } from './libraries.mjs';
import { plain } from './plain.mjs';

const all = [...libraries, ...plain];

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

const answer = async (line) => {
  try {
    const request = JSON.parse(line);
    const one = all.find(({ oracle, scheme }) => oracle === request.oracle && scheme === request.scheme);
    request.body = Buffer.from(request.body, 'base64');
    request.header = (wanted) =>
      request.headers.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
    return request.do === 'sign'
      ? { headers: await one.sign(request) }
      : { valid: await one.verify(request) };
  } catch (error) {
    return { error: String(error.stack ?? error) };
  }
};

say({
  package: 'npm',
  oracles: all.map(({ oracle, version, scheme, bodies, empty, ahead, sign }) => ({
    oracle,
    version: version ?? null,
    scheme,
    bodies,
    empty,
    ahead,
    signs: sign !== undefined,
  })),
});

for await (const line of createInterface({ input: process.stdin })) {
  say(await answer(line));
}
