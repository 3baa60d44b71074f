/** A name that a secret goes by: `HOOK_SECRET`, `api_key`, `--password`. */
const NAME = String.raw`[\w-]*(?:secret|passw(?:or)?d|passphrase|token|api[_-]?key|access[_-]?key|private[_-]?key)[\w-]*`;
const VALUE = String.raw`"[^"]*"|'[^']*'|[^\s&"';|]+`;

const RULES: readonly (readonly [RegExp, string])[] = [
  // postgres://app:pass@host/db
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/?#@'"]*:)[^\s/@'"]+(@)/gi, '$1$2'],
  // HOOK_SECRET=…, ?token=…, --api-key=…; `--secret-env NAME` names a variable and no secret.
  [new RegExp(String.raw`((?<![\w-])(?!${NAME}-(?:env|file|name))${NAME}=)(?:${VALUE})`, 'gi'), '$1'],
  [new RegExp(String.raw`((?<!\S)--(?!\S*-(?:env|file|name)\b)${NAME}\s+)(?:${VALUE})`, 'gi'), '$1'],
  // PGPASSWORD and its kin are words of their own.
  [new RegExp(String.raw`(\b(?:PGPASSWORD|MYSQL_PWD)=)(?:${VALUE})`, 'g'), '$1'],
  [/(\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi, '$1'],
];

/** A text without what looks like a secret in it, so that it may be remembered. */
export function withoutSecrets(text: string): string {
  return RULES.reduce((left, [rule, kept]) => left.replace(rule, kept), text);
}
