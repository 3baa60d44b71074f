import { describe, expect, it } from 'vitest';
import { check, running, scenario, trace, traceCopy, waiting } from '../../test/checks';
import { changes, grown, merge, standing, tally } from './report';

const traces = [trace([traceCopy(0)])];

describe('time lines that are here', () => {
  it('stay when an event comes without them', () => {
    const held = running([scenario('retry', 'pass', { traces }), waiting('concurrent')], {
      handler_output: 'up',
    });
    const later = merge(held, check([scenario('retry', 'pass'), scenario('concurrent', 'fail')]));
    expect(later.scenarios.map((one) => one.traces.length)).toEqual([1, 0]);
    expect([later.state, later.handler_output]).toEqual(['done', 'up']);
    expect(grown(later, scenario('retry', 'warn')).scenarios[0]).toMatchObject({ verdict: 'warn', traces });
  });
});

it('a scenario waits, runs, is done, or was never reached', () => {
  const going = running([waiting('retry'), waiting('concurrent', 'firing'), scenario('race-search', 'pass')]);
  expect(going.scenarios.map((one) => standing(going, one))).toEqual(['waiting', 'running', 'pass']);
  const stopped = { ...going, state: 'stopped' as const };
  expect(tally(stopped)).toMatchObject({ 'not reached': 2, pass: 1, waiting: 0 });
});

it('two checks are told apart by the verdicts that changed', () => {
  const before = check([
    scenario('retry', 'pass'),
    scenario('concurrent', 'fail'),
    scenario('large-body', 'warn'),
  ]);
  const after = check([
    scenario('retry', 'pass'),
    scenario('concurrent', 'pass'),
    scenario('slow-work', 'warn'),
  ]);
  expect(changes(before, after)).toEqual({
    changed: [
      { id: 'concurrent', before: 'fail', after: 'pass' },
      { id: 'slow-work', before: undefined, after: 'warn' },
      { id: 'large-body', before: 'warn', after: undefined },
    ],
    same: 1,
  });
});
