import {mayHoldEscapes} from '../../base/escape-sequences.ts';
import {placeholderForm, placeholderStart, type PlaceholderRegistry} from './placeholders.ts';
import {type Anchors, findAnchors, privateKeyMark, textOfBase64} from './anchors.ts';
import type {AlignedBytes, LiteralMatch} from './literal-finder.ts';
import {type FormScan, type FoundSecret, findSecretForms} from './secret-forms.ts';
import {findStatedSecrets} from './contextual-secrets.ts';
import {nextPosition, withoutEscapes} from './shown-text.ts';
import {isWords} from './secret-value.ts';

/** The secrets in text order, without overlaps. */
interface SecretScan extends FormScan {
  readonly mentionsPrivateKey: boolean;
  /** See `findStatedSecrets`. */
  readonly openTable: string;
  /** The beginning of a known secret that the end of the text cuts off. */
  readonly cut: readonly FoundSecret[];
  /** Whether the text from `openFrom` on is too short to reveal anything. */
  readonly opensBriefly: boolean;
  /** The position of an escape sequence that the end of the text cuts off, or the length of the text if there is none. */
  readonly escapeFrom: number;
}

/** The minimum number of units of a secret that reveal something about the secret. */
const shortestCut = 6;

interface SearchedText {
  readonly text: string;
  /** `bytes`: each unit is a byte. */
  readonly domain: 'text' | 'bytes';
  /** `open`: more text may follow, so a secret at the end may be incomplete. */
  readonly end: 'closed' | 'open';
  /** The text again, if its units are bytes and it is at hand. */
  readonly aligned?: AlignedBytes;
}

/**
 * Finds secrets by their value or form. A secret that is found by its form is found by its value from then on. It
 * looks at the anchors of the text, or everywhere. Escape sequences may be inside and beside secrets.
 */
export function findSecrets(
  searched: SearchedText,
  vault: PlaceholderRegistry,
  anchorsOf: typeof findAnchors = findAnchors,
): SecretScan {
  const {text, domain, end} = searched;
  const parts = mayHoldEscapes(text, domain) ? withoutEscapes(text, domain) : undefined;
  if (parts === undefined) return findInPlainText(searched, vault, anchorsOf);
  const {shown, inside, escapeFrom} = parts;
  const scan = findInPlainText({text: shown.text, domain, end}, vault, anchorsOf, shown.starts);
  const inText = ({from, to, name}: FoundSecret): FoundSecret => {
    const range = shown.original({from, to});
    // More of the secret may follow the sequences at the end of the text.
    return {from: range.from, to: end === 'open' && to === shown.text.length ? text.length : range.to, name};
  };
  const {found, cut} =
    inside.text === '' ? nothingFound : findInPlainText({text: inside.text, domain, end}, vault, anchorsOf);
  const inEscapes = [...found, ...cut]
    .filter(({from, to}) => nextPosition(inside.starts, from) >= to)
    .map(({from, to, name}) => ({...inside.original({from, to}), name}));
  const {openFrom} = scan;
  return {
    ...scan,
    found: mergeOverlaps([...scan.found.map(inText), ...inEscapes]),
    cut: scan.cut.map(inText),
    openFrom: openFrom < shown.text.length ? shown.original({from: openFrom, to: openFrom + 1}).from : escapeFrom,
    escapeFrom,
  };
}

const nothingFound = {found: [], cut: []};

/** Finds the secrets in a text without escape sequences. Such sequences were at `borders`. */
function findInPlainText(
  {text, domain, end, aligned}: SearchedText,
  vault: PlaceholderRegistry,
  anchorsOf: typeof findAnchors,
  borders: readonly number[] = [],
): SecretScan {
  const anchors = anchorsOf(text, aligned);
  const forms = findSecretForms(text, anchors?.forms, borders);
  const mentionsPrivateKey = anchors?.mentionsPrivateKey ?? text.includes(privateKeyMark);
  const keys = mentionsPrivateKey ? findPrivateKeys(text) : {found: [], openFrom: text.length};
  const stated = findStatedSecrets(text, anchors?.words);
  const byForm = [...forms.found, ...keys.found, ...stated.found];
  for (const {from, to, name} of byForm) {
    const value = text.slice(from, to);
    if (end === 'open' && to === text.length) continue;
    if (!isWords(value) || value.length >= 20) vault.redactEverywhere(decodeUnits(value, domain), name);
  }
  const finder = vault.finder(domain);
  const byValue: FoundSecret[] = [];
  const next = (from: number): LiteralMatch | undefined => finder.next(text, from, anchors);
  for (let hit = next(0); hit !== undefined; hit = next(hit.from + hit.literal.length)) {
    const name = vault.nameOf(decodeUnits(hit.literal, domain));
    byValue.push({from: hit.from, to: hit.from + hit.literal.length, name});
  }
  const wrapped = findWrapped({text, domain, bytes: anchors?.bytes}, encoded => {
    const content = textOfBase64(encoded);
    return holdsSecret(content.text, vault, anchorsOf(content.text, content.aligned));
  });
  const found = mergeOverlaps([...byForm, ...byValue, ...wrapped.found]);
  const known = finder.openFrom(text);
  const openFrom = Math.min(forms.openFrom, keys.openFrom, stated.openFrom, wrapped.openFrom, known);
  return {
    found: found.length > 0 && text.includes(placeholderStart) ? outsidePlaceholders(found, text) : found,
    mentionsPrivateKey,
    openFrom,
    openTable: stated.openTable,
    cut: text.length - known < shortestCut ? [] : [{from: known, to: text.length, name: 'CUT'}],
    opensBriefly: text.length - openFrom < shortestCut,
    escapeFrom: text.length,
  };
}

const holdsSecret = (content: string, vault: PlaceholderRegistry, anchors: Anchors | undefined): boolean =>
  findSecretForms(content, anchors?.forms).found.length > 0 ||
  (anchors?.mentionsPrivateKey ?? content.includes(privateKeyMark)) ||
  vault.finder('bytes').next(content, 0, anchors) !== undefined;

/** Decodes units, which may be bytes of UTF-8. */
export const decodeUnits = (value: string, domain: SearchedText['domain']): string =>
  domain === 'text' ? value : Buffer.from(value, 'latin1').toString('utf8');

function mergeOverlaps(found: readonly FoundSecret[]): readonly FoundSecret[] {
  const result: FoundSecret[] = [];
  for (const each of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = result.at(-1);
    if (last === undefined || each.from >= last.to) {
      result.push(each);
    } else if (each.to > last.to) {
      const name = each.to - each.from > last.to - last.from ? each.name : last.name;
      result[result.length - 1] = {from: last.from, to: each.to, name};
    }
  }
  return result;
}

function outsidePlaceholders(found: readonly FoundSecret[], text: string): readonly FoundSecret[] {
  const taken = [...text.matchAll(placeholderForm)].map(({index, 0: {length}}) => ({from: index, to: index + length}));
  return found.filter(({from, to}) => taken.every(each => to <= each.from || from >= each.to));
}

const keyStart = /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/gu;
const keyEnd = '-----END';

/** How many units after the start of a private key its end may be, and how long an incomplete line may be. */
const longestKey = 20_000;
const longestLine = 4096;

/** The maximum number of units after the last complete line of a key. */
const longestTail = 200;

/** Finds the lines of private keys. Each is a separate secret, so that the number of lines stays the same. */
function findPrivateKeys(text: string): FormScan {
  const found: FoundSecret[] = [];
  let openFrom = text.length;
  const heads = [...text.matchAll(keyStart)];
  let nextEnd = 0;
  for (const [number, {index, 0: head}] of heads.entries()) {
    const start = index + head.length;
    if (nextEnd >= 0 && nextEnd < start) nextEnd = text.indexOf(keyEnd, start);
    const limit = Math.min(heads[number + 1]?.index ?? text.length, start + longestKey);
    const end = nextEnd >= 0 && nextEnd < limit ? nextEnd : -1;
    const to = end < 0 ? limit : end;
    const body = text.slice(start, to);
    const runs = [...body.matchAll(/[A-Za-z0-9+/=]+/gu)];
    const isHeader = headerCheck(body);
    const tail = end < 0 ? undefined : runs.findLast(run => !isHeader(run.index));
    for (const run of runs) {
      if (run[0].length < (run === tail ? 4 : 16) || isHeader(run.index)) continue;
      // Source code that only mentions keys has names here.
      if (run[0].length < minOfLetters && isWords(run[0]) && !isLine(body, run)) continue;
      found.push({from: start + run.index, to: start + run.index + run[0].length, name: 'PRIVATE_KEY'});
    }
    if (end < 0 && to === text.length) {
      // The last line of a key may be short. The end marker after it identifies it.
      const long = runs.findLast(run => run[0].length >= 16 && !isHeader(run.index));
      const rest = long === undefined ? start : start + long.index + long[0].length;
      const line = Math.max(start, text.lastIndexOf('\n') + 1);
      const from = text.length - rest < longestTail ? Math.min(rest, line) : line;
      if (text.length - from < longestLine) openFrom = Math.min(openFrom, from);
    }
  }
  return {found, openFrom};
}

/** A shorter run of only letters may be a name, unless it fills its line. */
const minOfLetters = 40;

const isLine = (body: string, {0: run, index}: RegExpExecArray): boolean =>
  /^["']?(?:\\n)?$/u.test(lineAround(body, index).trim().replace(run, ''));

/** Returns a check whether a position is in a header of a key, such as `Proc-Type: 4,ENCRYPTED`. It remembers one line. */
function headerCheck(body: string): (at: number) => boolean {
  let to = -1;
  let from = 0;
  let isHeader = false;
  return at => {
    if (at < from || at >= to) {
      from = body.lastIndexOf('\n', at) + 1;
      const end = body.indexOf('\n', at);
      to = end < 0 ? body.length : end;
      isHeader = /^[A-Za-z][\w-]*: /mu.test(body.slice(from, to));
    }
    return isHeader;
  };
}

function lineAround(text: string, at: number): string {
  const end = text.indexOf('\n', at);
  return text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? text.length : end);
}

/** True if a private key begins in `text` and does not end. */
export function isInsideKey(text: string): boolean {
  const head = [...text.matchAll(keyStart)].at(-1);
  return head !== undefined && !text.includes(keyEnd, head.index);
}

/** The line lengths of base64 in the output of `base64`, in mails and in keys. */
const narrowest = 60;
const widest = 76;

/** The longest incomplete block, and the shortest first line of a block. */
const longestBlock = 16_000;
const minFirstLine = 16;

interface Base64Line {
  readonly from: number;
  readonly to: number;
  /** The position of the line feed, or -1 if the text ends before it. */
  readonly feed: number;
  /** Whether the line is base64, whose last two characters may be `=`. */
  readonly isBase64: boolean;
}

/**
 * Finds base64 in lines of one width. If a decoded block contains a secret, each of its lines is one. `openFrom` is the start of
 * a block that may continue after the text.
 */
function findWrapped(
  {text, domain, bytes}: Pick<SearchedText, 'text' | 'domain'> & {readonly bytes: Uint8Array | undefined},
  isSecret: (encoded: string) => boolean,
): FormScan {
  // Numbers, because much output has very many lines.
  const blocks: (readonly [from: number, to: number])[] = [];
  let lines = 0;
  let blockFrom = 0;
  let blockTo = 0;
  let width = 0;
  const close = (): void => {
    if (lines > 1) blocks.push([blockFrom, blockTo]);
    lines = 0;
  };
  let openFrom = text.length;
  const lastLine = text.lastIndexOf('\n') + 1;
  for (let at = 0; at < text.length;) {
    if (lines === 0 && bytes !== undefined) {
      // Only a line with a long run begins a block.
      const run = Math.min(lastLine, nextBase64Run(bytes, at));
      if (run > at) at = Math.max(at, text.lastIndexOf('\n', run - 1) + 1);
    }
    const {from, to, feed, isBase64} =
      domain === 'bytes' && bytes !== undefined ? lineInBytes(bytes, at) : lineAt(text, at);
    at = feed < 0 ? text.length : feed + 1;
    const length = to - from;
    const fits = isBase64 && length <= (lines === 0 ? widest : width);
    if (!fits) close();
    if (fits && (lines > 0 || length >= narrowest)) {
      if (lines === 0) [blockFrom, width] = [from, length];
      blockTo = to;
      lines += 1;
    }
    if (feed < 0 && fits && (lines > 0 || length >= minFirstLine)) openFrom = lines > 0 ? blockFrom : from;
    else if (lines > 1 && length < width) close();
  }
  // The last line is complete, but the next line may belong to the block.
  if (lines > 0) openFrom = Math.min(openFrom, blockFrom);
  close();
  // The search in a block takes the memory of `bytes`.
  const found = blocks
    .filter(([from, to]) => isSecret(text.slice(from, to)))
    .flatMap(([from, to]) => linesIn(text, from, to));
  return {found, openFrom: text.length - openFrom > longestBlock ? text.length : openFrom};
}

function linesIn(text: string, from: number, to: number): readonly FoundSecret[] {
  const runs = text.slice(from, to).matchAll(/[A-Za-z0-9+/=]+/gu);
  return Array.from(runs, ({index, 0: {length}}) => ({from: from + index, to: from + index + length, name: 'BASE64'}));
}

/** Returns where a run of base64 begins that fills a line, or the number of bytes. Skips most of the bytes. */
function nextBase64Run(bytes: Uint8Array, from: number): number {
  let start = from;
  for (let at = from + shortestRun - 1; at < bytes.length;) {
    let before = at;
    while (before >= start && base64Signs[bytes[before] ?? 0] === 1) before -= 1;
    if (before < start) return start;
    start = before + 1;
    at = start + shortestRun - 1;
  }
  return bytes.length;
}

/** The length of the shortest full line without its `=`. */
const shortestRun = narrowest - 2;

const base64Signs = new Uint8Array(256);
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  base64Signs[sign.charCodeAt(0)] = 1;

function lineAt(text: string, from: number): Base64Line {
  const feed = text.indexOf('\n', from);
  const end = feed < 0 ? text.length : feed;
  const to = end > from && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end;
  return {from, to, feed, isBase64: to - from <= widest && base64Form.test(text.slice(from, to))};
}

const base64Form = /^[A-Za-z0-9+/]+={0,2}$/u;

/** Does the same, and takes a third of the time. */
function lineInBytes(bytes: Uint8Array, from: number): Base64Line {
  const {length} = bytes;
  const longest = Math.min(length, from + widest + 1);
  let to = from;
  while (to < longest && base64Signs[bytes[to] ?? 0] === 1) to += 1;
  const isRun = to > from && to - from <= widest;
  const longestEnd = isRun ? Math.min(length, to + 2) : to;
  while (to < longestEnd && bytes[to] === equalsSign) to += 1;
  const end = to < length && bytes[to] === carriageReturn ? to + 1 : to;
  if (isRun && end >= length) return {from, to, feed: -1, isBase64: true};
  if (isRun && bytes[end] === lineFeed) return {from, to, feed: end, isBase64: true};
  const feed = bytes.indexOf(lineFeed, to);
  return {from, to: feed < 0 ? length : feed, feed, isBase64: false};
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const equalsSign = 0x3d;
