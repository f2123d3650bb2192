import {fit, graphemeWidth} from '../text/cell-width.ts';
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

/** `more` goes on with the paste before it, and joins its chip if that is what stands before the cursor. */
export function pasted(draft: Draft, text: string, part: 'first' | 'more' = 'first'): Draft {
  const cleaned = clean(text.replaceAll(/\r\n?/gu, '\n'));
  const {buffer: now, pastes} = draft;
  const before = part === 'more' ? chipBefore(now) : undefined;
  if (before !== undefined) {
    return {buffer: now, pastes: pastes.with(before, (pastes[before] ?? '') + cleaned)};
  }
  if (cleaned.length <= pasteShownLength && cleaned.split('\n').length <= pasteShownLines) return typed(draft, cleaned);
  const chip = String.fromCodePoint(firstChip + pastes.length);
  return {buffer: buffer.insert(now, chip), pastes: [...pastes, cleaned]};
}

/** Which paste the character before the cursor stands for. */
function chipBefore({text, cursor}: buffer.TextBuffer): number | undefined {
  const character = text.slice(Math.max(0, cursor - 2), cursor);
  return isChip(character) ? indexOf(character) : undefined;
}

/** A line that is unfolded is laid out with every key; longer ones stay folded. */
const longestUnfolded = 20_000;

/**
 * The draft with the paste at the cursor, else the last one, as text that can be edited. `too-long`: it has lines that nobody
 * edits here.
 */
export function unfolded(draft: Draft): Draft | 'none' | 'too-long' {
  const {text, cursor} = draft.buffer;
  const before = text.slice(Math.max(0, cursor - 2), cursor);
  const places = Array.from(text.matchAll(chips), ({index}) => index);
  const place = isChip(before) ? cursor - 2 : places.includes(cursor) ? cursor : places.at(-1);
  if (place === undefined) return 'none';
  const chip = text.slice(place, place + 2);
  const paste = draft.pastes[indexOf(chip)] ?? '';
  if (longestLine(paste) > longestUnfolded) return 'too-long';
  const cut = {text: text.slice(0, place) + text.slice(place + 2), cursor: place};
  return {...draft, buffer: buffer.insert(cut, paste)};
}

export const hasPaste = (draft: Draft): boolean => draft.pastes.length > 0 && draft.buffer.text.search(chips) >= 0;

function longestLine(text: string): number {
  let longest = 0;
  for (let from = 0; from <= text.length;) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    longest = Math.max(longest, to - from);
    from = to + 1;
  }
  return longest;
}

/** The text to send. */
export const expanded = ({buffer: {text}, pastes}: Draft): string =>
  text.replaceAll(chips, chip => pastes[indexOf(chip)] ?? '');

/** The draft after an editing key, or `undefined` when the key does not edit or would change nothing to move to. */
export function edited(draft: Draft, name: KeyName): Draft | undefined {
  const edit = edits[name];
  return edit === undefined ? undefined : {...draft, buffer: edit(draft.buffer)};
}

/** How a character of the draft looks, on at most `width` cells. */
export function look({pastes}: Draft, character: string, width: number): string {
  const text = isChip(character) ? chipText(pastes[indexOf(character)] ?? '') : visible(character);
  return text === character && graphemeWidth(character) <= width ? text : fit(text, width);
}

const chipText = (text: string): string => {
  const lines = lineCount(text);
  return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${text.length} characters]`;
};

/** A line feed at the end begins no further line. */
function lineCount(text: string): number {
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

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
  'delete-word-right': buffer.deleteWordRight,
  'delete-to-start': buffer.deleteToStart,
  'delete-to-end': buffer.deleteToEnd,
  newline: from => buffer.insert(from, '\n'),
};
