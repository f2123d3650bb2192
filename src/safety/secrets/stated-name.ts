import {secretName} from './secret-name.ts';

/** A password may be what a person thinks up; of other secrets only what looks generated is one. */
export function kindOf(name: string): NameKind {
  const known = kindsOfNames.get(name);
  if (known !== undefined) return known;
  if (kindsOfNames.size > 2000) kindsOfNames.clear();
  const kind = readKind(name);
  kindsOfNames.set(name, kind);
  return kind;
}

type NameKind = 'password' | 'other' | 'none';

/** The names of a text repeat themselves. */
const kindsOfNames = new Map<string, NameKind>();

function readKind(name: string): NameKind {
  const lower = name.toLowerCase();
  if (passwordNames.test(lower))
    return /(?:policy|field|label|hint|length|reset|hash|id|url|path|file|name|count|type|less)s?$/u.test(lower)
      ? 'none'
      : 'password';
  if (secretName(name) !== 'none') return 'other';
  return lower === 'api key' || lower === 'api-key' ? 'other' : 'none';
}

const passwordNames =
  /(?:^|[^a-z])(?:[a-z]*)(?:password|passwd|passwort|contrase(?:[nñ]|ã±)a|senha|wachtwoord|passphrase|passcode|pwd|rootpw|bindpw|requirepass|masterauth|identified by|securestring)s?\d{0,2}$|^(?:passe?|pw|psk)$|[-_.]pass$|(?:ssh|pg|db|user|mysql|root|admin|my|ftp|smtp|mail|login)pass$/u;
