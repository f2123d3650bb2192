import {unreachable} from '../../base/unreachable.ts';
import {secretName, type SecretName} from './secret-name.ts';
import {isTelling, isTemplate, looksRandom} from './telling-value.ts';
import {bodyClasses, tokenForms, type TokenForm} from './token-forms.ts';

/** A stretch of text that is secret by its form. */
export interface FoundSecret {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

export interface FormScan {
  readonly found: readonly FoundSecret[];
  /** From here on the text may become a secret when more of it comes; its length where nothing is open. */
  readonly openFrom: number;
}

/** Looks for keys by how they begin, for values assigned to names of secrets, and for passwords in addresses. Linear in the text. */
export function scanForms(text: string): FormScan {
  const found: FoundSecret[] = [];
  let openFrom = text.length;
  let wordBefore = false;
  /** The ends of what began like a form and was none: what begins inside is none either. */
  const passed = new Map<TokenForm, number>();
  const tries: Tries = {until: 0, left: 0};
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (kinds[code] ?? 0) : 0;
    const candidate =
      (kind & startsToken) !== 0 && (!wordBefore || isAfterEscape(text, at)) ? tokenAt(text, {at, passed}) : undefined;
    wordBefore = (kind & isWord) !== 0;
    const seen = candidate ?? ((kind & separates) === 0 ? undefined : afterSeparator(text, {at, tries}));
    if (seen === undefined) continue;
    if (seen.to === text.length) openFrom = Math.min(openFrom, seen.from);
    if (seen.name === '') continue;
    found.push({from: seen.from, to: seen.to, name: seen.name});
    at = Math.max(at, seen.to - 1);
    wordBefore = true;
  }
  return {found, openFrom};
}

/** What may be a secret: an empty name where it is none, at least as far as the text goes. */
type Candidate = FoundSecret;

const isWord = 1;
const startsToken = 2;
const separates = 4;

const kinds = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) if (/[A-Za-z0-9]/u.test(String.fromCharCode(code))) kinds[code] = isWord;
const byFirst = new Map<number, {readonly start: string; readonly form: TokenForm}[]>();
for (const form of tokenForms) {
  for (const start of form.starts) {
    const first = start.charCodeAt(0);
    kinds[first] = (kinds[first] ?? 0) | startsToken;
    byFirst.set(first, [...(byFirst.get(first) ?? []), {start, form}]);
  }
}
for (const separator of '=:') kinds[separator.charCodeAt(0)] = separates;

let bodies: Readonly<Record<TokenForm['body'], RegExp>> | undefined;

/** Made when first used: most runs of weft meet no key. */
function bodyPattern(body: TokenForm['body']): RegExp {
  bodies ??= {
    word: sticky(bodyClasses.word),
    dashed: sticky(bodyClasses.dashed),
    dotted: sticky(bodyClasses.dotted),
    capitals: sticky(bodyClasses.capitals),
    base64: sticky(bodyClasses.base64),
    path: sticky(bodyClasses.path),
    any: sticky(bodyClasses.any),
  };
  return bodies[body];
}

const sticky = (characters: string): RegExp => new RegExp(`[${characters}]*`, 'uy');

/** Behind `\n`, `%20` and colours a word begins although a letter or a digit stands before it. */
function isAfterEscape(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  if ('nrt'.includes(before)) return text.charAt(at - 2) === '\\';
  // oxlint-disable-next-line no-control-regex -- an escape sequence begins with one
  if (before === 'm') return /\u001B\[[\d;]*m$/u.test(text.slice(Math.max(0, at - 12), at));
  return text.charAt(at - 3) === '%' && /^[\dA-Fa-f]{2}$/u.test(text.slice(at - 2, at));
}

function tokenAt(
  text: string,
  {at, passed}: {readonly at: number; readonly passed: Map<TokenForm, number>},
): Candidate | undefined {
  let open: Candidate | undefined;
  for (const {start, form} of byFirst.get(text.charCodeAt(at)) ?? []) {
    if (!text.startsWith(start, at)) {
      if (at + start.length > text.length && start.startsWith(text.slice(at))) {
        open = {from: at, to: text.length, name: ''};
      }
      continue;
    }
    if ((passed.get(form) ?? 0) > at) continue;
    const pattern = bodyPattern(form.body);
    pattern.lastIndex = at + start.length;
    const run = pattern.exec(text)?.[0] ?? '';
    // A full stop that ends a sentence is not part of it.
    const to = at + start.length + run.length;
    const body = to === text.length ? run : run.replace(/[.-]+$/u, '');
    const from = form.start === 'secret' ? at : at + start.length;
    if (body.length >= form.least && form.check(body)) {
      return {from, to: at + start.length + body.length, name: form.name};
    }
    passed.set(form, to);
    if (to === text.length) open = {from, to, name: ''};
  }
  return open;
}

/** How often a value is tried in one stretch of text, which would else be tried again at each separator inside. */
interface Tries {
  until: number;
  left: number;
}

const mostTries = 8;

function afterSeparator(
  text: string,
  {at, tries}: {readonly at: number; readonly tries: Tries},
): Candidate | undefined {
  return text.startsWith('://', at) ? passwordAt(text, at + 3) : assignedAt(text, {at, tries});
}

const authority = /[^\s/?#"'<>`\\]{0,512}/uy;

/** `user:password@host` behind `://`. */
function passwordAt(text: string, at: number): Candidate | undefined {
  authority.lastIndex = at;
  const run = authority.exec(text)?.[0] ?? '';
  const colon = run.indexOf(':');
  if (colon < 0) return undefined;
  const end = run.lastIndexOf('@');
  if (end < colon) {
    return at + run.length === text.length ? {from: at + colon + 1, to: text.length, name: ''} : undefined;
  }
  const password = run.slice(colon + 1, end);
  if (password === '' || isTemplate(password) || plainPasswords.test(password) || password === run.slice(0, colon)) {
    return undefined;
  }
  return {from: at + colon + 1, to: at + end, name: 'URL_PASSWORD'};
}

const plainPasswords = /^(?:pass(?:word|wd)?|pwd|secret|token|x-oauth-basic|x+|\*+|\.+|:.*)$/iu;

/** Units before a separator in which a name is looked for, and of a value. */
const longestName = 64;
const longestAssigned = 512;

function assignedAt(text: string, {at, tries}: {readonly at: number; readonly tries: Tries}): Candidate | undefined {
  if (at < tries.until && tries.left === 0) return undefined;
  const name = nameBefore(text, at);
  if (name === '') return undefined;
  const kind = knownKind(name.replace(/^-+/u, ''));
  if (kind === 'none') return undefined;
  const place = valueAfter(text, at, kind);
  if (place === undefined) return undefined;
  const {from, quote} = place;
  if (from >= text.length) return {from, to: text.length, name: ''};
  const {value, to} = readValue(text, from, quote);
  tries.left = at < tries.until ? tries.left - 1 : mostTries;
  tries.until = Math.max(tries.until, to);
  const isNamed = quote === '' && text[at + 1] === ' ' && namesValue(value, text.slice(from + value.length, to + 3));
  if (!isNamed && isPart(value, {kind, quote, next: text.slice(to, to + 1)})) {
    // The form of a key says more than the name it is given to.
    const token = tokenAt(text, {at: from, passed: new Map()});
    const ownName = kind === 'header' ? 'AUTHORIZATION' : name;
    return {from, to: from + value.length, name: token === undefined || token.name === '' ? ownName : token.name};
  }
  return to === text.length ? {from, to, name: ''} : undefined;
}

/** `token: tokenFromFile,` and `key: Uint8Array | undefined`: a program says where a value comes from, or of what type it is. */
const namesValue = (value: string, behind: string): boolean =>
  /^(?:\s*[,;)}\]>]| [|&=?} ])/u.test(behind) && nameInProgram.test(value);

const nameInProgram = /^[!$_]*[A-Za-z][a-z]*\d{0,3}(?:[A-Z][a-z]+\d{0,2}|[A-Z]+(?![a-z]))*$/u;

/** The names of a file repeat themselves. */
function knownKind(name: string): SecretName {
  const known = kindsOfNames.get(name);
  if (known !== undefined) return known;
  if (kindsOfNames.size > 2000) kindsOfNames.clear();
  const kind = secretName(name);
  kindsOfNames.set(name, kind);
  return kind;
}

const kindsOfNames = new Map<string, SecretName>();

/** The name that ends right before a separator; white space and closing quotes may stand between. */
function nameBefore(text: string, separator: number): string {
  let end = separator;
  while (end > 0 && separator - end < 8 && ' \t"\'`\\]?'.includes(text.charAt(end - 1))) end -= 1;
  let start = end;
  while (start > 0 && end - start < longestName && isNameUnit(text.charCodeAt(start - 1))) start -= 1;
  return text.slice(start, end);
}

/** Letters, digits, `_`, `-`. */
const isNameUnit = (code: number): boolean =>
  code === 0x5f || code === 0x2d || (code < 128 && ((kinds[code] ?? 0) & isWord) !== 0);

const beforeValue = /[=:]?>?[ \t]{0,8}(?:(?:str|string|bytes|String)[ \t]*=[ \t]*)?(\\*["'`])?/uy;
const scheme = /(?:Bearer|Basic|Token|ApiKey|Api-Key|Digest|Negotiate|AWS4-HMAC-SHA256|Splunk)[ \t]+/iuy;

function valueAfter(
  text: string,
  separator: number,
  kind: SecretName,
): {readonly from: number; readonly quote: string} | undefined {
  // A comparison assigns nothing.
  if (text.startsWith('==', separator) || '=!<>:'.includes(text[separator - 1] ?? ' ')) return undefined;
  beforeValue.lastIndex = separator + 1;
  const [before = '', quote = ''] = beforeValue.exec(text) ?? [];
  const from = separator + 1 + before.length;
  if (kind !== 'header') return {from, quote};
  scheme.lastIndex = from;
  return {from: from + (scheme.exec(text)?.[0].length ?? 0), quote};
}

const unquoted = /[^\s"'`<>\\;&]{0,512}/uy;

/** The value, and where what was read of it ends. */
function readValue(text: string, from: number, quote: string): {readonly value: string; readonly to: number} {
  if (quote === '') {
    unquoted.lastIndex = from;
    const run = unquoted.exec(text)?.[0] ?? '';
    const value = from + run.length === text.length ? run : run.replace(/[,.:)\]}|]+$/u, '');
    return {value, to: from + run.length};
  }
  const line = text.slice(from, from + longestAssigned);
  const ends = [line.indexOf(quote), line.indexOf('\n')].filter(end => end >= 0);
  const value = line.slice(0, Math.min(line.length, ...ends));
  return {value, to: from + value.length};
}

function isPart(
  value: string,
  place: {readonly kind: SecretName; readonly quote: string; readonly next: string},
): boolean {
  if (!isTelling(value)) return false;
  switch (place.kind) {
    case 'header':
      return true;
    case 'env':
      return !/^[\w.]+\(|^[A-Z][A-Z0-9_]+$/u.test(value) || looksRandom(value);
    case 'code':
      if (place.quote === '' && /[()[\]{}]/u.test(value + place.next)) return false;
      return !/\s/u.test(value) && looksRandom(value);
    case 'none':
      return false;
    default:
      return unreachable(place.kind);
  }
}
