import {graphemes} from '../text/cell-width.ts';
import {visible} from '../../base/visible.ts';
import * as buffer from './text-buffer.ts';
import type {KeyName} from './keymap.ts';

/**
 * What the user is writing. A long paste is one character of the buffer, so that the cursor steps over it and one press
 * deletes it; it is shown as a chip and becomes its text again when the draft is sent.
 */
export interface Draft {
  readonly buffer: buffer.TextBuffer;
  readonly pastes: readonly string[];
}

export const emptyDraft: Draft = {buffer: buffer.emptyBuffer, pastes: []};

export const draftOf = (text: string): Draft => ({buffer: buffer.bufferOf(text), pastes: []});

export const isEmptyDraft = (draft: Draft): boolean => draft.buffer.text === '';

/** Pastes of more lines or UTF-16 units than this become chips. */
const pasteShownLines = 6;
const pasteShownLength = 1000;

/** Private-use characters nobody types; each stands for one paste. */
const firstChip = 0x10_f000;
const chips = /[\u{10F000}-\u{10FFFD}]/gu;

export function typed(draft: Draft, text: string): Draft {
  return {...draft, buffer: buffer.insert(draft.buffer, clean(text))};
}

export function pasted(draft: Draft, text: string): Draft {
  const cleaned = clean(text.replaceAll(/\r\n?/gu, '\n'));
  if (cleaned.split('\n').length <= pasteShownLines && cleaned.length <= pasteShownLength) return typed(draft, cleaned);
  const chip = String.fromCodePoint(firstChip + draft.pastes.length);
  return {buffer: buffer.insert(draft.buffer, chip), pastes: [...draft.pastes, cleaned]};
}

/** The text to send. */
export const expanded = ({buffer: {text}, pastes}: Draft): string =>
  text.replaceAll(chips, chip => pastes[indexOf(chip)] ?? '');

/** The draft after an editing key, or `undefined` when the key does not edit or would change nothing to move to. */
export function edited(draft: Draft, name: KeyName): Draft | undefined {
  const edit = edits[name];
  return edit === undefined ? undefined : {...draft, buffer: edit(draft.buffer)};
}

/** The draft with the cursor a line up or down; `undefined` at the first or last line. */
export function movedVertically(draft: Draft, direction: 'up' | 'down'): Draft | undefined {
  const moved = buffer.moveVertically(draft.buffer, direction);
  return moved === undefined ? undefined : {...draft, buffer: moved};
}

/** The draft as it looks, and where in that text the cursor stands (UTF-16 units). */
export function shown({buffer: {text, cursor}, pastes}: Draft): {readonly text: string; readonly cursor: number} {
  const look = (part: string): string =>
    graphemes(part)
      .map(character => (isChip(character) ? chipText(pastes[indexOf(character)] ?? '') : visible(character)))
      .join('');
  const before = look(text.slice(0, cursor));
  return {text: before + look(text.slice(cursor)), cursor: before.length};
}

const chipText = (text: string): string => {
  const lines = text.split('\n').length;
  return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${text.length} characters]`;
};

const isChip = (character: string): boolean => (character.codePointAt(0) ?? 0) >= firstChip;
const indexOf = (chip: string): number => (chip.codePointAt(0) ?? 0) - firstChip;

/** What cannot be seen cannot be sent either; tabs and line feeds stay. */
const clean = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what is dropped
  text.replaceAll(chips, '').replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu, '');

const edits: Readonly<Partial<Record<KeyName, (from: buffer.TextBuffer) => buffer.TextBuffer>>> = {
  left: buffer.moveLeft,
  right: buffer.moveRight,
  'word-left': buffer.moveWordLeft,
  'word-right': buffer.moveWordRight,
  'line-start': buffer.moveLineStart,
  'line-end': buffer.moveLineEnd,
  'delete-left': buffer.deleteLeft,
  'delete-right': buffer.deleteRight,
  'delete-word': buffer.deleteWord,
  'delete-to-start': buffer.deleteToStart,
  'delete-to-end': buffer.deleteToEnd,
  newline: from => buffer.insert(from, '\n'),
};
