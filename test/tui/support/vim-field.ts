import type {PressContext} from '../../../src/tui/state/effect.ts';
import type {KeyPress} from '../../../src/tui/terminal/keymap.ts';
import {press} from '../../../src/tui/state/press.ts';
import {initialUi, type Ui} from '../../../src/tui/state/ui.ts';
import {loadVimKeys} from '../../../src/tui/editor/vim-keys.ts';
import {pressField, type TextField} from '../../../src/tui/editor/text-field.ts';
import {emptyView} from '../../../src/tui/state/view.ts';
import {themeOf} from '../../../src/tui/theme/theme.ts';

await loadVimKeys();

const context: PressContext = {
  view: emptyView,
  commands: [],
  blocks: [],
  now: 0,
  batchPosition: 'first',
  workAfter: 'stops',
  width: 77,
  frame: {theme: themeOf('plain'), width: 79},
  rows: 20,
  showsDecision: () => true,
  showsOption: () => true,
};

/** `<e>` is Esc, `<r>` is Ctrl+R. */
const keysOf = (keys: string): readonly KeyPress[] =>
  (keys.match(/<[er]>|[^]/gu) ?? []).map(key => {
    if (key === '<e>') return {kind: 'key', name: 'escape'};
    return key === '<r>' ? {kind: 'key', name: 'search-history'} : {kind: 'text', text: key};
  });

/** The composer with the cursor on the first character, in normal mode. */
function field(text: string): Ui {
  const ui = initialUi([], '', 'vim');
  const written: Ui = {...ui, draft: {buffer: {text, cursor: 0}, pastes: []}};
  return press(written, {kind: 'key', name: 'escape'}, context).ui;
}

/** What vim's keys make of a text; `|` marks the cursor. */
export function afterKeys(text: string, keys: string): string {
  const {buffer} = keysOf(keys).reduce((ui, key) => press(ui, key, context).ui, field(text)).draft;
  return `${buffer.text.slice(0, buffer.cursor)}|${buffer.text.slice(buffer.cursor)}`;
}

/** The same where what is no special key arrives in one piece, as over a slow line. */
export function afterPieces(text: string, keys: string): string {
  const pieces = keysOf(keys).reduce<readonly KeyPress[]>((before, key) => {
    const last = before.at(-1);
    const isMore = last?.kind === 'text' && key.kind === 'text';
    return isMore ? [...before.slice(0, -1), {...last, text: last.text + key.text}] : [...before, key];
  }, []);
  const {buffer} = pieces.reduce((ui, key) => press(ui, key, context).ui, field(text)).draft;
  return `${buffer.text.slice(0, buffer.cursor)}|${buffer.text.slice(buffer.cursor)}`;
}

/** The same in a field that is no composer. */
export function afterKeysInCard(text: string, keys: string): string {
  const {draft, editing} = field(text);
  const {buffer} = keysOf(keys).reduce<TextField>((now, key) => pressField(now, key, context).field, {
    draft,
    editing,
  }).draft;
  return `${buffer.text.slice(0, buffer.cursor)}|${buffer.text.slice(buffer.cursor)}`;
}

/** A text, and what keys make of it. */
export type VimEdits = readonly (readonly [
  text: string,
  results: readonly (readonly [keys: string, result: string])[],
])[];
