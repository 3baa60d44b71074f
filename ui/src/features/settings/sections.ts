import type { ListenSettings } from '$bindings/ListenSettings';
import type { Settings } from '$bindings/Settings';
import { count } from '$lib/format';
import { parseCount, parseDuration, parseSize, writeDuration, writeSize } from '$lib/units';

/** What is wrong, by field. */
export type Faults<D> = Partial<Record<keyof D, string>>;

/** A part of the settings that is edited and saved on its own. What is typed is kept as text. */
export type Section<D> = {
  read(settings: Settings): D;
  check(draft: D): Faults<D>;
  /** The settings with this part as it was typed; only for a draft without faults. */
  apply(settings: Settings, draft: D): Settings;
};

/** The rules are the engine's; they are said here beside the field, before anything is sent. */
export function rules<D>(...found: [keyof D, boolean, string][]): Faults<D> {
  const faults: Faults<D> = {};
  for (const [field, ok, wanted] of found) if (!ok) faults[field] = wanted;
  return faults;
}

const within = (value: number | undefined, least: number, most: number) =>
  value !== undefined && value >= least && value <= most;

/** Whether an address is this machine's own, as far as its text tells. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host.trim());
}

export type ListenerDraft = { host: string; port: string; idPointer: string; tolerance: string };

export const listenerSection: Section<ListenerDraft> = {
  read: ({ listen }) => ({
    host: listen.host,
    port: String(listen.port),
    idPointer: listen.id_pointer,
    tolerance: writeDuration(listen.tolerance_s * 1000),
  }),
  check: (draft) =>
    rules<ListenerDraft>(
      ['host', draft.host.trim() !== '', 'An address or a name, as 127.0.0.1.'],
      ['port', within(parseCount(draft.port), 0, 65_535), 'A port from 1 to 65535, or 0 for any free one.'],
      [
        'idPointer',
        draft.idPointer === '' || draft.idPointer.startsWith('/'),
        'A JSON pointer, as /job_id or /data/job/id.',
      ],
      ['tolerance', wholeSeconds(draft.tolerance, 1), 'Whole seconds, 1 or more, as 300 s or 5 min.'],
    ),
  apply: (settings, draft) =>
    withListen(settings, {
      host: draft.host.trim(),
      port: parseCount(draft.port) ?? 0,
      id_pointer: draft.idPointer,
      tolerance_s: seconds(draft.tolerance),
    }),
};

export type ResponderDraft = {
  kind: 'claim' | 'naive' | 'status';
  pause: string;
  code: string;
  failFirst: string;
  delay: string;
  drop: boolean;
  answerChallenges: boolean;
};

export const responderSection: Section<ResponderDraft> = {
  read: ({ listen }) => ({
    kind: listen.responder.kind,
    pause: writeDuration(listen.responder.kind === 'naive' ? listen.responder.pause_ms : 20),
    code: String(listen.responder.kind === 'status' ? listen.responder.code : 200),
    failFirst: String(listen.fail_first),
    delay: writeDuration(listen.delay_ms),
    drop: listen.drop,
    answerChallenges: listen.answer_challenges,
  }),
  check: (draft) =>
    rules<ResponderDraft>(
      [
        'pause',
        draft.kind !== 'naive' || within(parseDuration(draft.pause, 'ms'), 0, 60_000),
        'A time up to a minute, as 20 ms.',
      ],
      [
        'code',
        draft.kind !== 'status' || within(parseCount(draft.code), 200, 599),
        'A status from 200 to 599.',
      ],
      ['failFirst', within(parseCount(draft.failFirst), 0, 4_294_967_295), 'A number; 0 fails none.'],
      [
        'delay',
        within(parseDuration(draft.delay, 'ms'), 0, 600_000),
        'A time up to 10 minutes, as 500 ms or 2 s.',
      ],
    ),
  apply: (settings, draft) =>
    withListen(settings, {
      responder:
        draft.kind === 'naive'
          ? { kind: 'naive', pause_ms: Math.round(parseDuration(draft.pause, 'ms') ?? 0) }
          : draft.kind === 'status'
            ? { kind: 'status', code: parseCount(draft.code) ?? 200 }
            : { kind: 'claim' },
      fail_first: parseCount(draft.failFirst) ?? 0,
      delay_ms: Math.round(parseDuration(draft.delay, 'ms') ?? 0),
      drop: draft.drop,
      answer_challenges: draft.answerChallenges,
    }),
};

export type LimitsDraft = {
  body: string;
  head: string;
  headers: string;
  connections: string;
  idle: string;
  deliveries: string;
  bytes: string;
};

const GIB = 1024 ** 3;

export const limitsSection: Section<LimitsDraft> = {
  read: ({ limits, retention }) => ({
    body: writeSize(limits.body_bytes),
    head: writeSize(limits.head_bytes),
    headers: String(limits.headers),
    connections: count(limits.connections),
    idle: writeDuration(limits.idle_s * 1000),
    deliveries: count(retention.deliveries),
    bytes: writeSize(retention.bytes),
  }),
  check: (draft) =>
    rules<LimitsDraft>(
      ['body', within(parseSize(draft.body), 1, GIB), 'A size from 1 B to 1 GiB, as 10 MiB.'],
      ['head', within(parseSize(draft.head), 8192, 1024 * 1024), 'A size from 8 KiB to 1 MiB.'],
      ['headers', within(parseCount(draft.headers), 16, 2048), 'A number from 16 to 2,048.'],
      ['connections', within(parseCount(draft.connections), 1, 65_536), 'A number from 1 to 65,536.'],
      ['idle', wholeSeconds(draft.idle, 1, 3600), 'Whole seconds, from 1 s to an hour.'],
      ['deliveries', parseCount(draft.deliveries) !== undefined, 'A number; 0 keeps all.'],
      ['bytes', parseSize(draft.bytes) !== undefined, 'A size, as 2 GiB; 0 is no limit.'],
    ),
  apply: (settings, draft) => ({
    ...settings,
    limits: {
      body_bytes: parseSize(draft.body) ?? 0,
      head_bytes: parseSize(draft.head) ?? 0,
      headers: parseCount(draft.headers) ?? 0,
      connections: parseCount(draft.connections) ?? 0,
      idle_s: seconds(draft.idle),
    },
    retention: { deliveries: parseCount(draft.deliveries) ?? 0, bytes: parseSize(draft.bytes) ?? 0 },
  }),
};

export function withListen(settings: Settings, listen: Partial<ListenSettings>): Settings {
  return { ...settings, listen: { ...settings.listen, ...listen } };
}

function wholeSeconds(text: string, least: number, most = 4_294_967_295): boolean {
  const ms = parseDuration(text, 's');
  return ms !== undefined && ms % 1000 === 0 && within(ms / 1000, least, most);
}

function seconds(text: string): number {
  return Math.round((parseDuration(text, 's') ?? 0) / 1000);
}
