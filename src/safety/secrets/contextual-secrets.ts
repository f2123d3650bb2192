import {unreachable} from '../../base/unreachable.ts';
import {
  formsAfterName,
  isLed,
  isNameUnit,
  longestCommand,
  longestName,
  mayFollowBlank,
  mayPrecedeName,
  quote,
  statesPair,
} from './named-forms.ts';
import {type FormScan, type FoundSecret, isWordOrDash} from './secret-forms.ts';
import {passwordOrOther} from './secret-name.ts';
import {isPassword, isDistinctive, looksRandom} from './secret-value.ts';

/**
 * Finds secrets by the words around them: XML elements and attributes, calls such as `define('DB_PASSWORD', …)`, options of
 * programs, Terraform variables, Kubernetes Secrets, sentences. One pass finds the words and examines the text around each within
 * fixed bounds, so it takes linear time. Looks at `positions`, or everywhere.
 */
export function findStatedSecrets(text: string, positions?: Uint32Array): StatedScan {
  const scan: Scan = {text, found: [], openFrom: text.length, openTable: '', passed: new Map()};
  const matches = positions === undefined ? text.matchAll(secretWords) : matchesAt(text, positions);
  for (const {0: word, index} of matches) {
    if (word.startsWith(' ') || word.startsWith('\t')) findOption(scan, {at: index, option: word.trimStart()});
    else if (word.startsWith(':')) findIn(scan, pgpassLine, {from: index, length: longestForm});
    else if (word.startsWith('@')) findDsn(scan, index);
    else if (word.endsWith('(') || word.endsWith('[')) findIn(scan, loginCall, {from: index, length: longestForm});
    else blocks.get(word.toLowerCase())?.(scan, index);
    if (isNameUnit(word.charCodeAt(0))) findNamed(scan, {at: index, word});
  }
  const {found, openFrom, openTable} = scan;
  return {found: found.toSorted((a, b) => a.from - b.from || b.to - a.to), openFrom, openTable};
}

interface StatedScan extends FormScan {
  /** The header line of a table with passwords at the end of the text, which may continue; empty if there is none. */
  readonly openTable: string;
}

// Program output is read as Latin-1, in which `Ã±` is ñ and `Ã©` is é.
const secretWords =
  /pass|pwd|secret|token|credential|api[-_ ]?key|private[-_]?key|access[-_]?key|account[-_]?key|identified by|rootpw|bindpw|requirepass|masterauth|passwort|contrase(?:[nñ]|Ã±)a|senha|wachtwoord|\bpsk\b|\bnet use\b|\bnet user\b|securestring|\bpw\b|[a-z]_key\b|key-data|"auth|_auth|auth ?= ?[([]|basicauth\(|passwordauthentication\(|getconnection\(|mysqli(?:_connect)?\(|\bpdo\(|[ \t]\/p:|[ \t]-(?:p(?!ass)|u|[awk](?![a-z])|-user\b|-proxy-user\b|-auth\b|pass(?:in|out)?\b)|:(?:5432|5433|6432|\*):|@(?:tcp|unix)\(/giu;

/** Each word of `secretWords` begins with one of these in lower case, or, for `_key`, one letter before it. */
export const secretWordAnchors: readonly string[] = [
  ...'pass pwd secret token credential rootpw bindpw requirepass masterauth contrase senha wachtwoord psk'.split(' '),
  ...'securestring pw _key key-data "auth _auth auth= auth( basicauth( getconnection( mysqli( mysqli_connect( pdo('.split(
    ' ',
  ),
  ...'@tcp( @unix( :5432: :5433: :6432: :*:'.split(' '),
  'identified by',
  'net use',
  'auth =',
  'auth (',
  ...['api', 'private', 'access', 'account'].flatMap(kind => ['', '-', '_'].map(sign => `${kind}${sign}key`)),
  'api key',
  ...['/p:', '-p', '-u', '-a', '-w', '-k', '--user', '--proxy-user', '--auth'].flatMap(option => [
    ` ${option}`,
    `	${option}`,
  ]),
];

const secretWordAt = new RegExp(secretWords.source, 'iuy');

/** Returns the matches of `secretWords` that begin at one of these positions. */
function* matchesAt(text: string, positions: Uint32Array): Generator<RegExpExecArray> {
  let end = 0;
  for (const at of positions) {
    if (at < end) continue;
    secretWordAt.lastIndex = at;
    const match = secretWordAt.exec(text);
    if (match === null) continue;
    end = at + match[0].length;
    yield match;
  }
}

interface Scan {
  readonly text: string;
  readonly found: FoundSecret[];
  openFrom: number;
  openTable: string;
  /** How far each kind of block has been read. */
  readonly passed: Map<string, number>;
}

/** The maximum number of units of a form and of a block that are examined. */
const longestForm = 700;
const longestBlock = 4096;

interface Form {
  readonly pattern: RegExp;
  /** The required form of the value. */
  readonly value: 'password' | 'random' | 'base64-login';
}

/** Finds the value after a secret's name. */
function findNamed(scan: Scan, {at, word}: {readonly at: number; readonly word: string}): void {
  const {text} = scan;
  let start = at;
  while (start > 0 && at - start < longestName && isNameUnit(text.charCodeAt(start - 1))) start -= 1;
  let end = at + word.length;
  while (end < text.length && end - at < longestName && isNameUnit(text.charCodeAt(end))) end += 1;
  if ((scan.passed.get('name') ?? -1) >= end) return;
  scan.passed.set('name', end);
  const whole = text.slice(start, end);
  if (whole === 'chpasswd' || whole === '--password-stdin') return findEchoed(scan, start);
  const name = /[.-]/u.test(whole) ? whole.replace(/^-+|[.-]+$/gu, '').replace(/^.*\./u, '') || word : whole;
  const kind = passwordOrOther(name);
  if (kind === 'none') return;
  const before = text.charAt(start - 1);
  const behind = text.slice(end, end + longestForm);
  const take = (pattern: RegExp, value: Form['value'] = kind === 'password' ? 'password' : 'random'): boolean => {
    const match = pattern.exec(behind);
    return match !== null && keep(scan, {match, from: end, name, value});
  };
  const next = behind[0] ?? '';
  const isBlank = next === ' ' || next === '\t';
  const mayFollow = !isBlank || mayFollowBlank(text, end);
  if (before === '>' && next === '<' && take(formsAfterName.plist)) return;
  if (before === ';' && next === '&' && take(formsAfterName.escaped)) return;
  if (mayFollow && (next === '|' || next === ' ' || next === '*')) {
    const cellStart = text.slice(Math.max(0, start - 40), start);
    if (cellStart.includes('|') && /\|[ \t*]*$/u.test(cellStart) && take(formsAfterName.cell)) return;
  }
  if (
    next === ' ' &&
    text.endsWith('passwd', end) &&
    /(?:^ht|\bopenssl )passwd$/u.test(text.slice(Math.max(0, end - 15), end).trimStart()) &&
    take(formsAfterName.third)
  )
    return;
  if ((before === '<' || before === ':') && (next === '>' || next === ' ') && take(formsAfterName.element)) return;
  if (
    isOneOf(next, quotes) &&
    (take(formsAfterName.argument) || take(formsAfterName.attribute) || take(formsAfterName.attributeElement))
  )
    return;
  if (isOneOf(next, `${quotes},\r\n `) && statesPair(text, end) && take(formsAfterName.pair)) return;
  if (next === '(' && take(formsAfterName.call)) return;
  const first = mayFollow ? behind.trimStart().charAt(0) : '';
  if ((isOneOf(next, `"']`) || (next === ' ' && isOneOf(first, '|?o{'))) && take(formsAfterName.fallback)) return;
  if (before === '{' && next === ':' && take(formsAfterName.expanded)) return;
  if (kind === 'password' && (',;\t\r\n"'.includes(next) || next === '') && /[,;\t\n"]|^$/u.test(before)) {
    findColumns(scan, start);
  }
  const assigns = isOneOf(isBlank ? first : next, `${quotes}[]:=<*A`);
  if (kind === 'password' && assigns && findAssigned(scan, {whole, start, take})) return;
  if (!isBlank) return;
  if (isOneOf(first, `${quotes}\u201C`) && take(formsAfterName.literal)) return;
  const mayPrecede = whole.startsWith('-') || mayPrecedeName(text, start);
  if (mayPrecede && findAnnounced(scan, {whole, start, before, take})) return;
  const isLetter = first.toLowerCase() !== first.toUpperCase();
  if (isLetter && (take(formsAfterName.sentence) || take(formsAfterName.verb))) return;
  if (!mayPrecede) return;
  if (isLed(text, start, 'use')) take(formsAfterName.use, 'random');
  else if (isLed(text, start, 'and')) take(formsAfterName.use);
}

const quotes = '"\'`\\';
const isOneOf = (sign: string, signs: string): boolean => sign !== '' && signs.includes(sign);

/** Finds the value of an option, a directive, a login or a setting: the word after the name. */
function findAnnounced(
  {text}: Scan,
  {
    whole,
    start,
    before,
    take,
  }: {
    readonly whole: string;
    readonly start: number;
    readonly before: string;
    readonly take: (pattern: RegExp) => boolean;
  },
): boolean {
  const isOption = whole.startsWith('-') && (before === ' ' || before === '\t' || before === '');
  const isDirective = isLed(text, start, 'directive');
  if (!isOption && !isDirective && !isLed(text, start, 'login') && !isLed(text, start, 'set')) return false;
  return take(isDirective ? formsAfterName.only : formsAfterName.word);
}

/** Finds the values in table columns that are named like passwords. */
function findColumns(scan: Scan, at: number): void {
  if ((scan.passed.get('table') ?? -1) >= at) return;
  const {found, openFrom, openTable, readTo} = scanTable(scan.text, at);
  scan.found.push(...found);
  scan.openFrom = Math.min(scan.openFrom, openFrom);
  scan.openTable ||= openTable;
  scan.passed.set('table', readTo);
}

/** Finds a secret that is written into a pipe: `echo … | docker login --password-stdin`. */
function findEchoed(scan: Scan, at: number): void {
  const from = Math.max(0, at - longestCommand);
  // There are two names because Node 22 rejects an expression that uses one name twice.
  const echoed =
    /\b(?:echo|printf)[ \t]+(?:-n[ \t]+|['"]%s['"][ \t]+)?(?:'(?:[^\s:']{1,64}:)?(?<quoted>[^\s']{6,200})'|["']?(?:[^\s:"']{1,64}:)?(?<bare>(?:[^\s"'|$`]|\\\$){6,200})["']?)[ \t]*\|[^|\n]*$/du.exec(
      scan.text.slice(from, at),
    );
  const groups = echoed?.indices?.groups;
  const [start, end] = groups?.['quoted'] ?? groups?.['bare'] ?? [0, 0];
  if (isPassword(scan.text.slice(from + start, from + end)))
    scan.found.push({from: from + start, to: from + end, name: 'PASSWORD'});
}

/** Finds an assigned password that a person chose. A generated secret is found by its form. */
function findAssigned(
  {text}: Scan,
  {whole, start, take}: {readonly whole: string; readonly start: number; readonly take: (pattern: RegExp) => boolean},
): boolean {
  if (take(formsAfterName.assigned)) return true;
  const lead = text.slice(Math.max(0, start - longestCommand), start);
  const line = lead.slice(lead.lastIndexOf('\n') + 1);
  if (
    /^[-+ \t]*(?:[\w./-]{1,200}[:-]\d+[:-])?[-+ \t]*(?:(?:export|set|ENV|ARG)[ \t]+)?$/u.test(line) &&
    take(formsAfterName.line)
  )
    return true;
  const isPart =
    whole.startsWith('-') ||
    /(?:[;?&][ \t]?|--set(?:-string)?[ \t=]|--[\w-]{1,40}=)$/u.test(line) ||
    /^[A-Z][A-Z0-9_]*$/u.test(whole);
  if (isPart && take(formsAfterName.part)) return true;
  return !/[({[<=]/u.test(line) && take(formsAfterName.stated);
}

/** Finds the password after a program's password option. */
function findOption(scan: Scan, {at, option}: {readonly at: number; readonly option: string}): void {
  const {text} = scan;
  const lead = text.slice(Math.max(0, at - longestCommand), at).replaceAll('\\\n', '  ');
  const command = lead.slice(Math.max(lead.lastIndexOf('\n'), lead.lastIndexOf('|'), lead.lastIndexOf(';')) + 1);
  const from = at + 1 + option.length;
  const behind = text.slice(from, from + longestForm);
  for (const form of optionForms) {
    if (!form.options.includes(option) || !form.command.test(command)) continue;
    const match = form.value.exec(behind);
    if (match !== null && keep(scan, {match, from, name: 'PASSWORD', value: 'password'})) return;
  }
}

/** A whole line of the form `host:port:database:user:password`. */
const pgpassLine: Form = {
  pattern: /^:(?:\d{2,5}|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:(?<value>[^\s:]{1,512})[ \t]*\r?(?:\n|$)/u,
  value: 'password',
};

/** `net use X: \\\\server\\share … password`, `net user name password`. */
const netCommand: Form = {
  pattern:
    /^net (?:user[ \t]+["']?[\w.-]{1,64}["']?|use(?:[ \t]+[A-Z*]:?)?[ \t]+["']?\\{2,8}[^\s"']{1,200}["']?(?:[ \t]+\/user:\S{1,100})?)[ \t]+(?<value>[^\s"'`<>|;/]{1,512})(?=\s|$)/iu,
  value: 'password',
};

const authValue: Form = {
  pattern: /^(?:"|_)auth"?[ \t]{0,8}[:=][ \t]{0,8}"?(?<value>[A-Za-z0-9+/]{8,512}={0,2})/u,
  value: 'base64-login',
};

/** A user and a password as string literals, after a call's first arguments: `auth=("me", "…")`, `new PDO($dsn, 'me', '…')`. */
const loginCall: Form = {
  pattern: new RegExp(
    `^[\\w ]{3,32}(?:= ?)?[([](?:[^,"'\\n]{0,100},|${quote}[^"'\\n]{0,200}${quote}[ \\t]?,)?[ \\t]?${quote}[^"'\\n]{0,64}${quote}[ \\t]?,[ \\t]?(?<open>${quote})(?<value>[^"'\\n]{1,512})`,
    'u',
  ),
  value: 'password',
};

/** Finds the password in `user:password@tcp(host)`. */
function findDsn(scan: Scan, at: number): void {
  const lead = scan.text.slice(Math.max(0, at - 160), at);
  const password = /[^\s:"'`/@]{1,64}:([^\s"'`/]{1,90})$/u.exec(lead)?.[1];
  if (password === undefined || !isPassword(password)) return;
  scan.found.push({from: at - password.length, to: at, name: 'PASSWORD'});
}

type Block = (scan: Scan, at: number) => void;

/** The search that starts at each of these words, which are not names. */
const blocks: ReadonlyMap<string, Block> = new Map<string, Block>([
  ['"auth', (scan, at) => findIn(scan, authValue, {from: at, length: longestForm})],
  ['net use', (scan, at) => findIn(scan, netCommand, {from: at, length: longestForm})],
  ['net user', (scan, at) => findIn(scan, netCommand, {from: at, length: longestForm})],
  ['_auth', (scan, at) => findIn(scan, authValue, {from: at, length: longestForm})],
  ['key-data', findKeyData],
  ['secret', (scan, at) => (findVariable(scan, at), findKubernetes(scan, at))],
  ['pass', findVariable],
  ['token', findVariable],
  ['pwd', findVariable],
  ['api_key', findVariable],
  ['private_key', findVariable],
  ['access_key', findVariable],
  ['credential', findVariable],
]);

function findIn(scan: Scan, form: Form, {from, length}: {readonly from: number; readonly length: number}): void {
  const match = form.pattern.exec(scan.text.slice(from, from + length));
  if (match !== null) keep(scan, {match, from, name: 'PASSWORD', value: form.value});
}

/** Finds the default of a Terraform variable that is named like a secret. */
function findVariable(scan: Scan, at: number): void {
  let start = at;
  while (start > 0 && at - start < longestName && isWordOrDash(scan.text.charCodeAt(start - 1))) start -= 1;
  if (scan.text.charAt(start - 1) !== '"') return;
  const lead = scan.text.slice(Math.max(0, start - longestName), at);
  const head = /\b(?:variable|output)[ \t]{1,4}"(?<name>[\w-]{0,60})$/u.exec(lead);
  if (head === null || (scan.passed.get('variable') ?? -1) > at) return;
  const rest = /^[\w-]{1,60}/u.exec(scan.text.slice(at, at + longestName))?.[0] ?? '';
  if (passwordOrOther(`${head.groups?.['name'] ?? ''}${rest}`) === 'none') return;
  const from = at;
  const body = scan.text.slice(from, from + longestForm);
  const end = body.search(/\n\}|\n?\b(?:variable|resource|output|module)[ \t]+"/u);
  const block = end < 0 ? body : body.slice(0, end);
  scan.passed.set('variable', from + block.length);
  const match = /\b(?:default|value)[ \t]*=[ \t]*"(?<value>[^"\n]{1,512})/u.exec(block);
  if (match !== null) keep(scan, {match, from, name: 'PASSWORD', value: 'password'});
}

/** Finds `client-key-data: …` in a kubeconfig: a private key in base64. */
function findKeyData(scan: Scan, at: number): void {
  const match = /^key-data"?:[ \t]{0,8}"?(?<value>[A-Za-z0-9+/]*={0,2})/u.exec(scan.text.slice(at, at + 20_000));
  const data = match?.groups?.['value'];
  if (match === null || data === undefined) return;
  const from = at + match[0].length - data.length;
  if (from + data.length === scan.text.length) scan.openFrom = Math.min(scan.openFrom, from);
  if (data.length >= 40) scan.found.push({from, to: from + data.length, name: 'PRIVATE_KEY'});
}

/** Finds the values below `data:` and `stringData:` of a Kubernetes Secret. */
function findKubernetes(scan: Scan, at: number): void {
  const {text} = scan;
  if (!text.startsWith('Secret', at) || !/kind"?:[ \t]{0,4}"?$/u.test(text.slice(Math.max(0, at - 12), at))) return;
  if (/[A-Za-z]/u.test(text.charAt(at + 6))) return;
  const reach = Math.max(scan.passed.get('kubernetes') ?? 0, at - longestBlock);
  const above = text.slice(reach, at);
  const from = reach + Math.max(0, above.lastIndexOf('\n---') + 1);
  const below = text.slice(from, Math.min(text.length, at + longestBlock));
  const next = below.indexOf('\n---', at - from);
  const document = next < 0 ? below : below.slice(0, next);
  scan.passed.set('kubernetes', from + document.length);
  for (const part of document.matchAll(/(?:^|\n)([ \t]{0,16})"?(?:data|stringData)"?:[ \t]*\{?[ \t]*(?=\r?\n)/gu)) {
    const margin = part[1]?.length ?? 0;
    let line = part.index + part[0].length;
    while (line < document.length) {
      const start = document.indexOf('\n', line) + 1;
      if (start === 0) break;
      const end = document.indexOf('\n', start);
      const entry = document.slice(start, end < 0 ? document.length : end);
      const found = /^([ \t]+)"?[\w.-]{1,128}"?:[ \t]+["']?(?<value>[^\s"']{1,4096})/u.exec(entry);
      if (found === null || (found[1]?.length ?? 0) <= margin) break;
      const encoded = found.groups?.['value'] ?? '';
      const place = from + start + found[0].length - encoded.length;
      if (place + encoded.length === text.length) scan.openFrom = Math.min(scan.openFrom, place);
      if (isDistinctive(encoded) || isPassword(encoded) || /^[A-Za-z0-9+/]{8,}={1,2}$/u.test(encoded)) {
        scan.found.push({from: place, to: place + encoded.length, name: 'SECRET_DATA'});
      }
      line = start;
      if (end < 0) break;
      line = end - 1 < line ? line : end;
    }
  }
}

/** Adds the value of a match if it is a secret. Returns true if it is, so that no other form is tried. */
function keep(
  scan: Scan,
  {
    match,
    from,
    name,
    value: kind,
  }: {
    readonly match: RegExpExecArray;
    readonly from: number;
    readonly name: string;
    readonly value: Form['value'];
  },
): boolean {
  const raw = match.groups?.['value'] ?? '';
  const at = from + match.index + match[0].indexOf(raw, match[0].length - raw.length - trailOf(match[0], raw));
  if (at + raw.length === scan.text.length) scan.openFrom = Math.min(scan.openFrom, at);
  const isQuoted = match.groups?.['open'] !== undefined;
  // Final punctuation is not part of the value, but an exclamation mark may be.
  if (!isSecret(isQuoted ? raw : raw.replace(/[.,:;)\]}!?*_|]+$/u, ''), kind)) return false;
  const length = isQuoted ? raw.length : raw.replace(/[.,:;)\]}?*_|]+$/u, '').length;
  scan.found.push({from: at, to: at + length, name: name.replaceAll(/[^\w]/gu, '_')});
  return true;
}

/** Returns the number of units of a match after its value, such as the start of a closing tag. */
const trailOf = (whole: string, value_: string): number => whole.length - value_.length - whole.lastIndexOf(value_);

function isSecret(candidate: string, kind: Form['value']): boolean {
  switch (kind) {
    case 'password':
      return isPassword(candidate);
    case 'random':
      return !/\s/u.test(candidate) && looksRandom(candidate);
    case 'base64-login':
      return /^[\u0020-\u007E]+:[\u0020-\u007E]+$/u.test(Buffer.from(candidate, 'base64').toString('latin1'));
    default:
      return unreachable(kind);
  }
}

const commands = {
  login: /\b(?:curl|wget2?|https?|xh|ab|siege|aria2c|lftp|ftp|wrk|oc|kubectl|nxc)\b/u,
  attached: /\b(?:mysql\w*|mariadb[\w-]*|mycli|sshpass|7z[ar]?|rar|unrar)\b/u,
  separate:
    /\b(?:sshpass|(?:docker|podman|nerdctl|buildah|skopeo|crane|registry|az|cf|oc|ibmcloud|argocd|npm|harbor)\s+(?:[\w-]+\s+)?login|mongo\w*|cypher-shell|clickhouse-client|rabbitmqadmin|influx|couchbase-cli|neo4j-admin)\b/u,
  redis: /\b(?:redis-cli|valkey-cli|keydb-cli|redis-benchmark)\b/u,
  ldap: /\b(?:ldap\w+|impacket\S*|crackmapexec|nmblookup)\b/u,
  sql: /\b(?:sqlcmd|bcp|osql|isql|tsql|unzip|zip|zipcloak)\b/u,
  openssl: /\bopenssl\b/u,
  samba: /\b(?:smbclient|rpcclient|smbget|smbmap|net)\b/u,
} as const satisfies Record<string, RegExp>;

const optionValue = String.raw`["']?(?<value>[^\s"'${'`'}<>|;]{1,512})`;
const loginValue = new RegExp(`^(?:[ \\t]+|=)?["']?[^\\s:,"'@/<>]{1,64}[:,](?<value>[^\\s"'\`<>|;]{1,512})`, 'u');
const attachedValue = new RegExp(`^${optionValue}`, 'u');
const separateValue = new RegExp(`^[ \\t]{1,8}${optionValue}`, 'u');
const passValue = new RegExp(`^[ \\t]{1,8}["']?pass:(?<value>[^\\s"'\`<>|;]{1,512})`, 'u');
const sambaValue = new RegExp(`^[ \\t]{0,8}["']?[^\\s%"']{1,64}%(?<value>[^\\s"'\`<>|;]{1,512})`, 'u');

interface OptionForm {
  readonly options: readonly string[];
  readonly command: RegExp;
  /** The text after the option. The group `value` is the password. */
  readonly value: RegExp;
}

const anyCommand = /^/u;

const optionForms: readonly OptionForm[] = [
  {options: ['-a'], command: commands.redis, value: separateValue},
  {options: ['-U'], command: commands.samba, value: sambaValue},
  {options: ['-u', '-a', '-U', '--user', '--auth', '--proxy-user'], command: commands.login, value: loginValue},
  {options: ['-p'], command: commands.attached, value: attachedValue},
  {options: ['-p'], command: commands.separate, value: separateValue},
  {options: ['/p:'], command: /\bx?freerdp\w*|\bmstsc\b/u, value: attachedValue},
  {options: ['-P'], command: commands.sql, value: separateValue},
  {options: ['-w'], command: commands.ldap, value: separateValue},
  {options: ['-k'], command: commands.openssl, value: separateValue},
  {options: ['-pass', '-passin', '-passout'], command: anyCommand, value: passValue},
];

/** The secrets in a table, and the position up to which it was read. */
interface TableScan extends StatedScan {
  readonly readTo: number;
}

/** Finds the values in table columns that are named like passwords. Cells are separated by commas, semicolons or tabs. */
function scanTable(text: string, at: number): TableScan {
  const found: FoundSecret[] = [];
  let openFrom = text.length;
  const lead = text.slice(Math.max(0, at - longestHeader), at);
  const begin = at - lead.length + lead.lastIndexOf('\n') + 1;
  const header = lineAt(text, begin);
  let readTo = begin + header.length;
  const none = {found, openFrom, openTable: '', readTo};
  const separator = [',', ';', '\t'].find(sign => header.includes(sign));
  if (separator === undefined || header.length > longestHeader) return none;
  const titles = header.split(separator).map(cell => cell.trim().replaceAll(/^"|"$/gu, ''));
  if (!titles.every(name => /^(?:[\w.-]{1,40}|(?!SELECT )[A-Z][\w .-]{1,39})$/u.test(name))) return none;
  const columns = [...titles.entries()].filter(([, name]) => passwordOrOther(name) === 'password');
  let from = begin + header.length + 1;
  for (let rows = 0; rows < maxRows && from < text.length; rows += 1) {
    const row = lineAt(text, from);
    const cells = row.split(separator);
    if (cells.length !== titles.length) {
      // The end of the text may cut off the row.
      if (from + row.length < text.length || cells.length > titles.length)
        return {found, openFrom, openTable: '', readTo};
      openFrom = Math.min(openFrom, from);
    }
    readTo = from + row.length;
    for (const [column, name] of columns) {
      const cell = (cells[column] ?? '').replace(/\r$/u, '');
      const value = cell.replaceAll(/^[ "]+|[ "]+$/gu, '');
      const place = from + cells.slice(0, column).join(separator).length + (column === 0 ? 0 : 1) + cell.indexOf(value);
      if (place + value.length === text.length) openFrom = Math.min(openFrom, place);
      if (isPassword(value)) found.push({from: place, to: place + value.length, name: name.replaceAll(/\W/gu, '_')});
    }
    from += row.length + 1;
  }
  return {found, openFrom, openTable: columns.length === 0 ? '' : `${header}\n`, readTo};
}

function lineAt(text: string, at: number): string {
  const line = text.slice(at, at + longestRow);
  const end = line.indexOf('\n');
  return end < 0 ? line : line.slice(0, end);
}

/** The longest header line, the longest other line, and the maximum number of lines. */
const longestHeader = 400;
const longestRow = 4096;
const maxRows = 10_000;
