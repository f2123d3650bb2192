import type {Replacement} from '../../actions/ports.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {lineEndAt, lineView, type LineView} from './line-ends.ts';
import {explainMiss} from './explain-miss.ts';

/** Matches listed in a message. */
const mostListed = 5;

/**
 * Replaces exact text, read and written with `\n` whatever line ends the file has. Only what differs between the old text
 * and the new one is touched: in a file with mixed line ends the others stay. The error is for the model.
 */
export function replaceText(text: string, replacement: Replacement): Outcome<string, string> {
  const view = lineView(text);
  const plain = view.text.length === text.length;
  const oldText = plain ? replacement.oldText : replacement.oldText.replaceAll('\r\n', '\n');
  const newText = plain ? replacement.newText : replacement.newText.replaceAll('\r\n', '\n');
  if (oldText === newText) return failed('the old and the new text are the same; nothing would change.');

  const first = view.text.indexOf(oldText);
  if (first < 0) return failed(explainMiss(view.text, {oldText, newText}));
  if (replacement.occurrence === 'every')
    return ok(replaceAt({text, view, oldText, newText}, every(view.text, oldText)));

  const second = view.text.indexOf(oldText, first + 1);
  return second < 0
    ? ok(replaceAt({text, view, oldText, newText}, [first]))
    : failed(explainSeveral(view.text, {oldText, first}));
}

function replaceAt(
  change: {readonly text: string; readonly view: LineView; readonly oldText: string; readonly newText: string},
  places: readonly number[],
): string {
  const {text, view, oldText, newText} = change;
  const head = commonStart(oldText, newText);
  const tail = commonEnd(oldText.slice(head), newText.slice(head));
  const inserted = newText.slice(head, newText.length - tail);
  const parts: string[] = [];
  let done = 0;
  for (const place of places) {
    const start = view.original(place + head);
    parts.push(text.slice(done, start), withLineEnds(inserted, text, start));
    done = view.original(place + oldText.length - tail);
  }
  parts.push(text.slice(done));
  return parts.join('');
}

function withLineEnds(inserted: string, text: string, offset: number): string {
  return inserted.includes('\n') && lineEndAt(text, offset) === '\r\n' ? inserted.replaceAll('\n', '\r\n') : inserted;
}

function every(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

function commonEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length += 1;
  return length;
}

function explainSeveral(text: string, match: {readonly oldText: string; readonly first: number}): string {
  const lines: number[] = [];
  let count = 0;
  let line = 1;
  let seen = 0;
  for (let at = match.first; at >= 0; at = text.indexOf(match.oldText, at + 1)) {
    count += 1;
    if (lines.length > mostListed) continue;
    line += text.slice(seen, at).split('\n').length - 1;
    seen = at;
    if (lines.at(-1) !== line) lines.push(line);
  }
  const listed = lines.slice(0, mostListed).join(', ');
  return (
    `the old text occurs ${count} times (${lines.length > 1 ? 'lines' : 'line'} ${listed}` +
    `${count > mostListed ? ', …' : ''}); add surrounding lines until it is unique, or replace every occurrence.`
  );
}
