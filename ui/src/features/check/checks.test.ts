import { HostError } from '$host/host';
import { Session } from '$host/session.svelte';
import { expect, it } from 'vitest';
import { check, running, scenario, trace, traceCopy, waiting } from '../../test/checks';
import { FakeHost } from '../../test/fake';
import { Checks } from './checks.svelte';

async function over(answers: ConstructorParameters<typeof FakeHost>[0] = {}) {
  const host = new FakeHost({
    'deliveries.counts': () => ({ all: 0, duplicates: 0, bad_signature: 0, failed: 0 }),
    'check.runs': () => ({ checks: [] }),
    ...answers,
  });
  const session = new Session(host);
  await session.start();
  const checks = new Checks(session);
  checks.follow();
  return { host, checks };
}

const traces = [trace([traceCopy(0)])];

it('saves a report under a name that says which and when', async () => {
  const { host, checks } = await over({ 'check.report': ({ format }) => ({ text: `<${format}>` }) });
  for (const format of ['html', 'markdown', 'junit', 'json'] as const) await checks.save(check([]), format);
  expect(host.saved.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)])).toEqual([
    ['hooktwice-check-20251129-120431.html', '<html>'],
    ['hooktwice-check-20251129-120431.md', '<markdown>'],
    ['hooktwice-check-20251129-120431.xml', '<junit>'],
    ['hooktwice-check-20251129-120431.json', '<json>'],
  ]);
  expect(checks.said).toBe('Saved in /downloads/hooktwice-check-20251129-120431.json');
});

it('says why a report is not saved', async () => {
  const { host, checks } = await over();
  host.answers['check.report'] = () => {
    throw new HostError({ code: 'not-found', message: 'It is gone.' });
  };
  await checks.save(check([]), 'html');
  expect([checks.error?.message, checks.said]).toEqual(['It is gone.', '']);
});

it('asks for time lines once, and again when the check is over', async () => {
  const light = running([scenario('retry', 'pass'), waiting('concurrent', 'firing')]);
  const { host, checks } = await over({ 'check.start': () => light, 'check.run': () => light });
  await checks.start(light.spec);
  await checks.look('concurrent');
  expect(host.asked('check.run')).toBe(0);
  await checks.look('retry');
  await checks.look('retry');
  expect(host.asked('check.run')).toBe(1);

  host.send([{ type: 'check', check: check([scenario('retry', 'pass'), scenario('concurrent', 'pass')]) }]);
  host.answers['check.run'] = () =>
    check([scenario('retry', 'pass', { traces }), scenario('concurrent', 'pass')]);
  await checks.look('retry');
  expect(checks.shown?.scenarios[0]?.traces).toEqual(traces);
  await checks.look('concurrent');
  expect(host.asked('check.run')).toBe(2);
});

it('what came meanwhile is newer than the time lines that were asked for', async () => {
  const begun = running([scenario('retry', 'pass'), waiting('concurrent', 'firing')]);
  const { host, checks } = await over({ 'check.start': () => begun });
  await checks.start(begun.spec);
  host.answers['check.run'] = () => {
    host.send([{ type: 'scenario', check: 'check-1', scenario: scenario('concurrent', 'fail') }]);
    return running([scenario('retry', 'pass', { traces }), waiting('concurrent', 'firing')]);
  };
  await checks.look('retry');
  expect(checks.shown?.scenarios.map(({ verdict, traces: of }) => [verdict, of.length])).toEqual([
    ['pass', 1],
    ['fail', 0],
  ]);
});

it('asks again for what it missed', async () => {
  const begun = running([waiting('retry')]);
  const { host, checks } = await over({ 'check.start': () => begun });
  await checks.start(begun.spec);
  host.answers['check.run'] = () => check([scenario('retry', 'fail')]);
  host.send([], true);
  await expect.poll(() => checks.shown?.state).toBe('done');
});
