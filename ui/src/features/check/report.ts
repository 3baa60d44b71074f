import type { CheckReport } from '$bindings/CheckReport';
import type { ScenarioId } from '$bindings/ScenarioId';
import type { ScenarioReport } from '$bindings/ScenarioReport';
import type { Verdict } from '$bindings/Verdict';

/** Where a scenario is, or what it came to. */
export type Standing = Verdict | 'waiting' | 'running' | 'not reached';

/** Where a scenario of a check is. Those that have not begun say nothing yet. */
export function standing(check: CheckReport, scenario: ScenarioReport): Standing {
  if (scenario.verdict !== null) return scenario.verdict;
  if (check.state !== 'running') return 'not reached';
  return scenario.reason === '' ? 'waiting' : 'running';
}

/** How many of a check's scenarios came to what, or stand where. */
export function tally(check: CheckReport): Record<Standing, number> {
  const sums = {
    pass: 0,
    fail: 0,
    warn: 0,
    unknown: 0,
    skipped: 0,
    waiting: 0,
    running: 0,
    'not reached': 0,
  };
  for (const scenario of check.scenarios) sums[standing(check, scenario)] += 1;
  return sums;
}

/** A report that came without time lines keeps those that are held already. */
export function merge(held: CheckReport, next: CheckReport): CheckReport {
  const known = new Map(held.scenarios.map((scenario) => [scenario.id, scenario.traces]));
  return {
    ...next,
    handler_output: next.handler_output ?? held.handler_output,
    scenarios: next.scenarios.map((scenario) => withTraces(scenario, known.get(scenario.id))),
  };
}

/** A check in which one scenario came further. */
export function grown(check: CheckReport, scenario: ScenarioReport): CheckReport {
  return {
    ...check,
    scenarios: check.scenarios.map((held) =>
      held.id === scenario.id ? withTraces(scenario, held.traces) : held,
    ),
  };
}

function withTraces(scenario: ScenarioReport, held: ScenarioReport['traces'] | undefined): ScenarioReport {
  return scenario.traces.length > 0 || held === undefined ? scenario : { ...scenario, traces: held };
}

/** A scenario that two checks judge differently; nothing where one of them did not have it. */
export type Change = { id: ScenarioId; before: Verdict | undefined; after: Verdict | undefined };

/** What changed from an earlier check to a later one, and in how many scenarios nothing did. */
export function changes(before: CheckReport, after: CheckReport): { changed: Change[]; same: number } {
  const earlier = verdicts(before);
  const later = verdicts(after);
  const ids = [...new Set([...later.keys(), ...earlier.keys()])];
  const changed = ids
    .map((id) => ({ id, before: earlier.get(id), after: later.get(id) }))
    .filter((change) => change.before !== change.after);
  return { changed, same: ids.length - changed.length };
}

function verdicts(check: CheckReport): Map<ScenarioId, Verdict> {
  return new Map(check.scenarios.flatMap(({ id, verdict }) => (verdict === null ? [] : [[id, verdict]])));
}
