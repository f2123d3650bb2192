import type {Draft} from './draft.ts';
import type {KeyPress} from './keymap.ts';

/** The drafts that were, the latest last, and those that were taken back, the next one last. */
export interface UndoStack {
  readonly past: readonly Draft[];
  readonly future: readonly Draft[];
  /** What the next change may belong to: a stretch of typing, or all that vim's insert mode types. */
  readonly group: {readonly kind: 'none' | 'insertion'} | {readonly kind: 'typing'; readonly at: number};
}

export const noChanges: UndoStack = {past: [], future: [], group: {kind: 'none'}};

/** How many drafts are kept, and how much text in all of them (UTF-16 units). */
const mostDrafts = 300;
const mostText = 20_000_000;
/** A pause in typing of so many milliseconds begins a new change. */
const pauseMs = 1000;

export interface Change {
  readonly before: Draft;
  readonly key: KeyPress;
  /** Milliseconds. */
  readonly now: number;
  readonly typing: 'plain' | 'insertion';
}

/** Keeps the draft before a change; letters of one word typed without a pause are one change. */
export function recorded(stack: UndoStack, {before, key, now, typing}: Change): UndoStack {
  const {group} = stack;
  const isWord = key.kind === 'text' && !/^\s/u.test(key.text);
  const goesOn =
    typing === 'insertion' ? group.kind === 'insertion' : isWord && group.kind === 'typing' && now - group.at < pauseMs;
  const next: UndoStack['group'] =
    typing === 'insertion' ? {kind: 'insertion'} : key.kind === 'text' ? {kind: 'typing', at: now} : {kind: 'none'};
  return {past: goesOn ? stack.past : bounded([...stack.past, before]), future: [], group: next};
}

/** What comes next begins a change of its own. */
export const closedGroup = (stack: UndoStack): UndoStack =>
  stack.group.kind === 'none' ? stack : {...stack, group: {kind: 'none'}};

/** The draft before the last change, or as it was before that was taken back; `undefined` where there is none. */
export function stepUndo(
  {past, future}: UndoStack,
  {direction, from}: {readonly direction: 'undo' | 'redo'; readonly from: Draft},
): {readonly stack: UndoStack; readonly draft: Draft} | undefined {
  const draft = direction === 'undo' ? past.at(-1) : future.at(-1);
  if (draft === undefined) return undefined;
  const stack: UndoStack =
    direction === 'undo'
      ? {past: past.slice(0, -1), future: [...future, from], group: {kind: 'none'}}
      : {past: [...past, from], future: future.slice(0, -1), group: {kind: 'none'}};
  return {stack, draft};
}

function bounded(drafts: readonly Draft[]): readonly Draft[] {
  let kept = 0;
  let text = 0;
  for (const {buffer} of drafts.toReversed()) {
    text += buffer.text.length;
    if (kept >= mostDrafts || text > mostText) break;
    kept++;
  }
  return drafts.slice(drafts.length - kept);
}
