import type { ScenarioId } from '$bindings/ScenarioId';
import { KIND_NAMES, type ProbeKind, type ProbeValues } from './probes';
import { SCENARIOS } from './scenarios';
import { withoutSecrets } from './secrecy';

/** The fields that are one line of text each, as they were typed. */
export type Texts = {
  idPointer: string;
  copies: string;
  raceBudget: string;
  settle: string;
  timeout: string;
  startCommand: string;
  seed: string;
};

/** The form as the next start finds it again. */
export type Kept = Texts & {
  urls: string[];
  probes: { kind: ProbeKind; values: ProbeValues }[];
  /** The person's own body; nothing for the usual one. */
  body: string | null;
  canary: boolean;
  leftOut: ScenarioId[];
  /** Something that looks like a secret was left out. */
  censored: boolean;
};

/** What stands in the form at first. */
export const FRESH: Kept = {
  urls: [''],
  probes: [],
  body: null,
  idPointer: '/job_id',
  copies: '20',
  raceBudget: '20 s',
  settle: '500 ms',
  timeout: '10 s',
  startCommand: '',
  seed: '',
  canary: true,
  leftOut: [],
  censored: false,
};

/** The form without what looks like a secret: passwords in URLs, values of variables whose names say so. */
export function censor(form: Kept): Kept {
  let censored = false;
  const clean = (text: string): string => {
    const left = withoutSecrets(text);
    censored ||= left !== text;
    return left;
  };
  const kept = {
    ...form,
    urls: form.urls.map(clean),
    probes: form.probes.map(({ kind, values }) => ({
      kind,
      values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, clean(value)])),
    })),
    startCommand: clean(form.startCommand),
  };
  return { ...kept, censored };
}

/** Whether what was kept is a form of this version. */
export function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false;
  const form = value as Record<keyof Kept, unknown>;
  const texts = ['idPointer', 'copies', 'raceBudget', 'settle', 'timeout', 'startCommand', 'seed'] as const;
  return (
    texts.every((name) => typeof form[name] === 'string') &&
    isTexts(form.urls) &&
    form.urls.length > 0 &&
    Array.isArray(form.probes) &&
    form.probes.every(isProbe) &&
    (form.body === null || typeof form.body === 'string') &&
    typeof form.canary === 'boolean' &&
    isTexts(form.leftOut) &&
    form.leftOut.every((id) => SCENARIOS.includes(id as ScenarioId)) &&
    typeof form.censored === 'boolean'
  );
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isProbe(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, values } = value as Record<string, unknown>;
  return (
    KIND_NAMES.includes(kind as ProbeKind) &&
    typeof values === 'object' &&
    values !== null &&
    isTexts(Object.values(values))
  );
}
