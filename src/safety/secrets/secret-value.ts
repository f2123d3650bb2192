/** A longer value is a document, not a key. */
const longestValue = 4096;

/**
 * True if a value could be a secret: it is long enough to be recognized in other text, and is not a number, path, address,
 * template or common word.
 */
export function isDistinctive(value: string): boolean {
  if (value.length < 8 || value.length > longestValue) return false;
  if (hasFewCharacters(value)) return false;
  if (isTemplate(value)) return false;
  return looksGenerated(value) || (!isPlainForm(value) && !isCommon(value));
}

/** True if the value has at most three different characters. */
function hasFewCharacters(value: string): boolean {
  let signs = '';
  for (let at = 0; at < value.length && signs.length <= 3; at += 1) {
    const sign = value.charAt(at);
    if (!signs.includes(sign)) signs += sign;
  }
  return signs.length <= 3;
}

/** True if a value consists of common words. A number of three or more digits makes it uncommon. */
const isCommon = (value: string): boolean =>
  !/\d{3}|\d.*\d.*\d/u.test(value) && wordsOf(value).every(word => commonWords.has(word));

/** True if the value is a template for a value from elsewhere. */
export function isTemplate(value: string): boolean {
  const lower = value.toLowerCase();
  return (
    /^[$<{%@[]|\$\{|\{\{|\}\}|^process\.|^os\.|^env[.[(]|^import\.|^self\.|^this\.|\.{3}$|^x{4,}|\*{4,}/u.test(lower) ||
    (templateWords.some(word => lower.includes(word)) && templatePhrase.test(lower))
  );
}

const templateWords = ['your', 'change', 'replace', 'insert', 'enter'];
const templatePhrase =
  /\b(?:your|change|replace|insert|enter)[-_ ]?(?:me|your|this|the|a|api|own|key|token|secret|password|here)/u;

/** Matches the most frequent kind of key, checked first: letters and some digits in one long word. */
const looksGenerated = (value: string): boolean =>
  value.length >= 16 && /^[A-Za-z][A-Za-z0-9_-]*$/u.test(value) && /\d[^\d]*\d[^\d]*\d/u.test(value);

/** True if the value is a number, date, version, path, host, mail address, URL without credentials, or option. */
const isPlainForm = (value: string): boolean => plainForms.some(form => form.test(value));

const plainForms: readonly RegExp[] = [
  /^[-+]?[\d.,:_/ -]+$/u,
  /^[v^~=<>]{0,2}\d+\.\d+[\w.+-]*$/u,
  /^\d{4}-\d\d-\d\d/u,
  /^(?:true|false|null|undefined|none|True|False|None|TRUE|FALSE|NULL)$/u,
  // A path, unless it looks like base64 that begins with a slash by chance.
  /^(?:~|\.{1,2})?\/(?![A-Za-z0-9+/=]{31,}$)/u,
  /^[\w.-]+(?:\/[\w.-]+)*\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|txt|pem|key|crt|html?|css|py|rb|go|rs|sh|sql|log|xml|ini|cfg|conf)$/u,
  /^[A-Za-z]:\\/u,
  /^[A-Za-z][\w+.-]*:\/\/[^@\s?#]*(?:[?#][^=\s]*)?$/u,
  /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?$/u,
  /^[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}$/u,
  /^--?[A-Za-z]/u,
  /^localhost\b[\w:/.-]*$/u,
  /^urn:[a-z][\w-]*:/u,
  /^[a-z]{2}-[a-z]+-\d[a-z]?$/u,
  /^[a-z]{2,3}_[A-Z]{2}(?:\.[\w-]+)?$/u,
  /^[A-Z][a-z]+\/[A-Z][A-Za-z_]+$/u,
];

/** True if the value looks like a generated key: letters and digits without a human pattern. */
export function looksRandom(value: string): boolean {
  if (!isDistinctive(value)) return false;
  const digits = value.match(/\d/gu)?.length ?? 0;
  const letters = value.match(/[A-Za-z]/gu)?.length ?? 0;
  const others = value.length - digits - letters - (value.match(/[-_./: ]/gu)?.length ?? 0);
  if (letters === 0 && others === 0) return false;
  if (digits === 0 && others === 0) return false;
  // `name2`, `utf-8-sig`, `item_12_of_30`: words with numbers on them.
  const words = value.split(/[-_./: ]+/u);
  if (
    digits > 0 &&
    others === 0 &&
    words.every(word => word.length < 10 && /^(?:[A-Za-z]+\d{0,2}|\d{0,4})$/u.test(word))
  ) {
    return false;
  }
  return entropy(value) >= 2.3;
}

/**
 * True if a value in a password's position can be one, including a short one that a person chose, such as a word with a number.
 * Common words, expressions of a program and names of methods (`bcrypt`, `sha256`) are not.
 */
export function isPassword(value: string): boolean {
  if (value.length < 6 || value.length > 512 || /\s/u.test(value)) return false;
  if (hasFewCharacters(value) || isTemplate(value) || isPlainForm(value) || isCommon(value)) return false;
  if (methods.test(value) || expression.test(value)) return false;
  if (/^\p{L}+$/u.test(value)) return value.length >= 16 && !/[a-z][A-Z]/u.test(value);
  return !isWords(value) || /^[A-Za-z]+(?:-[A-Za-z]+){2,}$/u.test(value);
}

const methods = /^(?:sha|md|base|utf|aes|hs|rs|es|ps|rfc|oauth|http|v|win|x)[-_]?\d{1,4}(?:[-_.][a-z]+)*$/iu;

/** Matches calls, members and elements, and names in snake or camel case with an optional final number. */
const expression =
  /^[\w$.?!]+[([]|^[$\w]+(?:(?:\.|->|::|\?\.)[$A-Za-z_]\w*)+[,;)]?$|^[a-z]+(?:_[a-z]+)+\d{0,2}$|^[a-z]+(?:[A-Z][a-z]+)+\d?$|=>|^\W|^[a-z_]+=[a-z]+$|^[a-z]+(?::[\w,]+)?(?:\|[a-z_]+(?::[\w,.]+)?)+$/u;

/** Returns the entropy in bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** True if a value consists of words of letters, like names and phrases. */
export const isWords = (value: string): boolean => /^[A-Za-z]+(?:[-_./: ][A-Za-z]+)*$/u.test(value);

const wordsOf = (value: string): readonly string[] =>
  value
    .replaceAll(/([a-z])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/u)
    .filter(word => word !== '');

const commonWords: ReadonlySet<string> = new Set(
  (
    'a access account address admin administrator all and any api app application auth authorization aws azure base bearer ' +
    'basic bucket build cache change changeme chat cli client cloud cluster config connection console container content cookie ' +
    'core css custom dashboard data database db debug default demo dev development disabled docker domain dummy e edit email ' +
    'enabled endpoint engine env environment error event example external fake false feature file files filter foo bar baz ' +
    'front frontend backend function gateway general generic get git github gitlab google group guest handler hash header headers ' +
    'hello here home host html http https id image info input inside instance integration internal invalid item javascript job json ' +
    'key keys lang language level library link linux list local localhost log logger login logs mail main manager master memory ' +
    'message messages method mock mode model module mongo mongodb my mysql name names namespace network new nginx node none not null ' +
    'number oauth object off on only open openai option options or order output owner page param params parser pass passwd ' +
    'password path payment placeholder plain platform plugin policy port post postgres postgresql prefix preview private process ' +
    'prod production profile project prompt provider proxy public python query queue random read reader redis region release remote ' +
    'replace report request required reset resource response rest role root route router rsa run sample sandbox schema schemas ' +
    'scope script search secret secrets section select self sender server service services session sessions set setting settings ' +
    'shared signature simple site size smtp socket some source sqlite ssl stage staging standard start state static status storage ' +
    'store string style sub super support system table tag target task team template temp test tester testing tests text the this ' +
    'three tls to token tokens true type types undefined unit unknown update upload url user username users utf utils valid ' +
    'validation value values variable verify version view web webhook worker workspace world write xml yaml you your'
  ).split(' '),
);
