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

export const within = (value: number | undefined, least: number, most: number) =>
  value !== undefined && value >= least && value <= most;

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

export function wholeSeconds(text: string, least: number, most = 4_294_967_295): boolean {
  const ms = parseDuration(text, 's');
  return ms !== undefined && ms % 1000 === 0 && within(ms / 1000, least, most);
}

export function seconds(text: string): number {
  return Math.round((parseDuration(text, 's') ?? 0) / 1000);
}
