import type { PlanSpec } from '$bindings/PlanSpec';
import type { Protocol } from '$bindings/Protocol';
import type { Release } from '$bindings/Release';
import type { Schedule } from '$bindings/Schedule';
import type { Signing } from '$bindings/Signing';
import type { Session } from '$host/session.svelte';
import { toBase64 } from '$lib/bytes';
import { count } from '$lib/format';
import { SUMES } from '$lib/schedule';
import { parseCount, parseDuration, parseNumber, writeDuration } from '$lib/units';
import { Body } from './body.svelte';
import { parseHeaders } from './headers';
import {
  MOST_ATTEMPTS,
  MOST_COPIES,
  MOST_SCALE,
  PRESETS,
  SCHEDULE,
  presetOf,
  type Preset,
  type ReleaseKind,
} from './presets';
import { targetFault } from '$lib/target';
import { Target } from './target.svelte';

/** What is wrong, by field. */
export type Faults = Partial<
  Record<'url' | 'copies' | 'gap' | 'timeout' | 'method' | 'headers' | 'attempts' | 'pause' | 'scale', string>
>;

const DAY_MS = 86_400_000;

/** A firing while it is put together. Numbers are kept as they were typed. */
export class Draft {
  readonly body = new Body();
  readonly target: Target;
  copies = $state('10');
  release = $state<ReleaseKind>('together');
  gap = $state('100 ms');
  timeout = $state('10 s');
  method = $state('POST');
  protocol = $state<Protocol>('auto');
  headers = $state('');
  /** It goes by a schedule, until it is acknowledged, and not as a volley. */
  scheduled = $state(false);
  attempts = $state(String(SUMES.attempts));
  /** From the end of an attempt to the next. */
  pause = $state(writeDuration(SUMES.gap_ms));
  scale = $state('1');
  #signing = $state<Signing>('each');
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
    this.target = new Target(() =>
      session.app?.listener.state === 'listening' ? session.app.listener.url : undefined,
    );
  }

  /** Without a secret nothing can be signed. */
  get signing(): Signing {
    return this.#session.app?.secret ? this.#signing : 'verbatim';
  }

  set signing(next: Signing) {
    this.#signing = next;
  }

  get preset(): Preset | undefined {
    return this.scheduled ? SCHEDULE.value : presetOf(parseCount(this.copies), this.release);
  }

  set preset(value: Preset | undefined) {
    this.scheduled = value === SCHEDULE.value;
    const preset = PRESETS.find((entry) => entry.value === value);
    if (!preset) return;
    this.copies = String(preset.copies);
    this.release = preset.release;
  }

  /** So many copies, released together. */
  volley(copies: number): void {
    this.scheduled = false;
    this.copies = String(copies);
    this.release = 'together';
  }

  readonly faults = $derived.by<Faults>(() => {
    const faults: Faults = {};
    const url = targetFault(this.target.url);
    if (url !== undefined) faults.url = url;
    Object.assign(faults, this.scheduled ? this.#scheduleFaults() : this.#volleyFaults());
    const timeout = parseDuration(this.timeout, 's');
    if (timeout === undefined || timeout < 1) faults.timeout = 'A time of 1 ms or more, as 500 ms or 10 s.';
    if (!/^[A-Za-z]+$/.test(this.method.trim())) faults.method = 'A method, as POST.';
    const { fault } = parseHeaders(this.headers);
    if (fault !== undefined) faults.headers = fault;
    return faults;
  });

  get valid(): boolean {
    return Object.keys(this.faults).length === 0;
  }

  /**
   * Takes a stored delivery: its bytes, its headers, its method, and its path where the listener is the target.
   * False when another body was asked for meanwhile.
   */
  async takeDelivery(seq: number): Promise<boolean> {
    const loaded = await this.body.loadDelivery(this.#session, seq);
    const { source } = this.body;
    if (!loaded || source.kind !== 'delivery') return false;
    this.target.takePath(source.target);
    this.method = source.method;
    return true;
  }

  /** What the engine is asked to do. Only for a draft without faults. */
  plan(): PlanSpec {
    const { source, edited } = this.body;
    const stored = source.kind === 'delivery';
    return {
      url: this.target.url.trim(),
      method: this.method.trim(),
      // A stored delivery that was not edited is sent from the store, byte for byte.
      body_base64: stored && !edited ? '' : toBase64(this.body.current()),
      delivery: stored ? source.seq : null,
      edited: stored && edited,
      headers: parseHeaders(this.headers).headers,
      copies: parseCount(this.copies) ?? 1,
      release: this.#release(),
      signing: this.signing,
      protocol: this.protocol,
      timeout_ms: Math.round(parseDuration(this.timeout, 's') ?? 0),
      allow_host: null,
    };
  }

  /** When, for one that goes by a schedule. Only for a draft without faults. */
  schedule(): Schedule {
    return {
      attempts: parseCount(this.attempts) ?? 1,
      gap_ms: Math.round(parseDuration(this.pause, 's') ?? 0),
      timeout_ms: Math.round(parseDuration(this.timeout, 's') ?? 0),
      time_scale: parseNumber(this.scale) ?? 1,
      stop_on: [],
    };
  }

  #volleyFaults(): Faults {
    const faults: Faults = {};
    const copies = parseCount(this.copies);
    if (copies === undefined || copies < 1 || copies > MOST_COPIES) {
      faults.copies = `A number from 1 to ${count(MOST_COPIES)}.`;
    }
    const gap = parseDuration(this.gap, 'ms');
    if (this.release === 'gap' && (gap === undefined || gap > DAY_MS))
      faults.gap = 'A time, as 100 ms or 2 s.';
    return faults;
  }

  #scheduleFaults(): Faults {
    const faults: Faults = {};
    const attempts = parseCount(this.attempts);
    if (attempts === undefined || attempts < 1 || attempts > MOST_ATTEMPTS)
      faults.attempts = `A number from 1 to ${MOST_ATTEMPTS}.`;
    const pause = parseDuration(this.pause, 's');
    if (pause === undefined || pause > DAY_MS) faults.pause = 'A time, as 30 s.';
    const scale = parseNumber(this.scale);
    if (scale === undefined || scale < 1 || scale > MOST_SCALE)
      faults.scale = `A number from 1 to ${count(MOST_SCALE)}; 60 makes a minute a second.`;
    return faults;
  }

  #release(): Release {
    if (this.release !== 'gap') return { kind: this.release };
    return { kind: 'gap', ms: parseDuration(this.gap, 'ms') ?? 0 };
  }
}
