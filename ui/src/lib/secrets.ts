import type { AppState } from '$bindings/AppState';
import type { SecretInfo } from '$bindings/SecretInfo';
import { SCHEMES } from './schemes';

/** What the pages know of secrets: their names, in the order in which the engine uses them. */
type Known = Pick<AppState, 'secret' | 'secrets' | 'settings'>;

/** A scheme's secrets. */
export type SecretGroup = {
  scheme: string;
  /** Its deliveries are the ones that the listener takes now. */
  inUse: boolean;
  /** What its deliveries are verified with; the first one signs. */
  secrets: SecretInfo[];
  /** Its own, while those that this run was started with come before them. */
  aside: SecretInfo[];
  /** Names that the settings remember and that were not read from the keychain. */
  unread: string[];
};

const isGiven = ({ scheme, throwaway }: SecretInfo) => scheme === null && !throwaway;
const isFallback = ({ scheme, throwaway }: SecretInfo) => scheme === null && throwaway;

/** Those that this run was started with, on the command line; they hold for every scheme until one is set. */
export function givenSecrets({ secrets }: Known): SecretInfo[] {
  return secrets.filter(isGiven);
}

/** Those that were set for this scheme. */
export function ownSecrets({ secrets }: Known, scheme: string): SecretInfo[] {
  return secrets.filter((secret) => secret.scheme === scheme);
}

/**
 * What deliveries of a scheme are verified with now; the first one signs. What was given at the start comes before what
 * is kept until one is set, and the throwaway secret fills in where there is no other.
 */
export function secretsOf(app: Known, scheme: string): SecretInfo[] {
  const given = givenSecrets(app);
  const own = ownSecrets(app, scheme);
  const fallback = app.secrets.filter(isFallback);
  if (scheme === app.settings.listen.scheme) {
    // What signs tells which of them hold: only the engine knows what was set or cleared since the start.
    const { secret } = app;
    if (secret === null) return [];
    return isGiven(secret) ? given : isFallback(secret) ? fallback : own;
  }
  if (given.length > 0) return given;
  return own.length > 0 ? own : fallback;
}

/** The scheme in use, then the others that have secrets of their own. */
export function secretGroups(app: Known): SecretGroup[] {
  const current = app.settings.listen.scheme;
  const given = givenSecrets(app).length > 0;
  const group = (scheme: string): SecretGroup => {
    const own = ownSecrets(app, scheme);
    const inUse = scheme === current;
    const used = secretsOf(app, scheme);
    const before = inUse ? used.some(isGiven) : given;
    return {
      scheme,
      inUse,
      secrets: inUse ? used : before ? [] : own,
      aside: before ? own : [],
      unread: (app.settings.secrets[scheme] ?? []).filter(
        (name) => !own.some((secret) => secret.name === name && secret.kept_in === 'keychain'),
      ),
    };
  };
  const known = [
    ...SCHEMES.map(({ value }) => value as string),
    ...app.secrets.flatMap(({ scheme }) => scheme ?? []),
    ...Object.keys(app.settings.secrets),
  ];
  const others = [...new Set(known)].filter((scheme) => scheme !== current).map(group);
  return [
    group(current),
    ...others.filter(({ secrets, aside, unread }) => secrets.length + aside.length + unread.length > 0),
  ];
}

/** Every secret that can be tried for a scheme, as the engine finds it by its name: this scheme's first. */
export function secretsToTry(app: Known, scheme: string): SecretInfo[] {
  const kept = app.secrets.filter((secret) => secret.scheme !== null);
  const all = [...secretsOf(app, scheme), ...kept, ...givenSecrets(app), ...app.secrets.filter(isFallback)];
  return all.filter((secret, at) => all.findIndex(({ name }) => name === secret.name) === at);
}

/** Where a secret is kept, in words. */
export function keptIn({ kept_in, throwaway }: SecretInfo): string {
  if (throwaway) return 'made in this run, gone with it';
  return KEPT[kept_in] ?? kept_in;
}

const KEPT: Record<string, string> = {
  keychain: 'in the system keychain',
  memory: 'in memory, gone when Hooktwice ends',
  environment: 'from the environment, for this run',
  file: 'from a file, for this run',
};

/** A typed secret that is only in memory cannot be had back. */
export function isLost({ kept_in, throwaway }: SecretInfo): boolean {
  return kept_in === 'memory' && !throwaway;
}
