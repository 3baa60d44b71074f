import type { AppState } from '$bindings/AppState';
import type { Batch } from '$bindings/Batch';
import type { Delivery } from '$bindings/Delivery';
import type { Event } from '$bindings/Event';
import type { SecretInfo } from '$bindings/SecretInfo';
import type { SignatureReport } from '$bindings/SignatureReport';
import type { Command, Connection, Host, Params, Result } from '$host/host';
import { HostError } from '$host/host';

type Answers = { [C in Command]?: (params: Params<C>) => Result<C> | Promise<Result<C>> };

/** A host for unit tests: answers what it is told, remembers what it was asked, sends events when told. */
export class FakeHost implements Host {
  readonly windowed = false;
  readonly calls: { command: Command; params: unknown }[] = [];
  readonly answers: Answers;
  /** The number from which on events were asked for. */
  from: number | undefined;
  #next = 0;
  #onBatch: ((batch: Batch) => void) | undefined;
  #onState: ((state: Connection) => void) | undefined;

  /** Only where the test puts it. */
  notifications?: (attempt: boolean) => Promise<void>;

  readonly saved: { name: string; bytes: Uint8Array }[] = [];

  save(name: string, bytes: Uint8Array): Promise<string | undefined> {
    this.saved.push({ name, bytes });
    return Promise.resolve(`/downloads/${name}`);
  }

  constructor(answers: Answers = {}) {
    this.answers = {
      'app.state': () => appState(),
      'deliver.runs': () => ({ reports: [] }),
      'sume.watched': () => ({ jobs: [] }),
      'tunnel.command': () => ({ text: 'cloudflared tunnel --url http://127.0.0.1:4400' }),
      ...answers,
    };
  }

  async rpc<C extends Command>(command: C, params: Params<C>): Promise<Result<C>> {
    this.calls.push({ command, params });
    const answer = this.answers[command];
    if (!answer) throw new HostError({ code: 'not-found', message: `The fake does not answer ${command}.` });
    return answer(params);
  }

  subscribe(from: number, onBatch: (batch: Batch) => void, onState: (state: Connection) => void): () => void {
    this.from = from;
    this.#next = from;
    this.#onBatch = onBatch;
    this.#onState = onState;
    onState('live');
    return () => {
      this.#onBatch = undefined;
    };
  }

  send(events: Event[], missed = false): void {
    this.#onBatch?.({ first: this.#next, events, missed });
    this.#next += events.length;
  }

  connection(state: Connection): void {
    this.#onState?.(state);
  }

  asked(command: Command): number {
    return this.calls.filter((call) => call.command === command).length;
  }
}

/** A secret that is kept for Sume. */
export function secretInfo(over: Partial<SecretInfo> = {}): SecretInfo {
  return {
    name: 'sume',
    scheme: 'sume',
    fingerprint: '7f3a',
    throwaway: false,
    kept_in: 'keychain',
    warning: null,
    ...over,
  };
}

/** A start with a throwaway secret; with `secrets` the first of them signs. */
export function appState(over: Partial<AppState> = {}): AppState {
  const [first = null] = over.secrets ?? [];
  const throwaway = secretInfo({ scheme: null, throwaway: true, kept_in: 'memory' });
  return {
    version: '0.1.0',
    listener: { state: 'listening', url: 'http://127.0.0.1:4400', exposed: false },
    settings: {
      listen: {
        host: '127.0.0.1',
        port: 4400,
        responder: { kind: 'claim' },
        forward: { url: '', copies: 1, valid_only: false, timeout_ms: 30_000 },
        fail_first: 0,
        delay_ms: 0,
        drop: false,
        answer_challenges: false,
        id_pointer: '/job_id',
        tolerance_s: 300,
        scheme: 'sume',
      },
      limits: { body_bytes: 10_485_760, head_bytes: 65_536, headers: 256, connections: 1024, idle_s: 30 },
      secrets: {},
      schemes: {
        sume: {
          timestamp_header: 'X-Sume-Timestamp',
          signature_header: 'X-Sume-Signature',
          event_id_header: 'X-Sume-Event-Id',
          tag: 'v1=',
        },
        custom: {
          signed: '{timestamp}.{body}',
          signature_header: 'X-Signature',
          timestamp: { kind: 'header', name: 'X-Timestamp' },
          id_header: '',
          algorithm: 'sha256',
          encoding: 'hex',
          prefix: '',
          separator: ',',
          secret: 'text',
        },
      },
      retention: { deliveries: 200_000, bytes: 2_147_483_648 },
      tunnel: {
        preset: 'cloudflared',
        server: '',
        command: '',
        pattern: 'https?://\\S+',
        path: '/',
        autostart: false,
      },
      sume: { base_url: 'https://api.sume.com/v1', key_name: null, expect_within_s: 90 },
      notify: { duplicates: false, bad_signatures: false, in_front: false },
    },
    tunnel: { state: 'off' },
    sume_key: null,
    secret: over.secrets ? first : throwaway,
    secrets: [throwaway],
    data_folder: '/data',
    next_event: 0,
    claims: 0,
    storage_problem: null,
    settings_problems: [],
    ...over,
  };
}

/** A verdict; valid, unless it is said otherwise. */
export function signature(over: Partial<SignatureReport> = {}): SignatureReport {
  return { state: 'valid', scheme: 'sume', reason: null, hints: [], secret: 'sume', age_s: 0.2, ...over };
}

export function delivery(seq: number, over: Partial<Delivery> = {}): Delivery {
  return {
    seq,
    id: `00000000-0000-7000-8000-${String(seq).padStart(12, '0')}`,
    received_at: '2025-11-29T12:04:31.482000Z',
    method: 'POST',
    path: '/webhooks/sume',
    query: '',
    size: 312,
    signature: signature(),
    event: 'job.completed',
    job_id: `job_${seq}`,
    job_id_type: 'string',
    claim: 'won',
    claim_reason: null,
    duplicate_of: null,
    body_differs: false,
    ended: 'answered',
    expected_size: null,
    status: 204,
    duration_ms: 0.8,
    notes: [],
    pinned: false,
    ...over,
  };
}
