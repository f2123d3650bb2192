/** The text to find and its replacement, both with `\n` line endings. */
export interface TextPair {
  readonly oldText: string;
  readonly newText: string;
}

/** Replaces the characters from `start` to `end` of the searched text with `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The matches of a text. All come from the same tier: the first one with any match. */
export interface TextMatches {
  readonly tier: Tier;
  /** Whether line numbers, which the model copied from Read, were removed before the search. */
  readonly numbers: 'as-given' | 'left-out';
  /** The first matches, in order. */
  readonly spans: readonly TextSpan[];
  readonly count: number;
  /** Returns the replacement for one of the spans, or `undefined` if the new text can't be indented as the file is. */
  splice(span: TextSpan): Splice | undefined;
}

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The number of matches to keep, and the number at which counting stops. */
const maxSpans = 1000;
export const maxCountedMatches = 10_000;

/**
 * Finds the old text. Tries an exact match, then one without the line numbers that Read prints, then the tolerant tiers
 * (see `tiers`). With `lines`, a match must begin and end at line boundaries. The search begins at the offset `from`.
 */
export function findText(
  text: string,
  wanted: TextPair,
  {borders, from}: {readonly borders: 'anywhere' | 'lines'; readonly from: number},
): TextMatches | undefined {
  const bare = stripLineNumbers(wanted);
  for (const tier of tiers) {
    const normal = normalizeText(text, tier);
    for (const [given, numbers] of [
      [wanted, 'as-given'] as const,
      ...(bare === undefined ? [] : [[bare, 'left-out'] as const]),
    ]) {
      const found = findOnTier(tier, {text, normal, wanted: given, borders, from});
      if (found.count > 0)
        return {tier, numbers, ...found, splice: span => spliceOf(span, {text, tier, wanted: given})};
    }
  }
  return undefined;
}

function findOnTier(
  tier: Tier,
  search: {
    readonly text: string;
    readonly normal: NormalizedText;
    readonly wanted: TextPair;
    readonly borders: 'anywhere' | 'lines';
    readonly from: number;
  },
): {readonly spans: readonly TextSpan[]; readonly count: number} {
  const {text, normal, wanted, from} = search;
  const old = normalizeText(wanted.oldText, tier);
  if (tier !== 'exact' && old.text.trim() === '') return {spans: [], count: 0};
  const whole = search.borders === 'lines' || tier === 'indentation' || tier === 'indentation-and-typography';
  // White space at the end of the old text was removed, so a match must end at a line end.
  const endsLine = whole || (tier !== 'exact' && /[ \t]$/u.test(wanted.oldText));
  const spans: TextSpan[] = [];
  let count = 0;
  for (let at = normal.text.indexOf(old.text); at >= 0; at = normal.text.indexOf(old.text, at + 1)) {
    const after = at + old.text.length;
    if (whole && at > 0 && normal.text[at - 1] !== '\n') continue;
    if (endsLine && !old.text.endsWith('\n') && after < normal.text.length && normal.text[after] !== '\n') continue;
    const first = normal.at(at);
    const start = whole && first > 0 ? text.lastIndexOf('\n', first - 1) + 1 : first;
    if (start < from) continue;
    count += 1;
    if (count >= maxCountedMatches) break;
    if (spans.length < maxSpans) spans.push({start, end: normal.at(after - 1) + 1});
  }
  return {spans, count};
}

function spliceOf(
  span: TextSpan,
  {text, tier, wanted}: {readonly text: string; readonly tier: Tier; readonly wanted: TextPair},
): Splice | undefined {
  switch (tier) {
    case 'exact':
    case 'line-ends':
    case 'typography':
      return narrowSplice(span, {text, tier, wanted});
    default: {
      const there = text.slice(span.start, span.end);
      const put = reindent(there, wanted);
      return put === undefined ? undefined : trimSplice({...span, text: put}, there);
    }
  }
}

/** Shortens a replacement: a common beginning and end of old and new text stay as they are in the file. */
function narrowSplice(
  span: TextSpan,
  {text, tier, wanted}: {readonly text: string; readonly tier: Tier; readonly wanted: TextPair},
): Splice {
  const {oldText, newText} = wanted;
  const head = commonPrefixLength(oldText, newText);
  const tail = commonSuffixLength(oldText.slice(head), newText.slice(head));
  const inserted = newText.slice(head, newText.length - tail);
  if (tier === 'exact') return {start: span.start + head, end: span.end - tail, text: inserted};

  const old = normalizeText(oldText, tier);
  const there = normalizeText(text.slice(span.start, span.end), tier);
  /** Returns the first character of the normalized text that begins at or after `offset` of the old text. */
  const indexAt = (offset: number): number => binarySearchFirst(old.text.length, at => old.at(at) >= offset);
  const first = indexAt(head);
  const last = indexAt(oldText.length - tail);
  const start = head === 0 ? span.start : span.start + there.at(first);
  const end = tail === 0 ? span.end : span.start + there.at(last);
  return {start: Math.min(start, end), end: Math.max(start, end), text: inserted};
}

/** Shortens a splice by the text at its start and end that the file already has. */
function trimSplice(splice: Splice, there: string): Splice {
  const head = commonPrefixLength(there, splice.text);
  const tail = commonSuffixLength(there.slice(head), splice.text.slice(head));
  return {
    start: splice.start + head,
    end: splice.end - tail,
    text: splice.text.slice(head, splice.text.length - tail),
  };
}

/** Returns `undefined` unless every line begins with a number and the numbers are consecutive, as in the output of Read. */
function stripLineNumbers({oldText, newText}: TextPair): TextPair | undefined {
  let next: number | undefined;
  const lines = oldText.split('\n');
  for (const [at, line] of lines.entries()) {
    if (line === '' && at === lines.length - 1 && at > 0) break;
    const number = numberedLine.exec(line)?.[1];
    if (number === undefined || (next !== undefined && Number(number) !== next)) return undefined;
    next = Number(number) + 1;
  }
  return {oldText: stripNumberPrefixes(oldText), newText: stripNumberPrefixes(newText)};
}

const stripNumberPrefixes = (text: string): string => text.replaceAll(/(?<=^|\n) {0,9}\d{1,9}(?:\t|→|\|)/gu, '');

const numberedLine = /^ {0,9}(\d{1,9})(?:\t|→|\|)/u;

function commonPrefixLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return splitsPair(a, length) || splitsPair(b, length) ? length - 1 : length;
}

function commonSuffixLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length += 1;
  return splitsPair(a, a.length - length) || splitsPair(b, b.length - length) ? length - 1 : length;
}

/** True if `offset` splits a surrogate pair. */
const splitsPair = (text: string, offset: number): boolean =>
  offset > 0 && (text.charCodeAt(offset - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(offset) & 0xfc00) === 0xdc00;

/**
 * The differences that a comparison ignores, in growing order: white space at line ends, then the difference between
 * typographic and plain characters, then indentation.
 */
const tiers = ['exact', 'line-ends', 'typography', 'indentation', 'indentation-and-typography'] as const;
export type Tier = (typeof tiers)[number];

/**
 * A text without what a tier ignores. `at(n)` is the offset in the original of its character n; if n is the length, it is the original's
 * end.
 */
interface NormalizedText {
  readonly text: string;
  at(offset: number): number;
}

function normalizeText(text: string, tier: Tier): NormalizedText {
  if (tier === 'exact') return {text, at: offset => offset};
  const indented = tier === 'line-ends' || tier === 'typography';
  const typographic = tier === 'typography' || tier === 'indentation-and-typography';
  return trimLines(typographic ? toAsciiPunctuation(text) : text, indented ? 'end' : 'both');
}

/** Uses a loop because a regular expression would take quadratic time for a long run of spaces. */
function trimLines(text: string, sides: 'end' | 'both'): NormalizedText {
  /** Offsets in the result at which something was removed, and the total removed up to each of them. */
  const cuts: number[] = [];
  const sums: number[] = [];
  const parts: string[] = [];
  let done = 0;
  let sum = 0;
  const drop = (start: number, end: number): void => {
    if (start === end) return;
    parts.push(text.slice(done, start));
    cuts.push(start - sum);
    sum += end - start;
    sums.push(sum);
    done = end;
  };
  for (let start = 0; start <= text.length;) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    let first = start;
    if (sides === 'both') while (first < end && isSpace(text.charCodeAt(first))) first += 1;
    let last = end;
    while (last > first && isSpace(text.charCodeAt(last - 1))) last -= 1;
    drop(start, first);
    drop(last, end);
    start = end + 1;
  }
  parts.push(text.slice(done));
  return {
    text: parts.join(''),
    at: offset => offset + (sums[binarySearchFirst(cuts.length, at => (cuts[at] ?? Infinity) > offset) - 1] ?? 0),
  };
}

/**
 * Binary search: returns the first of `length` indexes for which `holds` is true, or `length` if there is none. `holds` must not turn false
 * again.
 */
export function binarySearchFirst(length: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

/** Replaces each typographic character by one plain character, so that offsets stay the same. */
export function toAsciiPunctuation(text: string): string {
  if (!typographic.test(text)) return text;
  return text
    .replaceAll(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/gu, ' ')
    .replaceAll(/[\u2018-\u201b\u2032]/gu, "'")
    .replaceAll(/[\u201c-\u201f\u2033]/gu, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/gu, '-');
}

const typographic = /[\u00a0\u2002-\u200a\u2010-\u201f\u202f\u2032\u2033\u205f\u2212\u3000]/u;

/**
 * Indents the new text as the file is, for a match that differs in indentation. `there` is the matched text of the file: the lines of
 * `oldText`, apart from white space at line ends. Unchanged lines stay as they are in the file. Returns `undefined` if no rule maps the
 * indentation of `oldText` to that of the file.
 */
function reindent(
  there: string,
  {oldText, newText}: {readonly oldText: string; readonly newText: string},
): string | undefined {
  const present = there.split('\n');
  const old = oldText.split('\n');
  const fresh = newText.split('\n');
  const rule = indentRule(present, old);
  if (rule === undefined) return undefined;

  let head = 0;
  while (head < Math.min(old.length, fresh.length, present.length) && old[head] === fresh[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;

  const changed: string[] = [];
  for (const line of fresh.slice(head, fresh.length - tail)) {
    const indent = indentOf(line);
    const put = line === indent ? '' : rule(indent);
    if (put === undefined) return undefined;
    changed.push(put + line.slice(indent.length));
  }
  return [...present.slice(0, head), ...changed, ...present.slice(present.length - tail)].join('\n');
}

/** Returns a function that maps an indentation of the old text to that of the file. */
function indentRule(
  present: readonly string[],
  old: readonly string[],
): ((indent: string) => string | undefined) | undefined {
  const pairs = new Map<string, string>();
  for (const [at, line] of old.entries()) {
    const from = indentOf(line);
    if (from === line) continue;
    const to = indentOf(present[at] ?? '');
    const known = pairs.get(from);
    // One indentation of the old text matches two in the file, so there is no rule.
    if (known !== undefined && known !== to) return undefined;
    pairs.set(from, to);
  }
  const units = {old: indentUnitOf([...pairs.keys()]), file: indentUnitOf([...pairs.values()])};
  return indent => {
    const exact = pairs.get(indent);
    if (exact !== undefined) return exact;
    const base = nearestBase(indent, [...pairs.keys()]);
    if (base === undefined) return undefined;
    const to = pairs.get(base) ?? '';
    if (indent.length > base.length) return to + convertIndent(indent.slice(base.length), units, to);
    const less = convertIndent(base.slice(indent.length), units, to);
    return to.endsWith(less) ? to.slice(0, to.length - less.length) : undefined;
  };
}

/** Returns the longest known indentation that `indent` begins with, or else the shortest one that begins with `indent`. */
function nearestBase(indent: string, known: readonly string[]): string | undefined {
  const sorted = known.toSorted((a, b) => b.length - a.length);
  return sorted.find(each => indent.startsWith(each)) ?? sorted.findLast(each => each.startsWith(indent));
}

/** Converts `part` of an indentation level by level if old text and file use different widths. */
function convertIndent(
  part: string,
  units: {readonly old: string | undefined; readonly file: string | undefined},
  beside: string,
): string {
  const old = units.old ?? (part.startsWith('\t') ? '\t' : part.length % 4 === 0 ? '    ' : '  ');
  const file = units.file ?? (beside.includes('\t') ? '\t' : undefined);
  if (file === undefined || file === old || part.length % old.length !== 0) return part;
  return file.repeat(part.length / old.length);
}

/** Returns one level of indentation: a tab, or the smallest step between two of the indentations. */
function indentUnitOf(indents: readonly string[]): string | undefined {
  if (indents.some(indent => indent.includes('\t'))) return '\t';
  const lengths = [...new Set(indents.map(indent => indent.length))].toSorted((a, b) => a - b);
  const steps = lengths.slice(1).map((length, at) => length - (lengths[at] ?? 0));
  return steps.length === 0 ? undefined : ' '.repeat(Math.min(...steps));
}

const indentOf = (line: string): string => /^[ \t]*/u.exec(line)?.[0] ?? '';
