/**
 * The meaning of a name for its value:
 * - `env`: a variable in capitals that is named like a secret. Any distinctive value is one.
 * - `code`: a field or variable of a program. Only a value that looks generated is a secret.
 * - `header`: a credential after the name of an authentication scheme.
 */
export type SecretName = 'env' | 'code' | 'header' | 'none';

/** Judges the name before a `=` or `:`. Results are cached, because names recur in a text. */
export const secretName = memoize((name): SecretName => {
  const lower = name.toLowerCase();
  if (lower === 'authorization' || lower === 'proxy-authorization') return 'header';
  if (!nameParts.some(part => lower.includes(part))) return 'none';
  if (name === 'PWD') return 'none';
  const words = wordsOf(name);
  const [last = '', ...before] = words.toReversed().filter(word => !trailing.has(word));
  if (last === '' || harmlessEnds.has(last)) return 'none';
  const inCapitals = /^[A-Z][A-Z0-9_]*$/u.test(name);
  if (strong.has(last) || strong.has(`${before[0] ?? ''}${last}`)) return inCapitals ? 'env' : 'code';
  if (last === 'key' || last === 'keys') {
    if (inCapitals && before.length > 0) return plainKeys.has(before[0] ?? '') ? 'none' : 'env';
    return keyKinds.has(before[0] ?? '') ? 'code' : 'none';
  }
  // Names in capitals such as `SECRET_FOR_MAIL` and `TOKENX_A` are variables with values.
  return inCapitals && before.some(word => strong.has(word)) ? 'env' : 'none';
});

function memoize<Kind>(judge: (name: string) => Kind): (name: string) => Kind {
  const known = new Map<string, Kind>();
  return name => {
    const kept = known.get(name);
    if (kept !== undefined) return kept;
    const kind = judge(name);
    if (known.size >= maxKnown) known.clear();
    // A part of a text would keep the whole text in memory.
    known.set(Buffer.from(name).toString(), kind);
    return kind;
  };
}

/** The maximum number of names in a cache. A cache that also orders its names by use takes longer than the judgments it saves. */
const maxKnown = 10_000;

/** True if a variable with that name holds a machine, user or location, and not a secret. */
export const isHarmlessName = (name: string): boolean => plainEnds.has(wordsOf(name).at(-1) ?? '');

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter(word => word !== '');

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Every name of a secret contains one of these. */
export const nameParts = ['token', 'secret', 'pass', 'pwd', 'cred', 'key', 'pat', 'psk', 'auth'];

const strong = wordSet(
  'token secret secrets pgpassword pgpass password passwd pwd pass passphrase passcode credential credentials apikey apitoken apisecret authtoken ' +
    'accesstoken refreshtoken clientsecret secretkey accesskey privatekey bearertoken pat psk sharedsecret',
);

/** Words that may follow the word for a secret. */
const trailing = wordSet(
  '1 2 3 4 5 6 7 8 9 prod production dev development test staging live old new backup primary secondary default value',
);

const keyKinds = wordSet(
  'api secret private access auth encryption signing master account service shared session jwt app client webhook license deploy ' +
    'storage subscription admin server ssh crypt cipher aes hmac',
);

/** Words before `key` for keys that are a position or an order. */
const plainKeys = wordSet('public primary foreign sort partition cache hot index object map hash row');

/** A name with one of these endings describes a secret, but holds none. */
const harmlessEnds = wordSet(
  'name id url uri path file dir folder type length limit size count ttl expires expiry expiration header prefix suffix field ' +
    'format regex pattern min max policy required enabled disabled age days hours minutes seconds endpoint host hint label',
);

const plainEnds = wordSet(
  'name env environment host hostname user username region mode level title dir directory path file bucket zone timezone tz locale ' +
    'lang language version port type driver connection store database db schema table engine platform os shell home term editor ' +
    'email mail from domain scheme protocol url uri prefix suffix namespace cluster image tag branch repo repository owner org ' +
    'project team model provider format charset encoding options args opts flags features log root base theme adapter dialect',
);

/** Classifies a name: that of a password, which a person may have chosen, or of another secret, which looks generated. */
export const passwordOrOther = memoize((name): 'password' | 'other' | 'none' => {
  const lower = name.toLowerCase();
  if (passwordStems.some(stem => lower.includes(stem)) && passwordNames.test(lower))
    return /(?:policy|field|label|hint|length|reset|hash|id|url|path|file|name|count|type|less)s?$/u.test(lower)
      ? 'none'
      : 'password';
  if (secretName(name) !== 'none') return 'other';
  return lower === 'api key' || lower === 'api-key' ? 'other' : 'none';
});

/** Every name of a password contains one of these. */
const passwordStems = [
  'pass',
  'pw',
  'psk',
  'contrase',
  'senha',
  'wachtwoord',
  'masterauth',
  'identified by',
  'securestring',
];

const passwordNames =
  /(?:^|[^a-z])(?:[a-z]*)(?:password|passwd|passwort|contrase(?:[nñ]|ã±)a|senha|wachtwoord|passphrase|passcode|pwd|rootpw|bindpw|requirepass|masterauth|identified by|securestring)s?\d{0,2}$|^(?:passe?|pw|psk)$|[-_.]pass$|(?:ssh|pg|db|user|mysql|root|admin|my|ftp|smtp|mail|login)pass$/u;
