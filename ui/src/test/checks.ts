import type { CheckReport } from '$bindings/CheckReport';
import type { CheckSpec } from '$bindings/CheckSpec';
import type { Overall } from '$bindings/Overall';
import type { ScenarioId } from '$bindings/ScenarioId';
import type { ScenarioReport } from '$bindings/ScenarioReport';
import type { Trace } from '$bindings/Trace';
import type { TraceCopy } from '$bindings/TraceCopy';
import type { Verdict } from '$bindings/Verdict';

export function checkSpec(over: Partial<CheckSpec> = {}): CheckSpec {
  return {
    urls: ['http://localhost:3000/webhooks/sume'],
    body_base64: null,
    id_pointer: '/job_id',
    copies: 20,
    only: [],
    skip: [],
    race_budget_ms: 20_000,
    settle_ms: 500,
    timeout_ms: 10_000,
    start_command: null,
    seed: 7,
    allow_hosts: [],
    canary: true,
    effects: [{ kind: 'url', url: 'http://localhost:3000/effects/{job_id}', pointer: '/count' }],
    ...over,
  };
}

/** A copy that was answered 200 two milliseconds after it was sent. */
export function traceCopy(sent: number, over: Partial<TraceCopy> = {}): TraceCopy {
  return {
    instance: 1,
    label: '',
    sent_ms: sent,
    first_byte_ms: sent + 1.8,
    done_ms: sent + 2,
    status: 200,
    outcome: 'answered',
    error: null,
    ...over,
  };
}

export function trace(copies: TraceCopy[], over: Partial<Trace> = {}): Trace {
  return { job_id: 'job_1', label: '', copies, marks: [], effects: 1, ...over };
}

/** A scenario that waits. */
export function waiting(id: ScenarioId, reason = ''): ScenarioReport {
  return {
    id,
    verdict: null,
    reason,
    expected_effects: null,
    observed_effects: null,
    statuses: {},
    evidence: [],
    advice: null,
    repro: null,
    notes: [],
    duration_ms: null,
    traces: [],
  };
}

/** A scenario that is done. */
export function scenario(
  id: ScenarioId,
  verdict: Verdict,
  over: Partial<ScenarioReport> = {},
): ScenarioReport {
  return {
    ...waiting(id),
    verdict,
    reason: `It is a ${verdict}.`,
    expected_effects: 1,
    observed_effects: 1,
    statuses: { 200: 4 },
    evidence: [{ probe: 'url', count: 1, error: null }],
    duration_ms: 812,
    ...over,
  };
}

function overall(scenarios: readonly ScenarioReport[]): Overall {
  const of = (verdict: Verdict) => scenarios.filter((one) => one.verdict === verdict).map(({ id }) => id);
  const [failed, unknown] = [of('fail'), of('unknown')];
  return {
    verdict: failed.length > 0 ? 'fail' : unknown.length > 0 ? 'unknown' : 'pass',
    passed: of('pass'),
    failed,
    warned: of('warn'),
    unknown,
    skipped: of('skipped'),
  };
}

/** A check of these scenarios that has ended. */
export function check(scenarios: ScenarioReport[], over: Partial<CheckReport> = {}): CheckReport {
  return {
    id: 'check-1',
    version: '0.1.0',
    started_at: '2025-11-29T12:04:31.482000Z',
    duration_s: 27.4,
    state: 'done',
    spec: checkSpec(),
    scheme: 'sume',
    command: 'hooktwice check --url http://localhost:3000/webhooks/sume',
    facts: {
      answer_ms: 2.1,
      work_ms: 3,
      effect_ms: 3.4,
      settle_ms: 500,
      fetches_artifact: true,
      one_at_a_time: false,
      volleys: 12,
      pairs: 340,
      deliveries: 1204,
    },
    scenarios,
    overall: overall(scenarios),
    handler_output: null,
    error: null,
    ...over,
  };
}

/** A check of these scenarios that is on its way. */
export function running(scenarios: ScenarioReport[], over: Partial<CheckReport> = {}): CheckReport {
  return check(scenarios, { state: 'running', duration_s: null, overall: null, ...over });
}
