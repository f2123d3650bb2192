import type {PatchHunk} from '../../domain/file-edit.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {explainMiss, type QuotePolicy} from './explain-miss.ts';
import {findText, type TextSpan, type Splice} from './find-text.ts';
import {lineEndAt, lineView, applySplices} from './line-ends.ts';
import {ambiguousMatchText, matchNotes, type ChangedText} from './apply-replacement.ts';

/**
 * Applies the hunks of a patch in their order, whole lines at a time: each is looked for behind the one before it, and behind
 * its context. The errors are for the model, one for each hunk that fits nowhere.
 */
export function applyHunks(
  text: string,
  hunks: readonly PatchHunk[],
  quoting: QuotePolicy,
): Outcome<ChangedText, readonly string[]> {
  // A last line without an end is a line like the others while lines are compared.
  const missingEnd = text === '' || /[\r\n]$/u.test(text) ? '' : lineEndAt(text, text.length);
  const whole = text + missingEnd;
  const view = lineView(whole, 'strict');

  const splices: Splice[] = [];
  const notes = new Set<string>();
  const troubles: string[] = [];
  let cursor = 0;
  for (const [at, hunk] of hunks.entries()) {
    const place = placeOf(view.text, hunk, {cursor, quoting});
    if (place.tag === 'failed') {
      troubles.push(hunks.length === 1 ? place.error : `change ${at + 1} of ${hunks.length}: ${place.error}`);
    } else {
      splices.push(place.value.splice);
      for (const note of place.value.notes) notes.add(note);
      cursor = place.value.end;
    }
  }
  if (troubles.length > 0) return failed(troubles);
  const changed = applySplices(whole, view, splices);
  // Where the last line only goes, the end of the one before it is that one's own.
  const last = splices.at(-1);
  const isEndTheirs = last?.text === '' && last.end === view.text.length;
  const ended =
    missingEnd !== '' && !isEndTheirs && changed.endsWith(missingEnd) ? changed.slice(0, -missingEnd.length) : changed;
  return ok({text: ended, notes: [...notes]});
}

interface Place {
  readonly splice: Splice;
  /** Where the next hunk may begin. */
  readonly end: number;
  readonly notes: readonly string[];
}

function placeOf(
  text: string,
  hunk: PatchHunk,
  {cursor, quoting}: {readonly cursor: number; readonly quoting: QuotePolicy},
): Outcome<Place, string> {
  const anchors = anchorsOf(text, hunk.context, cursor);
  if (anchors.length === 0) {
    return failed(
      `its context ${hunk.context.map(line => JSON.stringify(line)).join(', ')} was not found in this order.`,
    );
  }
  const oldText = textOf(hunk, 'removed');
  const newText = textOf(hunk, 'added');
  if (oldText === '') return insertion(text, {hunk, anchors, newText});

  const [first = cursor] = anchors;
  const found = findText(text, {oldText, newText}, {borders: 'lines', from: first});
  if (found === undefined) {
    const before = findText(text, {oldText, newText}, {borders: 'lines', from: 0});
    const miss =
      before === undefined
        ? explainMiss(text, {oldText, newText}, quoting)
        : 'its lines stand only before the change above it or before its context: put the changes in the order of the file.';
    return failed(miss);
  }
  const fitting = hunk.place === 'anywhere' ? found.spans : found.spans.filter(({end}) => end === text.length);
  // The one behind each place that the context names; without context any place is as good as another.
  const candidates = hunk.context.length === 0 ? fitting : behind(anchors, fitting);
  const [only] = candidates;
  if (only === undefined) return failed('its lines do not stand at the end of the file.');
  if (candidates.length > 1) {
    return failed(
      ambiguousMatchText(text, {...found, spans: candidates, count: candidates.length}).replace(/;.*$/u, advice),
    );
  }
  const splice = found.splice(only);
  return splice === undefined
    ? failed('how its new lines should be indented cannot be told: copy its lines exactly as Read shows them.')
    : ok({splice, end: splice.end, notes: matchNotes(found)});
}

const advice = '; add lines of context, or an @@ line with the class or function it is in.';

const textOf = (hunk: PatchHunk, kind: 'added' | 'removed'): string =>
  hunk.lines
    .filter(line => line.kind === 'context' || line.kind === kind)
    .map(line => `${line.text}\n`)
    .join('');

/** Right behind each place that the context names; the cursor where there is no context. */
function anchorsOf(text: string, context: readonly string[], cursor: number): readonly number[] {
  let anchors: readonly number[] = [cursor];
  for (const line of context) {
    const [from] = anchors;
    if (from === undefined) return [];
    const places = findText(text, {oldText: `${line}\n`, newText: ''}, {borders: 'lines', from});
    anchors = (places?.spans ?? partsOfLines(text, line, from)).map(({end}) => end);
  }
  return anchors;
}

/** Context may be a line's beginning: a heading as version control shows it. */
function partsOfLines(text: string, part: string, from: number): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  const wanted = part.trim();
  if (wanted === '') return [];
  for (let at = text.indexOf(wanted, from); at >= 0;) {
    const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
    const end = text.indexOf('\n', at) + 1 || text.length;
    if (text.slice(start, at).trim() === '') spans.push({start, end});
    at = text.indexOf(wanted, end);
  }
  return spans;
}

function behind(anchors: readonly number[], spans: readonly TextSpan[]): readonly TextSpan[] {
  const chosen = anchors.flatMap(anchor => spans.find(({start}) => start >= anchor) ?? []);
  return [...new Set(chosen)];
}

/** Lines that replace nothing: behind their context, or at the end. */
function insertion(
  text: string,
  {hunk, anchors, newText}: {readonly hunk: PatchHunk; readonly anchors: readonly number[]; readonly newText: string},
): Outcome<Place, string> {
  const [first = text.length] = anchors;
  const atEnd = hunk.context.length === 0 || hunk.place === 'end-of-file';
  if (!atEnd && anchors.length > 1) {
    return failed(
      `its context ${JSON.stringify(hunk.context.at(-1))} stands in ${anchors.length} places; add lines of context.`,
    );
  }
  const start = atEnd ? text.length : first;
  return ok({splice: {start, end: start, text: newText}, end: start, notes: []});
}
