import { expect, it } from 'vitest';
import { holdsDeliveries } from './files';

it.each([
  ['x.har', 'anything: the import says what is wrong with it', true],
  ['X.HAR', '', true],
  ['x.json', '{"log":{"version":"1.2","entries":[]}}', true],
  ['x.json', '\ufeff{\n  "log": {\n    "creator": {}', true],
  ['x.ndjson', '{"type":"delivery","seq":1}', true],
  ['x.json', '{"type":"delivery"}', false],
  ['x.json', '{"event":"job.completed","job_id":"a"}', false],
  ['x.json', '{"log":"a line"}', false],
  ['x.bin', '\u0000\u00ff', false],
  ['x.txt', 'log', false],
])('%s with %j holds deliveries: %s', async (name, text, expected) => {
  expect(await holdsDeliveries(new File([text], name))).toBe(expected);
});
