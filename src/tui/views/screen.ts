import type {BlockInfo} from '../../actions/ports.ts';
import type {CommandInfo} from '../commands/command-info.ts';
import {completions} from '../input/commands.ts';
import type {Ui} from '../input/ui.ts';
import type {NewlineKey} from '../terminal/modified-keys.ts';
import type {MarkdownLexer} from '../markdown/render-markdown.ts';
import {attentionOf} from '../state/select.ts';
import type {View} from '../state/view.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import type {LiveRegion} from '../terminal/surface.ts';
import {isEmptyDraft, type Draft} from '../input/draft.ts';
import type {Frame} from '../text/wrap.ts';
import {approvalCard} from './approval-card.ts';
import {attentionNotice} from './attention-notice.ts';
import {completionList} from './completion-list.ts';
import {composerView, type Placed} from './composer-view.ts';
import {editingLines, selectionIn} from './editing-lines.ts';
import {handOverCard} from './hand-over-card.ts';
import {mentionRows} from './mention-list.ts';
import {draftHint, imageRow, queuedLines} from './beside-composer.ts';
import {questionCard} from './question-card.ts';
import type {RunTimes} from './progress.ts';
import {runLine, statusLine} from './status-line.ts';
import {todoPanel} from './todo-panel.ts';
import {openLines} from './transcript.ts';
import type {EntryFrame} from './verbosity.ts';

export interface ScreenState {
  readonly view: View;
  readonly ui: Ui;
  readonly commands: readonly CommandInfo[];
  readonly lexer: MarkdownLexer | undefined;
  readonly directory: string;
  /** What is checked out; may be empty. */
  readonly branch: string;
  readonly blocks: readonly BlockInfo[];
  readonly times: RunTimes;
  readonly demo: 'none' | 'offered';
  readonly newlineKey: NewlineKey;
}

/** Rows of the todo panel besides its title. */
const mostTodos = 5;

/**
 * Rows of text that is still being written. What a terminal that is made smaller pushes into its scrollback stays there, and would
 * stand there twice when it is finished.
 */
const mostText = 10;

/**
 * The live region: from top to bottom what is still open, the todo panel, what runs, what is asked or the composer, and the
 * status line. Always shorter than the screen (at most `rows - 1` lines): the lower part has its place first, and of what
 * is open the last lines are shown.
 */
export function screen(state: ScreenState, rows: number, frame: EntryFrame): LiveRegion {
  const most = mostLines(rows);
  const status = statusLine(state, frame);
  const input = inputLines(state, panelRows(rows), frame);
  const left = (used: number): number => Math.max(0, most - 1 - input.lines.length - used);
  const asked = attentionOf(state.view).kind !== 'composer';
  const running = asked ? [] : runLine(state.view, state.times, frame).slice(0, left(1));
  const queued = queuedLines(state.view, frame).slice(0, left(1 + running.length));
  const room = left(1 + running.length + queued.length);
  const todos = todoPanel(state.view, Math.min(mostTodos, Math.floor(room / 2)), frame).slice(0, Math.max(0, room));
  const {lexer, times} = state;
  const open = state.view.entries.flatMap(entry => openLines(entry, {lexer, actions: times.actions}, frame));
  const openRoom = Math.max(0, room - todos.length - (todos.length > 0 ? 1 : 0));
  const openMost = state.view.entries.at(-1)?.kind === 'text' ? Math.min(openRoom, mostText) : openRoom;
  const openShown = openMost === 0 ? [] : open.slice(-openMost);
  const above = [...openShown, ...(todos.length > 0 ? ['', ...todos] : []), '', ...running, ...queued];
  const lines = [...above, ...input.lines, status];
  const over = Math.max(0, lines.length - most);
  return {
    lines: lines.slice(over),
    cursor: {x: Math.min(input.cursor.x, frame.width - 1), y: Math.max(0, above.length - over + input.cursor.y)},
    open: {lines: open, shown: Math.max(0, openShown.length - over)},
  };
}

/** Of a screen of that many rows. */
const mostLines = (rows: number): number => Math.max(3, rows - 1);

/** The rows that what has the composer's place may take. */
export const panelRows = (rows: number): number => Math.max(2, mostLines(rows) - 2);

function inputLines(state: ScreenState, rows: number, frame: EntryFrame): Placed {
  const {ui, view} = state;
  if (ui.panel !== 'none') return ui.panel.lines({rows, frame, view, blocks: state.blocks});
  const attention = attentionOf(view);
  const {card} = ui;
  if (card.kind === 'none' || card.focus === 'answered') return composerLines(state, rows, frame);
  if (card.focus !== 'card') {
    return under(attentionNotice(attention, frame), composerLines(state, rows - 1, frame));
  }
  if (isEmptyDraft(ui.draft)) return cardLines(state, rows, frame);
  const draft = draftBelow(ui.draft, frame);
  const asked = cardLines(state, cardRows(ui, rows, frame), frame);
  return {lines: [...asked.lines, ...draft.lines], cursor: asked.cursor};
}

/** What has been written stays in sight below a card. */
const draftBelow = (draft: Draft, frame: Frame): Placed =>
  composerView(draft, {rows: 2, frame, hint: '', selection: 'none'});

/** Of the rows of what has the composer's place, those of a card. */
export const cardRows = ({draft}: Ui, rows: number, frame: Frame): number =>
  isEmptyDraft(draft) ? rows : Math.max(2, rows - draftBelow(draft, frame).lines.length);

const under = (line: string, {lines, cursor}: Placed): Placed => ({
  lines: [line, ...lines],
  cursor: {x: cursor.x, y: cursor.y + 1},
});

function cardLines({ui, view, blocks}: ScreenState, rows: number, frame: EntryFrame): Placed {
  const attention = attentionOf(view);
  if (ui.card.kind === 'approval' && attention.kind === 'approval') {
    const {approval, waiting} = attention;
    const {revision, stage, editing} = ui.card;
    const shown = revision.kind === 'revised' ? revision.approval : approval;
    return approvalCard({approval: shown, waiting, stage, editing}, rows, frame);
  }
  if (ui.card.kind === 'hand-over' && attention.kind === 'hand-over') {
    const {block, reason} = attention.open;
    return handOverCard({block, reason, info: blocks.find(({id}) => id === block)}, frame);
  }
  return ui.card.kind === 'question' && attention.kind === 'question'
    ? questionCard(ui.card, rows, frame)
    : {lines: [], cursor: {x: 0, y: 0}};
}

function composerLines({ui, view, commands, demo, newlineKey}: ScreenState, rows: number, frame: EntryFrame): Placed {
  const room = Math.max(0, rows - 2);
  const offered = completions(ui.draft.buffer.text, commands);
  const list =
    ui.mentions.kind === 'open'
      ? mentionRows(ui.mentions, room, frame)
      : completionList({offered, row: ui.completionRow}, room, frame);
  const leaving = ui.leaving.kind === 'armed' ? [frame.theme.paint(['warning'], 'Ctrl+C again leaves')] : [];
  const idle = demo === 'offered' ? 'Ask for something, or /demo' : 'Ask for something';
  const hint = view.run.state === 'idle' ? idle : 'Ask for more: Enter joins at the next step, Tab waits for the end';
  const whole = `${hint} | ${newlineKey} begins a new line`;
  const below = [...list, ...draftHint(ui.draft, {commands, frame}), ...editingLines(ui, frame), ...leaving];
  const field = composerView(ui.draft, {
    rows: Math.max(1, Math.min(8, rows - below.length)),
    frame,
    hint: cellWidth(whole) <= frame.width - 3 ? whole : fit(hint, frame.width - 3),
    selection: selectionIn(ui),
  });
  const images = imageRow(ui.images, frame);
  return {
    lines: [...images, ...field.lines, ...below],
    cursor: {x: field.cursor.x, y: field.cursor.y + images.length},
  };
}
