import type {PromptEnd} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import {hookStopText} from '../../domain/stop-text.ts';
import {renderFence, renderMarkdown, type MarkdownLexer} from '../markdown/render-markdown.ts';
import type {MarkdownPiece} from '../markdown/split-blocks.ts';
import {tableHead} from '../markdown/table-head.ts';
import type {Entry, Finished, TextEntry} from '../state/view.ts';
import {visible} from '../../base/visible.ts';
import {fit} from '../text/cell-width.ts';
import {wrapText, type Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {actionCard, pastCard} from './action-card.ts';
import type {RunTimes} from './progress.ts';
import {promptLines} from './prompt-lines.ts';
import type {EntryFrame} from './verbosity.ts';

/** Something finished as lines for the scrollback, as much of it as the frame asks for, the blank line before it included. */
export function finishedLines(finished: Finished, lexer: MarkdownLexer, frame: EntryFrame): readonly string[] {
  switch (finished.kind) {
    case 'pieces': {
      const lines = finished.pieces.flatMap((piece, at) =>
        pieceLines(piece, at === 0 && finished.written === 'nothing' ? 'first' : 'later', {lexer, frame}),
      );
      return lines;
    }
    case 'thinking':
      return finished.text.trim() === '' ? [] : ['', ...thoughtLines(finished.text, frame)];
    case 'action':
      return ['', ...actionCard(finished, frame, undefined)];
    case 'prompt':
      return ['', ...promptLines(finished.text, frame.verbosity === 'full' ? 'whole' : 'folded', frame)];
    case 'notice':
      return finished.level === 'warning'
        ? ['', ...wrapText(`${glyphs.warning} ${visible(finished.text)}`, ['warning'], frame)]
        : ['', ...wrapText(visible(finished.text), ['dim'], frame)];
    case 'past-action':
      return ['', ...pastCard(finished, frame)];
    case 'end':
      return ['', ...endLines(finished.end, frame)];
    default:
      return unreachable(finished);
  }
}

/** What open entries are shown with. `lexer` is `undefined` until it has been loaded. */
export interface OpenParts {
  readonly lexer: MarkdownLexer | undefined;
  readonly actions: RunTimes['actions'];
}

/** What is still open, as it stands now. */
export function openLines(
  entry: Entry,
  {lexer, actions}: OpenParts,
  {theme, width, verbosity}: EntryFrame,
): readonly string[] {
  // The live region is drawn cell by cell, by which links would be torn.
  const frame = {theme: theme.unlinked, width, verbosity};
  switch (entry.kind) {
    case 'text':
      return openTextLines(entry, lexer, frame);
    case 'thinking':
      return entry.text.trim() === '' ? [] : ['', ...thinkingTail(entry.text, frame)];
    case 'action':
      return ['', ...actionCard(entry, frame, actions.get(entry.id))];
    case 'prompt':
    case 'notice':
    case 'past-action':
    case 'end':
      return lexer === undefined ? [] : finishedLines(entry, lexer, frame);
    default:
      return unreachable(entry);
  }
}

/** An unfinished block longer than this (UTF-16 units) is shown by its end only: what is above has scrolled off anyway. */
const openTextShown = 8192;

function openTextLines(entry: TextEntry, lexer: MarkdownLexer | undefined, frame: Frame): readonly string[] {
  const text = shownEnd(entry.rest);
  if (text.trim() === '') return [];
  // The next line of a paragraph that is read line by line comes whole: it will not be pushed away and written again.
  if (entry.place.kind === 'between' && entry.place.after === 'part' && text.length < frame.width) return [];
  if (entry.place.kind === 'fence') return renderFence(text, {fence: entry.place.fence, extent: 'glimpsed'}, frame);
  const lines = lexer === undefined ? wrapText(visible(text.trim()), [], frame) : renderMarkdown(text, lexer, frame);
  return entry.place.after === 'item' || entry.place.after === 'part' ? lines : ['', ...lines];
}

/** The end of a table keeps the names of its columns. */
function shownEnd(rest: string): string {
  if (rest.length <= openTextShown) return rest;
  const end = rest.slice(-openTextShown);
  const head = tableHead(rest);
  return head === '' ? end : head + end.slice(end.indexOf('\n') + 1);
}

function pieceLines(
  piece: MarkdownPiece,
  position: 'first' | 'later',
  {lexer, frame}: {readonly lexer: MarkdownLexer; readonly frame: Frame},
): readonly string[] {
  switch (piece.kind) {
    case 'block': {
      const lines = renderMarkdown(piece.source, lexer, frame);
      return lines.length > 0 && (piece.gap === 'line' || position === 'first') ? ['', ...lines] : lines;
    }
    case 'code-start':
      return [''];
    case 'code-lines':
      return renderFence(piece.text, {fence: piece.fence, extent: 'kept'}, frame);
    default:
      return unreachable(piece);
  }
}

/** Finished thinking: one line of how much it was and how it began, or all of it. */
function thoughtLines(text: string, frame: EntryFrame): readonly string[] {
  if (frame.verbosity === 'full') return wrapText(visible(text.trim()), ['dim', 'italic'], frame);
  const words = text.trim().split(/\s+/u);
  const count = `Thought (${words.length === 1 ? '1 word' : `${words.length} words`})`;
  const start = visible(
    words
      .slice(0, frame.width)
      .join(' ')
      .slice(0, 4 * frame.width),
  );
  const line = frame.verbosity === 'name' ? count : `${count}: ${start}`;
  return [frame.theme.paint(['dim', 'italic'], fit(line, frame.width))];
}

/** Lines of thinking shown while it streams. */
const thinkingShown = 3;

function thinkingTail(text: string, frame: Frame): readonly string[] {
  // The part shown bounds what is wrapped: thinking can be long, and it is wrapped in every frame while it streams.
  const end = text
    .slice(-thinkingShown * frame.width * 4)
    .trim()
    .replaceAll(/\s+/gu, ' ');
  const shown = visible(end).slice(-thinkingShown * frame.width * 2);
  return wrapText(shown, ['dim', 'italic'], frame).slice(-thinkingShown);
}

function endLines(end: PromptEnd, frame: Frame): readonly string[] {
  switch (end.kind) {
    case 'done':
      return [];
    case 'interrupted':
      return wrapText(`${glyphs.cancelled} interrupted`, ['warning'], frame);
    case 'failed':
      return wrapText(`${glyphs.error} ${visible(faultText(end.fault))}`, ['error'], frame);
    case 'max-turns':
      return wrapText(`Stopped after ${end.turns} turns, as asked for.`, ['warning'], frame);
    case 'max-cost':
      return wrapText(`Stopped at a cost of $${end.usd.toFixed(2)}, as asked for.`, ['warning'], frame);
    case 'invalid-output':
      return wrapText(
        visible(`${glyphs.error} No answer that fits the schema: ${end.errors.join('; ')}`),
        ['error'],
        frame,
      );
    case 'stopped-by-hook':
      return wrapText(`${glyphs.cancelled} ${visible(hookStopText(end))}`, ['warning'], frame);
    default:
      return unreachable(end);
  }
}
