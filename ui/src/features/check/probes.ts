import type { ProbeSpec } from '$bindings/ProbeSpec';
import { targetFault } from '$lib/target';

export type ProbeKind = ProbeSpec['kind'];

/** One field of a probe as it is typed. */
export type ProbeField = {
  name: string;
  label: string;
  /** A good example. */
  placeholder: string;
  hint?: string;
  /** What stands there at first. */
  first?: string;
  /** May take several lines. */
  long?: boolean;
};

/** What can see the effect, in the order in which it is offered. */
export const KINDS: Readonly<
  Record<ProbeKind, { label: string; what: string; fields: readonly ProbeField[] }>
> = {
  sql: {
    label: 'SQL',
    what: 'a query that gives a number',
    fields: [
      {
        name: 'database',
        label: 'Database',
        placeholder: 'sqlite:effects.db or postgres://app@127.0.0.1/app',
      },
      {
        name: 'query',
        label: 'Query, with :job_id',
        placeholder: 'select count(*) from effects where job_id = :job_id',
        long: true,
      },
    ],
  },
  url: {
    label: 'URL',
    what: 'an answer in JSON that holds a number',
    fields: [
      {
        name: 'url',
        label: 'URL, with {job_id}',
        placeholder: 'http://127.0.0.1:3000/effects/{job_id}',
      },
      {
        name: 'pointer',
        label: 'Where the number is',
        placeholder: '/count',
        hint: 'A JSON pointer; nothing where the whole answer is the number.',
      },
    ],
  },
  command: {
    label: 'Command',
    what: 'a command that prints a number',
    fields: [
      {
        name: 'command',
        label: 'Command, with {job_id}',
        placeholder: `psql -Atc "select count(*) from effects where job_id = '{job_id}'"`,
        hint: 'It runs in a shell on this machine and prints a number.',
        long: true,
      },
    ],
  },
  log: {
    label: 'Log',
    what: 'lines of a log',
    fields: [
      { name: 'file', label: 'File', placeholder: '/var/log/app.log' },
      {
        name: 'pattern',
        label: 'Pattern, with {job_id}',
        placeholder: 'sent mail for {job_id}',
        hint: 'Each line that it is in counts once.',
      },
    ],
  },
  canary: {
    label: 'Canary',
    what: 'downloads of the artifact',
    fields: [
      {
        name: 'pointer',
        label: 'Where the body names the artifact',
        placeholder: '/artifacts/0/url',
        hint: 'A URL of ours is put there; each download of it counts.',
        first: '/artifacts/0/url',
      },
    ],
  },
};

export const KIND_NAMES = Object.keys(KINDS) as ProbeKind[];

/** What was typed into a probe, by field. */
export type ProbeValues = Record<string, string>;

/** What stands in a new probe. */
export function firstValues(kind: ProbeKind): ProbeValues {
  return Object.fromEntries(KINDS[kind].fields.map(({ name, first }) => [name, first ?? '']));
}

/** The fields of a probe that came from the engine. */
export function valuesOf(spec: ProbeSpec): ProbeValues {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => name !== 'kind'));
}

/** The probe that was typed. */
export function specOf(kind: ProbeKind, values: ProbeValues): ProbeSpec {
  const value = (name: string) => (values[name] ?? '').trim();
  switch (kind) {
    case 'sql':
      return { kind, database: value('database'), query: value('query') };
    case 'url':
      return { kind, url: value('url'), pointer: value('pointer') };
    case 'command':
      return { kind, command: value('command') };
    case 'log':
      return { kind, file: value('file'), pattern: value('pattern') };
    case 'canary':
      return { kind, pointer: value('pointer') };
  }
}

/** What is wrong with a probe, by field. The engine has the last word. */
export function probeFaults(kind: ProbeKind, values: ProbeValues): Record<string, string> {
  const spec = specOf(kind, values);
  const faults: Record<string, string | undefined> = {};
  switch (spec.kind) {
    case 'sql':
      if (!/^(sqlite:(?!$)|postgres(ql)?:\/\/)/.test(spec.database))
        faults['database'] = 'A database, as sqlite:PATH or postgres://USER@HOST/NAME.';
      if (!spec.query.includes(':job_id'))
        faults['query'] = 'A query that gives a number, with :job_id in it.';
      break;
    case 'url':
      faults['url'] =
        targetFault(spec.url) === undefined && spec.url.includes('{job_id}')
          ? undefined
          : 'A URL that begins with http:// or https://, with {job_id} in it.';
      faults['pointer'] = pointerFault(spec.pointer);
      break;
    case 'command':
      if (!spec.command.includes('{job_id}'))
        faults['command'] = 'A command that prints a number, with {job_id} in it.';
      break;
    case 'log':
      if (spec.file === '') faults['file'] = 'The path of the log.';
      if (!spec.pattern.includes('{job_id}'))
        faults['pattern'] = 'What a line of one effect says, with {job_id} in it.';
      break;
    case 'canary':
      faults['pointer'] =
        spec.pointer === '' ? 'A place in the body, as /artifacts/0/url.' : pointerFault(spec.pointer);
      break;
  }
  return Object.fromEntries(
    Object.entries(faults).filter((fault): fault is [string, string] => fault[1] !== undefined),
  );
}

/** Why a text is no JSON pointer (RFC 6901). */
export function pointerFault(pointer: string): string | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return 'A JSON pointer begins with /, as /count.';
  return /~(?![01])/.test(pointer) ? 'In a JSON pointer ~ is written ~0, and / within a name ~1.' : undefined;
}
