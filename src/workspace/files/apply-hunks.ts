import type {PatchHunk} from '../../domain/file-edit.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {explainMiss, type QuotePolicy} from './explain-miss.ts';
import {findText, type TextSpan, type Splice} from './find-text.ts';
import {lineEndingAt, lineView, applySplices} from './line-endings.ts';
import {ambiguousMatchText, matchNotes, type ChangedText} from './apply-replacement.ts';

/**
 * Applies the hunks of a patch in order, whole lines at a time. Each hunk is searched for after the previous hunk and after its own
 * context. The errors are for the model, one for each hunk that fits nowhere.
 */
export function applyHunks(
  text: string,
  hunks: readonly PatchHunk[],
  quoting: QuotePolicy,
): Outcome<ChangedText, readonly string[]> {
  // Lines are compared with a line ending, so a last line without one gets it here.
  const missingEnd = text === '' || /[\r\n]$/u.test(text) ? '' : lineEndingAt(text, text.length);
  const whole = text + missingEnd;
  const view = lineView(whole, 'strict');

  const splices: Splice[] = [];
  const notes = new Set<string>();
  const problems: string[] = [];
  let cursor = 0;
  for (const [at, hunk] of hunks.entries()) {
    const located = locateHunk(view.text, hunk, {cursor, quoting});
    if (located.tag === 'failed') {
      problems.push(hunks.length === 1 ? located.error : `change ${at + 1} of ${hunks.length}: ${located.error}`);
    } else {
      splices.push(located.value.splice);
      for (const note of located.value.notes) notes.add(note);
      cursor = located.value.end;
    }
  }
  if (problems.length > 0) return failed(problems);
  const changed = applySplices(whole, view, splices);
  // If the last line is only removed, the line before it keeps its ending.
  const last = splices.at(-1);
  const dropsLastLine = last?.text === '' && last.end === view.text.length;
  const ended =
    missingEnd !== '' && !dropsLastLine && changed.endsWith(missingEnd)
      ? changed.slice(0, -missingEnd.length)
      : changed;
  return ok({text: ended, notes: [...notes]});
}

interface LocatedHunk {
  readonly splice: Splice;
  /** The offset where the next hunk may begin. */
  readonly end: number;
  readonly notes: readonly string[];
}

function locateHunk(
  text: string,
  hunk: PatchHunk,
  {cursor, quoting}: {readonly cursor: number; readonly quoting: QuotePolicy},
): Outcome<LocatedHunk, string> {
  const anchors = anchorsOf(text, hunk.context, cursor);
  if (anchors.length === 0) {
    return failed(
      `its context ${hunk.context.map(line => JSON.stringify(line)).join(', ')} was not found in this order.`,
    );
  }
  const oldText = hunkText(hunk, 'removed');
  const newText = hunkText(hunk, 'added');
  if (oldText === '') return insertHunk(text, {hunk, anchors, newText});

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
  // One match after each location that the context names. Without context every match counts.
  const candidates = hunk.context.length === 0 ? fitting : firstSpanAfterEach(anchors, fitting);
  const [only] = candidates;
  if (only === undefined) return failed('its lines do not stand at the end of the file.');
  if (candidates.length > 1) {
    return failed(
      ambiguousMatchText(text, {...found, spans: candidates, count: candidates.length}).replace(/;.*$/u, advice),
    );
  }
  const splice = found.splice(only);
  return splice === undefined
    ? failed('weft cannot tell how to indent its new lines: copy its lines exactly from the file.')
    : ok({splice, end: splice.end, notes: matchNotes(found)});
}

const advice = '; add lines of context, or an @@ line with the class or function it is in.';

const hunkText = (hunk: PatchHunk, kind: 'added' | 'removed'): string =>
  hunk.lines
    .filter(line => line.kind === 'context' || line.kind === kind)
    .map(line => `${line.text}\n`)
    .join('');

/** Returns the offset after each location that the context names, or the cursor if there is no context. */
function anchorsOf(text: string, context: readonly string[], cursor: number): readonly number[] {
  let anchors: readonly number[] = [cursor];
  for (const line of context) {
    const [from] = anchors;
    if (from === undefined) return [];
    const places = findText(text, {oldText: `${line}\n`, newText: ''}, {borders: 'lines', from});
    anchors = (places?.spans ?? linesStartingWith(text, line, from)).map(({end}) => end);
  }
  return anchors;
}

/** Finds lines that begin with the given text. Version control shows only the beginning of a heading as context. */
function linesStartingWith(text: string, part: string, from: number): readonly TextSpan[] {
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

function firstSpanAfterEach(anchors: readonly number[], spans: readonly TextSpan[]): readonly TextSpan[] {
  const chosen = anchors.flatMap(anchor => spans.find(({start}) => start >= anchor) ?? []);
  return [...new Set(chosen)];
}

/** Inserts lines that replace nothing: after their context, or at the end. */
function insertHunk(
  text: string,
  {hunk, anchors, newText}: {readonly hunk: PatchHunk; readonly anchors: readonly number[]; readonly newText: string},
): Outcome<LocatedHunk, string> {
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
