import {normalText, tiers, type NormalText, type Tier} from './normal-text.ts';
import {reindented} from './reindent.ts';

/** What to look for and what to put in its place, both with `\n` as line end. */
export interface Wanted {
  readonly oldText: string;
  readonly newText: string;
}

/** Offsets in the text that was searched; `text` takes the place of what is between them. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Places where a text stands, all found on the first tier on which there are any. */
export interface Places {
  readonly tier: Tier;
  /** Whether line numbers copied from Read were left out of it. */
  readonly numbers: 'as-given' | 'left-out';
  /** The first ones, in order; offsets of the whole match. */
  readonly spans: readonly Span[];
  readonly count: number;
  /** The change of one of the spans; `undefined` where the new text cannot be indented as the file is. */
  splice(span: Span): Splice | undefined;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Spans kept, and spans counted: a text that stands everywhere is not counted to its end. */
const mostSpans = 1000;
export const mostCounted = 10_000;

/**
 * Looks for the old text: exactly, then without line numbers that Read prints, then apart from what models get wrong. `lines`
 * demands that it begins and ends with a line, `from` is the offset where the search begins.
 */
export function findText(
  text: string,
  wanted: Wanted,
  {borders, from}: {readonly borders: 'anywhere' | 'lines'; readonly from: number},
): Places | undefined {
  const bare = withoutNumbers(wanted);
  for (const tier of tiers) {
    const normal = normalText(text, tier);
    for (const [given, numbers] of [
      [wanted, 'as-given'] as const,
      ...(bare === undefined ? [] : [[bare, 'left-out'] as const]),
    ]) {
      const found = findOn(tier, {text, normal, wanted: given, borders, from});
      if (found.count > 0)
        return {tier, numbers, ...found, splice: span => spliceOf(span, {text, tier, wanted: given})};
    }
  }
  return undefined;
}

function findOn(
  tier: Tier,
  search: {
    readonly text: string;
    readonly normal: NormalText;
    readonly wanted: Wanted;
    readonly borders: 'anywhere' | 'lines';
    readonly from: number;
  },
): {readonly spans: readonly Span[]; readonly count: number} {
  const {text, normal, wanted, from} = search;
  const old = normalText(wanted.oldText, tier);
  if (tier !== 'exact' && old.text.trim() === '') return {spans: [], count: 0};
  const whole = search.borders === 'lines' || tier === 'indentation' || tier === 'indentation-and-typography';
  // Space at its end was left out, so what follows must be the end of a line.
  const endsLine = whole || (tier !== 'exact' && /[ \t]$/u.test(wanted.oldText));
  const spans: Span[] = [];
  let count = 0;
  for (let at = normal.text.indexOf(old.text); at >= 0; at = normal.text.indexOf(old.text, at + 1)) {
    const after = at + old.text.length;
    if (whole && at > 0 && normal.text[at - 1] !== '\n') continue;
    if (endsLine && !old.text.endsWith('\n') && after < normal.text.length && normal.text[after] !== '\n') continue;
    const first = normal.at(at);
    const start = whole && first > 0 ? text.lastIndexOf('\n', first - 1) + 1 : first;
    if (start < from) continue;
    count += 1;
    if (count >= mostCounted) break;
    if (spans.length < mostSpans) spans.push({start, end: normal.at(after - 1) + 1});
  }
  return {spans, count};
}

function spliceOf(
  span: Span,
  {text, tier, wanted}: {readonly text: string; readonly tier: Tier; readonly wanted: Wanted},
): Splice | undefined {
  switch (tier) {
    case 'exact':
    case 'line-ends':
    case 'typography':
      return narrowed(span, {text, tier, wanted});
    default: {
      const there = text.slice(span.start, span.end);
      const put = reindented(there, wanted);
      return put === undefined ? undefined : tightened({...span, text: put}, there);
    }
  }
}

/** What old and new text have in common at both ends stays as the file has it. */
function narrowed(
  span: Span,
  {text, tier, wanted}: {readonly text: string; readonly tier: Tier; readonly wanted: Wanted},
): Splice {
  const {oldText, newText} = wanted;
  const head = commonStart(oldText, newText);
  const tail = commonEnd(oldText.slice(head), newText.slice(head));
  const inserted = newText.slice(head, newText.length - tail);
  if (tier === 'exact') return {start: span.start + head, end: span.end - tail, text: inserted};

  const old = normalText(oldText, tier);
  const there = normalText(text.slice(span.start, span.end), tier);
  const place = (offset: number): number => {
    // The character of the normal text that begins at or after `offset` of the old text.
    let low = 0;
    let high = old.text.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (old.at(middle) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const first = place(head);
  const last = place(oldText.length - tail);
  const start = head === 0 ? span.start : span.start + there.at(first);
  const end = tail === 0 ? span.end : span.start + there.at(last);
  return {start: Math.min(start, end), end: Math.max(start, end), text: inserted};
}

/** Leaves out of a splice what stands there already. */
function tightened(splice: Splice, there: string): Splice {
  const head = commonStart(there, splice.text);
  const tail = commonEnd(there.slice(head), splice.text.slice(head));
  return {
    start: splice.start + head,
    end: splice.end - tail,
    text: splice.text.slice(head, splice.text.length - tail),
  };
}

/** `undefined` where not every line begins with a number of a sequence, as Read and its like print them. */
function withoutNumbers({oldText, newText}: Wanted): Wanted | undefined {
  let next: number | undefined;
  const lines = oldText.split('\n');
  for (const [at, line] of lines.entries()) {
    if (line === '' && at === lines.length - 1 && at > 0) break;
    const number = numberedLine.exec(line)?.[1];
    if (number === undefined || (next !== undefined && Number(number) !== next)) return undefined;
    next = Number(number) + 1;
  }
  return {oldText: stripped(oldText), newText: stripped(newText)};
}

const stripped = (text: string): string =>
  text
    .split('\n')
    .map(line => line.replace(numberedLine, ''))
    .join('\n');

const numberedLine = /^ {0,9}(\d{1,9})(?:\t|→|\|)/u;

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return splitsPair(a, length) || splitsPair(b, length) ? length - 1 : length;
}

function commonEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length += 1;
  return splitsPair(a, a.length - length) || splitsPair(b, b.length - length) ? length - 1 : length;
}

/** Whether the two halves of one character lie around `offset`: it is replaced as a whole. */
const splitsPair = (text: string, offset: number): boolean =>
  offset > 0 && (text.charCodeAt(offset - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(offset) & 0xfc00) === 0xdc00;
