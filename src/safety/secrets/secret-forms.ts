import {unreachable} from '../../base/unreachable.ts';
import {secretName, type SecretName} from './secret-name.ts';
import {isDistinctive, isTemplate, looksRandom} from './secret-value.ts';
import {nextPosition} from './shown-text.ts';

/** A kind of key with a known beginning. `body` lists the characters that may follow, and `least` is their minimum number. */
interface TokenForm {
  readonly name: string;
  readonly starts: readonly string[];
  readonly body: 'word' | 'dashed' | 'dotted' | 'capitals' | 'base64' | 'path' | 'any';
  readonly least: number;
  /** Whether the beginning is part of the secret, or only announces one. */
  readonly start: 'secret' | 'shown';
  /** A further condition for the body. */
  readonly check: (body: string) => boolean;
}

/** The characters of each body, as the inside of a character class. */
const bodyClasses = {
  word: 'A-Za-z0-9_',
  dashed: 'A-Za-z0-9_\\-',
  dotted: 'A-Za-z0-9_.\\-',
  capitals: 'A-Z0-9',
  base64: 'A-Za-z0-9+/=_\\-',
  path: 'A-Za-z0-9/_\\-',
  any: 'A-Za-z0-9._~+/=\\-',
} as const satisfies Record<TokenForm['body'], string>;

type Exception = Partial<Pick<TokenForm, 'start' | 'check'>>;

const tokenForm = (
  name: string,
  starts: string,
  rest: readonly [body: TokenForm['body'], least: number],
  exception: Exception = {},
): TokenForm => ({
  name,
  starts: starts.split(' '),
  body: rest[0],
  least: rest[1],
  start: 'secret',
  check: () => true,
  ...exception,
});

const hasDigit = (body: string): boolean => /\d/u.test(body);
const isHex = (length: number) => (body: string) => new RegExp(`^[0-9a-fA-F]{${length}}$`, 'u').test(body);

/** The kinds of keys. A longer beginning comes before a shorter one that it starts with. */
const tokenForms: readonly TokenForm[] = [
  tokenForm('AWS_ACCESS_KEY_ID', 'AKIA ASIA ABIA ACCA', ['capitals', 16], {check: body => body.length === 16}),
  tokenForm('GITHUB_TOKEN', 'github_pat_', ['word', 20]),
  tokenForm('GITHUB_TOKEN', 'ghp_ gho_ ghu_ ghs_ ghr_', ['word', 20]),
  tokenForm('GITLAB_TOKEN', 'glpat- gldt- glrt- glcbt- glptt- glsoat- glft- glimt- glagent-', ['dotted', 16]),
  tokenForm('SLACK_TOKEN', 'xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xapp-', ['dotted', 10], {check: hasDigit}),
  tokenForm('SLACK_WEBHOOK', 'hooks.slack.com/services/', ['path', 16]),
  tokenForm('STRIPE_KEY', 'sk_live_ sk_test_ rk_live_ rk_test_', ['word', 10]),
  tokenForm('STRIPE_WEBHOOK_SECRET', 'whsec_', ['base64', 16]),
  tokenForm('ANTHROPIC_API_KEY', 'sk-ant-', ['dashed', 10]),
  tokenForm('OPENAI_API_KEY', 'sk-proj- sk-svcacct- sk-admin-', ['dashed', 16]),
  tokenForm('OPENROUTER_API_KEY', 'sk-or-', ['dashed', 16], {check: hasDigit}),
  tokenForm('OPENAI_API_KEY', 'sk-', ['dashed', 16], {check: body => hasDigit(body) && looksRandom(body)}),
  tokenForm('GOOGLE_API_KEY', 'AIza', ['dashed', 35]),
  tokenForm('GOOGLE_CLIENT_SECRET', 'GOCSPX-', ['dashed', 20]),
  tokenForm('GOOGLE_ACCESS_TOKEN', 'ya29.', ['dotted', 20]),
  tokenForm('NPM_TOKEN', 'npm_', ['word', 30], {check: hasDigit}),
  tokenForm('PYPI_TOKEN', 'pypi-', ['dashed', 32]),
  tokenForm('RUBYGEMS_KEY', 'rubygems_', ['word', 40]),
  tokenForm('DOCKER_TOKEN', 'dckr_pat_ dckr_oat_', ['dashed', 20]),
  tokenForm('SENDGRID_API_KEY', 'SG.', ['dotted', 40]),
  tokenForm('HUGGINGFACE_TOKEN', 'hf_', ['word', 30]),
  tokenForm('GROQ_API_KEY', 'gsk_', ['word', 30]),
  tokenForm('XAI_API_KEY', 'xai-', ['dashed', 40]),
  tokenForm('PERPLEXITY_API_KEY', 'pplx-', ['word', 32]),
  tokenForm('REPLICATE_TOKEN', 'r8_', ['word', 30]),
  tokenForm('DIGITALOCEAN_TOKEN', 'dop_v1_ doo_v1_ dor_v1_', ['word', 40]),
  tokenForm('DATABRICKS_TOKEN', 'dapi', ['word', 32], {check: body => isHex(32)(body.slice(0, 32))}),
  tokenForm('SHOPIFY_TOKEN', 'shpat_ shpca_ shppa_ shpss_', ['word', 32]),
  tokenForm('TWILIO_KEY', 'SK', ['word', 32], {check: isHex(32)}),
  tokenForm('MAILGUN_KEY', 'key-', ['word', 32], {check: isHex(32)}),
  tokenForm('LINEAR_API_KEY', 'lin_api_', ['word', 30]),
  tokenForm('NOTION_TOKEN', 'ntn_', ['word', 30]),
  tokenForm('ATLASSIAN_TOKEN', 'ATATT3 ATCTT3', ['base64', 40]),
  tokenForm('VAULT_TOKEN', 'hvs. hvb.', ['dashed', 20]),
  tokenForm('DOPPLER_TOKEN', 'dp.pt. dp.st.', ['dotted', 30]),
  tokenForm('GRAFANA_TOKEN', 'glsa_ glc_', ['base64', 30]),
  tokenForm('SENTRY_TOKEN', 'sntrys_ sntryu_', ['base64', 30]),
  tokenForm('SUPABASE_TOKEN', 'sbp_', ['word', 36]),
  tokenForm('NEWRELIC_KEY', 'NRAK-', ['word', 20]),
  tokenForm('POSTMAN_KEY', 'PMAK-', ['dashed', 30]),
  tokenForm('FIGMA_TOKEN', 'figd_', ['dashed', 30]),
  tokenForm('TERRAFORM_TOKEN', 'atlasv1.', ['dashed', 40]),
  tokenForm('AGE_SECRET_KEY', 'AGE-SECRET-KEY-1', ['capitals', 40]),
  tokenForm('JWT', 'eyJ', ['dotted', 20], {
    check: body => /^[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*/u.test(body),
  }),
  tokenForm('BEARER_TOKEN', 'Bearer bearer', ['any', 12], {start: 'shown', check: looksRandom}),
].map(each => (each.name === 'BEARER_TOKEN' ? {...each, starts: each.starts.map(start => `${start} `)} : each));

/** A range of text whose form says that it is secret. */
export interface FoundSecret {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

export interface FormScan {
  readonly found: readonly FoundSecret[];
  /** The position from which the end of the text may begin a secret, or the length of the text if there is none. */
  readonly openFrom: number;
}

export const keyStarts = tokenForms.flatMap(({starts}) => starts);

/**
 * Finds keys by their beginnings, values assigned to secret names, and passwords in URLs. Takes linear time. Looks at
 * `positions`, or everywhere. A key may begin and end at one of the `borders`, even between letters.
 */
export function findSecretForms(text: string, positions?: Uint32Array, borders: readonly number[] = []): FormScan {
  const found: FoundSecret[] = [];
  let openFrom = text.length;
  /** The end of the last secret. */
  let foundTo = -1;
  /** How far each form was tried without success. No match begins before that. */
  const passed = new Map<TokenForm, number>();
  const tries: Tries = {until: 0, left: 0};
  const count = positions?.length ?? text.length;
  for (let step = 0; step < count; step += 1) {
    const at = positions?.[step] ?? step;
    if (at < foundTo) continue;
    const kind = kindOf(text.charCodeAt(at));
    const candidate =
      (kind & startsToken) !== 0 &&
      ((at !== foundTo && !isAfterWord(text, at)) || isAfterEscape(text, at) || isBorder(borders, at))
        ? tokenAt(text, {at, passed, borders})
        : undefined;
    const seen = candidate ?? ((kind & separates) === 0 ? undefined : afterSeparator(text, {at, tries}));
    if (seen === undefined) continue;
    if (seen.to === text.length) openFrom = Math.min(openFrom, seen.from);
    if (seen.name === '') continue;
    found.push({from: seen.from, to: seen.to, name: seen.name});
    foundTo = Math.max(at + 1, seen.to);
  }
  return {found, openFrom};
}

/** A possible secret. Its name is empty if the text so far does not contain a whole one. */
type Candidate = FoundSecret;

const isWord = 1;
const startsToken = 2;
const separates = 4;
const closesName = 8;

const kinds = new Uint8Array(128);
for (const range of ['09', 'AZ', 'az']) kinds.fill(isWord, range.charCodeAt(0), range.charCodeAt(1) + 1);
const byFirst = new Map<number, {readonly start: string; readonly form: TokenForm}[]>();
for (const form of tokenForms) {
  for (const start of form.starts) {
    const first = start.charCodeAt(0);
    kinds[first] = (kinds[first] ?? 0) | startsToken;
    byFirst.set(first, [...(byFirst.get(first) ?? []), {start, form}]);
  }
}
for (const separator of '=:') kinds[separator.charCodeAt(0)] = separates;
for (const closer of ' \t"\'`\\]?') kinds[closer.charCodeAt(0)] = closesName;

const kindOf = (code: number): number => (code < 128 ? (kinds[code] ?? 0) : 0);

const isAfterWord = (text: string, at: number): boolean => (kindOf(text.charCodeAt(at - 1)) & isWord) !== 0;

const bodies = new Map<TokenForm['body'], RegExp>();

/** Patterns are compiled at first use, because most runs of weft see no key. */
function bodyPattern(body: TokenForm['body']): RegExp {
  const pattern = bodies.get(body) ?? new RegExp(`[${bodyClasses[body]}]*`, 'uy');
  bodies.set(body, pattern);
  return pattern;
}

/** True if a word begins here although a letter or digit precedes it: after `\n` and `%20`. */
function isAfterEscape(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  if ('nrt'.includes(before)) return text.charAt(at - 2) === '\\';
  return text.charAt(at - 3) === '%' && /^[\dA-Fa-f]{2}$/u.test(text.slice(at - 2, at));
}

const isBorder = (borders: readonly number[], at: number): boolean =>
  borders.length > 0 && nextPosition(borders, at - 1) === at;

function tokenAt(
  text: string,
  {
    at,
    passed,
    borders = [],
  }: {readonly at: number; readonly passed: Map<TokenForm, number>; readonly borders?: readonly number[]},
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
    // A period at the end of a sentence is not part of the key.
    const to = at + start.length + run.length;
    const body = to === text.length ? run : run.replace(/[.-]+$/u, '');
    const from = form.start === 'secret' ? at : at + start.length;
    if (body.length >= form.least && form.check(body)) {
      return {from, to: at + start.length + body.length, name: form.name};
    }
    const whole = borders.length === 0 ? body : text.slice(at + start.length, nextPosition(borders, at + start.length));
    if (whole.length < body.length && whole.length >= form.least && form.check(whole)) {
      return {from, to: at + start.length + whole.length, name: form.name};
    }
    passed.set(form, to);
    if (to === text.length) open = {from, to, name: ''};
  }
  return open;
}

/** How often a value may still be tried in a part of the text. Without a limit it would be tried at each separator. */
interface Tries {
  until: number;
  left: number;
}

const maxTries = 8;

function afterSeparator(
  text: string,
  {at, tries}: {readonly at: number; readonly tries: Tries},
): Candidate | undefined {
  return text.startsWith('://', at) ? passwordAt(text, at + 3) : assignedAt(text, {at, tries});
}

const authority = /[^\s/?#"'<>`\\]{0,512}/uy;

/** Finds the password in `user:password@host` after `://`. */
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

/** How many units before a separator may be its name, and how long a value may be. */
export const longestName = 64;
const longestAssigned = 512;

/** The maximum number of units between a name and its separator. */
export const maxClosers = 8;
export const isNameCloser = (code: number): boolean => (kindOf(code) & closesName) !== 0;

function assignedAt(text: string, {at, tries}: {readonly at: number; readonly tries: Tries}): Candidate | undefined {
  if (at < tries.until && tries.left === 0) return undefined;
  const name = nameBefore(text, at);
  if (name === '') return undefined;
  const kind = secretName(name.startsWith('-') ? name.replace(/^-+/u, '') : name);
  if (kind === 'none') return undefined;
  const place = valueAfter(text, at, kind);
  if (place === undefined) return undefined;
  const {from, quote} = place;
  if (from >= text.length) return {from, to: text.length, name: ''};
  const {value, to} = readValue(text, from, quote);
  tries.left = at < tries.until ? tries.left - 1 : maxTries;
  tries.until = Math.max(tries.until, to);
  const isNamed = quote === '' && text[at + 1] === ' ' && namesValue(value, text.slice(from + value.length, to + 3));
  if (!isNamed && isSecretValue(value, {kind, quote, next: text.slice(to, to + 1)})) {
    // A key's form says more than its variable's name.
    const token = tokenAt(text, {at: from, passed: new Map()});
    const ownName = kind === 'header' ? 'AUTHORIZATION' : name;
    return {from, to: from + value.length, name: token === undefined || token.name === '' ? ownName : token.name};
  }
  return to === text.length ? {from, to, name: ''} : undefined;
}

/** True if a program names a value's source or type, as in `token: tokenFromFile,` and `key: Uint8Array | undefined`. */
const namesValue = (value: string, behind: string): boolean =>
  /^(?:\s*[,;)}\]>]| [|&=?} ])/u.test(behind) && nameInProgram.test(value);

const nameInProgram = /^[!$_]*[A-Za-z][a-z]*\d{0,3}(?:[A-Z][a-z]+\d{0,2}|[A-Z]+(?![a-z]))*$/u;

/** Returns the name before a separator. White space and closing quotes may come between. */
function nameBefore(text: string, separator: number): string {
  let end = separator;
  while (end > 0 && separator - end < maxClosers && isNameCloser(text.charCodeAt(end - 1))) end -= 1;
  let start = end;
  while (start > 0 && end - start < longestName && isWordOrDash(text.charCodeAt(start - 1))) start -= 1;
  return text.slice(start, end);
}

/** True for letters, digits, `_` and `-`. */
export const isWordOrDash = (code: number): boolean =>
  code === 0x5f || code === 0x2d || (code < 128 && ((kinds[code] ?? 0) & isWord) !== 0);

const beforeValue = /[=:]?>?[ \t]{0,8}(?:(?:str|string|bytes|String)[ \t]*=[ \t]*)?(\\*["'`])?/uy;
const scheme = /(?:Bearer|Basic|Token|ApiKey|Api-Key|Digest|Negotiate|AWS4-HMAC-SHA256|Splunk)[ \t]+/iuy;

function valueAfter(
  text: string,
  separator: number,
  kind: SecretName,
): {readonly from: number; readonly quote: string} | undefined {
  // `==` compares.
  if (text.startsWith('==', separator) || '=!<>:'.includes(text[separator - 1] ?? ' ')) return undefined;
  beforeValue.lastIndex = separator + 1;
  const [before = '', quote = ''] = beforeValue.exec(text) ?? [];
  const from = separator + 1 + before.length;
  if (kind !== 'header') return {from, quote};
  scheme.lastIndex = from;
  return {from: from + (scheme.exec(text)?.[0].length ?? 0), quote};
}

const unquoted = /[^\s"'`<>\\;&]{0,512}/uy;

/** Returns the value, and the end of the text that was read. */
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

function isSecretValue(
  value: string,
  place: {readonly kind: SecretName; readonly quote: string; readonly next: string},
): boolean {
  if (!isDistinctive(value)) return false;
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
