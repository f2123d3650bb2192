import type {Replacement} from '../../domain/file-edit.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {explainMiss, type QuotePolicy} from './explain-miss.ts';
import {findText, maxCountedPlaces, type FoundPlaces, type Splice, type Tier, type TextPair} from './find-text.ts';
import {lineView, type LineView, plainEnds, applySplices} from './line-ends.ts';

/** A text after one change, and what should be said of how the place was found. */
export interface ChangedText {
  readonly text: string;
  readonly notes: readonly string[];
}

const maxListed = 5;

/**
 * Replaces text, read and written with `\n` whatever line ends the file has: exactly, or apart from what models get wrong, and
 * then only where it is the only place. What old and new text have in common is not touched. The error is for the model.
 */
export function applyReplacement(
  text: string,
  replacement: Replacement,
  quoting: QuotePolicy,
): Outcome<ChangedText, string> {
  if (replacement.oldText === replacement.newText) return failed(sameTexts);
  const strict = look(text, replacement, 'strict');
  if (strict.wanted.oldText === strict.wanted.newText) return failed(sameTexts);
  const loose = strict.found === undefined && /\r(?!\n)/u.test(text) ? look(text, replacement, 'loose') : strict;
  const {view, wanted, found} = loose.found === undefined ? strict : loose;
  if (found === undefined) return failed(explainMiss(view.text, wanted, quoting));

  const exact = found.tier === 'exact' && found.numbers === 'as-given';
  if (replacement.occurrence === 'every' && exact) {
    // Where lines end in one way only, a file full of matches needs no list of them.
    if (!text.includes('\r')) return ok({text: text.replaceAll(wanted.oldText, () => wanted.newText), notes: []});
    return ok({text: applySplices(text, view, every(view.text, wanted, found)), notes: []});
  }
  if (replacement.occurrence === 'every') {
    return failed(
      `every occurrence can only be of the exact text; ${ambiguousMatchText(view.text, found).replace(/;.*$/u, '')}: copy it exactly.`,
    );
  }
  const [only] = found.spans;
  if (found.count > 1 || only === undefined) return failed(ambiguousMatchText(view.text, found));
  const splice = found.splice(only);
  if (splice === undefined) {
    return failed(
      `the old text was not found; line ${lineNumberAt(view.text, only.start)} differs from it in white space only, but how ` +
        'the new text should be indented cannot be told: copy the old text exactly as Read shows it.',
    );
  }
  if (view.text.slice(splice.start, splice.end) === splice.text) {
    return failed('nothing would change: the file has the new text already.');
  }
  return ok({text: applySplices(text, view, [splice]), notes: matchNotes(found)});
}

const sameTexts = 'the old and the new text are the same; nothing would change.';

function look(
  text: string,
  {oldText, newText}: TextPair,
  returns: 'strict' | 'loose',
): {readonly view: LineView; readonly wanted: TextPair; readonly found: FoundPlaces | undefined} {
  const view = lineView(text, returns);
  const wanted = {oldText: plainEnds(oldText, returns), newText: plainEnds(newText, returns)};
  return {view, wanted, found: findText(view.text, wanted, {borders: 'anywhere', from: 0})};
}

/** Places that do not overlap, from the first on. */
function every(text: string, {oldText}: TextPair, found: FoundPlaces): readonly Splice[] {
  const splices: Splice[] = [];
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + oldText.length)) {
    const splice = found.splice({start: at, end: at + oldText.length});
    if (splice !== undefined) splices.push(splice);
  }
  return splices;
}

/** What to say of a place that was not found exactly. */
export function matchNotes({tier, numbers}: Pick<FoundPlaces, 'tier' | 'numbers'>): readonly string[] {
  const [first, ...others] = [...(numbers === 'left-out' ? ['line numbers'] : []), ...tierWords[tier]];
  if (first === undefined) return [];
  return [`matched apart from ${[first, ...others].join(' and ')}`];
}

const tierWords: Readonly<Record<Tier, readonly string[]>> = {
  exact: [],
  'line-ends': ['white space at line ends'],
  typography: ['typographic signs'],
  indentation: ['indentation, which was adapted'],
  'indentation-and-typography': ['typographic signs', 'indentation, which was adapted'],
};

/** Says how often and where a text stands, and how to tell the places apart. */
export function ambiguousMatchText(
  text: string,
  {spans, count, tier}: Pick<FoundPlaces, 'spans' | 'count' | 'tier'>,
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
  const times = count === 1 ? 'once' : `${count < maxCountedPlaces ? count : `at least ${count}`} times`;
  const apart =
    tier === 'exact' ? '' : ` apart from ${tierWords[tier].join(' and ').replace(', which was adapted', '')}`;
  const more = lines.length > maxListed || count > spans.length ? ', …' : '';
  return (
    `the old text occurs ${times}${apart} (${lines.length > 1 ? 'lines' : 'line'} ${listed}${more}); ` +
    'add surrounding lines until it is unique, or replace every occurrence.'
  );
}

const lineNumberAt = (text: string, offset: number): number => 1 + countFeeds(text, 0, offset);

function countFeeds(text: string, from: number, to: number): number {
  let feeds = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) feeds += 1;
  return feeds;
}
