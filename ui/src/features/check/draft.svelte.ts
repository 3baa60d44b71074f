import type { CheckSpec } from '$bindings/CheckSpec';
import type { ScenarioId } from '$bindings/ScenarioId';
import type { Session } from '$host/session.svelte';
import { Remembered } from '$lib/remembered.svelte';
import { targetFault } from '$lib/target';
import { parseCount, parseDuration, writeDuration } from '$lib/units';
import { FRESH, censor, isKept, type Kept, type Texts } from './kept';
import { Probe } from './probe.svelte';
import { pointerFault, type ProbeKind } from './probes';
import { chosen, leftOut } from './scenarios';
import { Template } from './template.svelte';

/** The most instances of one handler that the engine takes. */
export const MOST_URLS = 32;
/** The most copies of a volley that it takes. */
const MOST_COPIES = 200;
const HOUR_MS = 3_600_000;
const MOST_SEED = 2 ** 32 - 1;

/** What is wrong, by field. Those of the targets and of the probes stand with them. */
export type Faults = Partial<Record<keyof Texts | 'secret' | 'probes' | 'body' | 'canary', string>>;

/** A check while it is put together. Numbers and times are kept as they were typed. */
export class Draft {
  urls = $state<string[]>(['']);
  probes = $state<Probe[]>([]);
  readonly template = new Template();
  /** The job that a probe is tried with. */
  tryJob = $state('job_1');
  texts = $state<Texts>({ ...FRESH });
  canary = $state(true);
  leftOut = $state.raw<readonly ScenarioId[]>([]);
  /** Was to be run: what is missing is said from then on. */
  attempted = $state(false);
  /** Something that looks like a secret was not remembered and has to be typed again. */
  censored = $state(false);
  readonly #kept = new Remembered<Kept>('check.form', FRESH, isKept);
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
    const { urls, probes, body, canary, leftOut: out, censored, ...texts } = this.#kept.value;
    this.urls = [...urls];
    this.probes = probes.map(({ kind, values }) => new Probe(kind, values));
    if (body !== null) this.template.write(body);
    this.texts = texts;
    this.canary = canary;
    this.leftOut = out;
    this.censored = censored;
  }

  /** Remembers the form for the next start, without what looks like a secret. Made to be called from an `$effect`. */
  keep(): void {
    const form: Kept = {
      ...this.texts,
      urls: [...this.urls],
      probes: this.probes.map(({ kind, values }) => ({ kind, values: { ...values } })),
      body: this.template.kept,
      canary: this.canary,
      leftOut: [...this.leftOut],
      censored: false,
    };
    const kept = censor(form);
    // What was left out before and was not typed again is still missing.
    this.#kept.value = { ...kept, censored: kept.censored || this.censored };
  }

  add(kind: ProbeKind): Probe {
    const probe = new Probe(kind);
    this.probes.push(probe);
    return probe;
  }

  remove(probe: Probe): void {
    this.probes = this.probes.filter((other) => other !== probe);
  }

  /** Moves a probe up or down by one place; the first one decides. */
  move(probe: Probe, by: 1 | -1): void {
    const at = this.probes.indexOf(probe);
    const other = this.probes[at + by];
    if (at < 0 || !other) return;
    this.probes[at] = other;
    this.probes[at + by] = probe;
  }

  /** Why an instance is no target. */
  urlFault(index: number): string | undefined {
    const url = this.urls[index] ?? '';
    const same = this.urls.findIndex((other) => other.trim() === url.trim());
    if (index > 0 && url.trim() !== '' && same < index) return 'This instance is there already.';
    return targetFault(url);
  }

  readonly faults = $derived.by<Faults>(() => {
    const faults: Faults = {};
    const { idPointer, copies, raceBudget, settle, timeout, seed } = this.texts;
    if (!this.#session.app?.secret)
      faults.secret = 'No secret is set to sign with. Set the one that the handler knows in Settings.';
    if (this.probes.length === 0)
      faults.probes = 'Say how the effect is seen: without it nothing can be told.';
    if (idPointer.trim() === '') faults.idPointer = 'A place in the body, as /job_id.';
    else put(faults, 'idPointer', pointerFault(idPointer.trim()));
    const many = parseCount(copies);
    if (many === undefined || many < 2 || many > MOST_COPIES)
      faults.copies = `A number from 2 to ${MOST_COPIES}.`;
    put(faults, 'raceBudget', timeFault(raceBudget, 's', 0));
    put(faults, 'settle', timeFault(settle, 'ms', 0));
    put(faults, 'timeout', timeFault(timeout, 's', 1));
    const number = parseCount(seed);
    if (seed.trim() !== '' && (number === undefined || number > MOST_SEED))
      faults.seed = 'A whole number, or nothing for another one each time.';
    if (this.template.own && this.template.size === 0)
      faults.body = 'It is empty. Give JSON that has the id, or take the usual body.';
    if (!this.canary && this.probes.some(({ kind }) => kind === 'canary'))
      faults.canary = 'The canary counts the effect, so it cannot be left out of the body.';
    return faults;
  });

  get valid(): boolean {
    return (
      Object.keys(this.faults).length === 0 &&
      this.urls.every((_, index) => this.urlFault(index) === undefined) &&
      this.probes.every((probe) => probe.valid)
    );
  }

  /** A fault as it is shown: what is only missing is not told of before the check was to be run. */
  shown(fault: string | undefined, value: string): string | undefined {
    return this.attempted || value.trim() !== '' ? fault : undefined;
  }

  /** What the engine is asked to do. Only for a draft without faults. */
  spec(): CheckSpec {
    const { idPointer, copies, raceBudget, settle, timeout, startCommand, seed } = this.texts;
    const { only, skip } = chosen(this.leftOut);
    return {
      urls: this.urls.map((url) => url.trim()),
      body_base64: this.template.base64,
      id_pointer: idPointer.trim(),
      copies: parseCount(copies) ?? 20,
      only,
      skip,
      race_budget_ms: Math.round(parseDuration(raceBudget, 's') ?? 0),
      settle_ms: Math.round(parseDuration(settle, 'ms') ?? 0),
      timeout_ms: Math.round(parseDuration(timeout, 's') ?? 0),
      start_command: startCommand.trim() === '' ? null : startCommand.trim(),
      seed: parseCount(seed) ?? null,
      allow_hosts: [],
      canary: this.canary,
      effects: this.probes.map((probe) => probe.spec),
    };
  }

  /** Takes what another check was started with. */
  take(spec: CheckSpec): void {
    this.urls = spec.urls.length > 0 ? [...spec.urls] : [''];
    this.probes = spec.effects.map((effect) => Probe.from(effect));
    this.template.take(spec.body_base64);
    this.texts = {
      idPointer: spec.id_pointer,
      copies: String(spec.copies),
      raceBudget: writeDuration(spec.race_budget_ms),
      settle: writeDuration(spec.settle_ms),
      timeout: writeDuration(spec.timeout_ms),
      startCommand: spec.start_command ?? '',
      seed: spec.seed === null ? '' : String(spec.seed),
    };
    this.canary = spec.canary;
    this.leftOut = leftOut(spec.only, spec.skip);
    this.censored = false;
  }

  /** The commands that a check as it stands here would run on this machine. */
  get commands(): string[] {
    return commandsOf(this.spec());
  }
}

/** The commands that a check runs on this machine: the person sees them before it does. */
export function commandsOf(spec: CheckSpec): string[] {
  const probes = spec.effects.flatMap((effect) => (effect.kind === 'command' ? [effect.command] : []));
  return [spec.start_command ?? '', ...probes].filter((command) => command !== '');
}

function timeFault(text: string, unit: 'ms' | 's', least: number): string | undefined {
  const ms = parseDuration(text, unit);
  return ms === undefined || ms < least || ms > HOUR_MS ? 'A time, as 500 ms or 20 s.' : undefined;
}

function put(faults: Faults, name: keyof Faults, fault: string | undefined): void {
  if (fault !== undefined) faults[name] = fault;
}
