import type {Replacement} from '../../domain/file-edit.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {explainMiss, type QuotePolicy} from './explain-miss.ts';
import {findText, maxCountedMatches, type TextMatches, type Splice, type Tier, type TextPair} from './find-text.ts';
import {lineView, type LineView, normalizeLineEndings, applySplices} from './line-endings.ts';

/** A text after one change, with notes on how the old text was matched. */
export interface ChangedText {
  readonly text: string;
  readonly notes: readonly string[];
}

const maxListed = 5;

/**
 * Replaces text in a file. Old and new text use `\n`, whatever line endings the file has. The match is exact, or
 * ignores what models commonly get wrong; an inexact match must be the only one. Leaves the common part of old and new
 * text untouched. The error is for the model.
 */
export function applyReplacement(
  text: string,
  replacement: Replacement,
  quoting: QuotePolicy,
): Outcome<ChangedText, string> {
  if (replacement.oldText === replacement.newText) return failed(sameTexts);
  const strict = findIn(text, replacement, 'strict');
  if (strict.wanted.oldText === strict.wanted.newText) return failed(sameTexts);
  const loose = strict.found === undefined && /\r(?!\n)/u.test(text) ? findIn(text, replacement, 'loose') : strict;
  const {view, wanted, found} = loose.found === undefined ? strict : loose;
  if (found === undefined) return failed(explainMiss(view.text, wanted, quoting));

  const exact = found.tier === 'exact' && found.numbers === 'as-given';
  if (replacement.occurrence === 'every' && exact) {
    // If the file has only one kind of line ending, weft need not list all matches.
    if (!text.includes('\r')) return ok({text: text.replaceAll(wanted.oldText, () => wanted.newText), notes: []});
    return ok({text: applySplices(text, view, allSplices(view.text, wanted, found)), notes: []});
  }
  if (replacement.occurrence === 'every') {
    return failed(
      `replacing every occurrence needs the exact text; ${ambiguousMatchText(view.text, found).replace(/;.*$/u, '')}: copy it exactly.`,
    );
  }
  const [only] = found.spans;
  if (found.count > 1 || only === undefined) return failed(ambiguousMatchText(view.text, found));
  const splice = found.splice(only);
  if (splice === undefined) {
    return failed(
      `the old text was not found; line ${lineNumberAt(view.text, only.start)} differs only in white space, but the right ` +
        'indentation of the new text is unclear: copy the old text exactly from the file.',
    );
  }
  if (view.text.slice(splice.start, splice.end) === splice.text) {
    return failed('nothing would change: the file already has the new text.');
  }
  return ok({text: applySplices(text, view, [splice]), notes: matchNotes(found)});
}

const sameTexts = 'the old and the new text are the same; nothing would change.';

function findIn(
  text: string,
  {oldText, newText}: TextPair,
  returns: 'strict' | 'loose',
): {readonly view: LineView; readonly wanted: TextPair; readonly found: TextMatches | undefined} {
  const view = lineView(text, returns);
  const wanted = {oldText: normalizeLineEndings(oldText, returns), newText: normalizeLineEndings(newText, returns)};
  return {view, wanted, found: findText(view.text, wanted, {borders: 'anywhere', from: 0})};
}

/** Returns matches that don't overlap, from the first one on. */
function allSplices(text: string, {oldText}: TextPair, found: TextMatches): readonly Splice[] {
  const splices: Splice[] = [];
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + oldText.length)) {
    const splice = found.splice({start: at, end: at + oldText.length});
    if (splice !== undefined) splices.push(splice);
  }
  return splices;
}

/** Returns notes on what an inexact match ignored. */
export function matchNotes({tier, numbers}: Pick<TextMatches, 'tier' | 'numbers'>): readonly string[] {
  const [first, ...others] = [...(numbers === 'left-out' ? ['line numbers'] : []), ...tierDifferences[tier]];
  if (first === undefined) return [];
  return [`matched apart from ${[first, ...others].join(' and ')}`];
}

const tierDifferences: Readonly<Record<Tier, readonly string[]>> = {
  exact: [],
  'line-ends': ['white space at line ends'],
  typography: ['typographic signs'],
  indentation: ['indentation, which was adapted'],
  'indentation-and-typography': ['typographic signs', 'indentation, which was adapted'],
};

/** Returns the error for an ambiguous match: how often and where the text occurs, and how to make it unique. */
export function ambiguousMatchText(
  text: string,
  {spans, count, tier}: Pick<TextMatches, 'spans' | 'count' | 'tier'>,
): string {
  const lines: number[] = [];
  let line = 1;
  let seen = 0;
  for (const {start} of spans) {
    if (lines.length > maxListed) break;
    line += countFeeds(text, seen, start);
    seen = start;
    if (lines.at(-1) !== line) lines.push(line);
  }
  const listed = lines.slice(0, maxListed).join(', ');
  const times = count === 1 ? 'once' : `${count < maxCountedMatches ? count : `at least ${count}`} times`;
  const apart =
    tier === 'exact' ? '' : ` apart from ${tierDifferences[tier].join(' and ').replace(', which was adapted', '')}`;
  const more = lines.length > maxListed || count > spans.length ? ', …' : '';
  return (
    `the old text occurs ${times}${apart} (${lines.length > 1 ? 'lines' : 'line'} ${listed}${more}); ` +
    'add surrounding lines to make it unique, or replace every occurrence.'
  );
}

const lineNumberAt = (text: string, offset: number): number => 1 + countFeeds(text, 0, offset);

function countFeeds(text: string, from: number, to: number): number {
  let feeds = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) feeds += 1;
  return feeds;
}
