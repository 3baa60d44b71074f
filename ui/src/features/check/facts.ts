import type { HandlerFacts } from '$bindings/HandlerFacts';
import { count, duration } from '$lib/format';

/** Something that was measured of the handler. */
export type Fact = { label: string; value: string; title: string };

/** What is known of a handler so far. */
export function factsOf(facts: HandlerFacts): Fact[] {
  const shown: Fact[] = [];
  const add = (label: string, value: string | undefined, title: string) => {
    if (value !== undefined) shown.push({ label, value, title });
  };
  add(
    'to its answer',
    time(facts.answer_ms),
    'From a delivery to its answer: of the first, then the middle of some',
  );
  add('to its effect', time(facts.effect_ms), 'From the first delivery until its effect was seen');
  add(
    'to its later work',
    time(facts.work_ms),
    'From a delivery to its effect, where that came after the answer',
  );
  add('counts settle in', time(facts.settle_ms), 'How long a count has to be still before it is taken');
  add(
    'fetches the artifact',
    yesNo(facts.fetches_artifact),
    'Without it the work can be neither slowed nor failed',
  );
  add(
    'one at a time',
    yesNo(facts.one_at_a_time),
    'Whether it takes one delivery only when the one before is done',
  );
  add('deliveries', some(facts.deliveries), 'That were sent, over all scenarios');
  add('volleys', some(facts.volleys), 'Copies of one job, released together');
  add('pairs', some(facts.pairs), 'Two copies of one job, a set time apart');
  return shown;
}

/** A report of an earlier version may not have it. */
function time(ms: number | null | undefined): string | undefined {
  return ms == null ? undefined : duration(ms);
}

function yesNo(fact: boolean | null): string | undefined {
  return fact === null ? undefined : fact ? 'yes' : 'no';
}

function some(number: number): string | undefined {
  return number === 0 ? undefined : count(number);
}
