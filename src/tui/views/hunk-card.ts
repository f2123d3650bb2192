import type {Approval} from '../../actions/agent-event.ts';
import type {DiffHunk, FileDiff} from '../../actions/preview.ts';
import {nameOf} from '../../actions/request-file-edits.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine, visibleLine} from '../../base/visible.ts';
import {choicesOf, type ApprovalChoices} from '../input/approval/approval-choices.ts';
import type {HunkStage, ScrollReach} from '../input/approval/approval-stage.ts';
import {changeParts, partCounts, type ChangePart} from '../input/approval/change-parts.ts';
import {approvalKeys, cardKeys} from '../input/keymap.ts';
import {firstShown, listRow} from '../panels/panel.ts';
import {fit} from '../text/cell-width.ts';
import {wrapText, type Frame} from '../text/wrap.ts';
import {acceptanceText} from './approval-footer.ts';
import {changeTitle} from './change-title.ts';
import {composerView, type Placed} from './composer-view.ts';
import {keptDiffLines} from './kept-diff-lines.ts';
import {keyLines} from './key-row.ts';
import {scrolledLines} from './scrolled-lines.ts';

export interface HunkCardState {
  readonly approval: Approval;
  readonly stage: HunkStage;
  /** What is to be known of it besides; has its place where there is enough of it. */
  readonly reasons: readonly string[];
}

/** The parts of a change with a tick each, the chosen one as a difference below, and what can be answered. */
export function hunkCard(state: HunkCardState, rows: number, frame: Frame): Placed {
  const {approval, stage} = state;
  const choices = choicesOf(approval);
  const {title, list, shown, answer} = partsOfCard(state, choices, rows, frame);
  const above = [title, ...list.lines, ...scrolledLines(shown.lines, {top: stage.top, rows: shown.rows}, frame)];
  const lines = [...above, ...shown.below, ...answer.lines];
  const cursor =
    choices.accept.by === 'word'
      ? {x: answer.cursor.x, y: lines.length - answer.lines.length + answer.cursor.y}
      : {x: 0, y: 1 + list.row};
  return {lines, cursor};
}

/** How far the difference can be scrolled. */
export function hunkReach(state: HunkCardState, rows: number, frame: Frame): ScrollReach {
  const {shown} = partsOfCard(state, choicesOf(state.approval), rows, frame);
  const page = Math.max(1, shown.rows - 1);
  return {last: shown.lines.length <= shown.rows ? 0 : shown.lines.length - page, page};
}

/** Rows of the list at most. */
const mostListed = 8;
/** Rows of the difference before anything else has more than a row. */
const leastShown = 4;

function partsOfCard({approval, stage, reasons}: HunkCardState, choices: ApprovalChoices, rows: number, frame: Frame) {
  const {parts} = choices;
  const answer = answerLines(stage, choices, {rows, frame});
  const left = rows - 1 - answer.lines.length;
  const below = left - reasons.length > leastShown + 1 ? reasons : [];
  const room = left - below.length;
  const listed = Math.max(1, Math.min(mostListed, parts.length, Math.floor(room / 2)));
  const top = firstShown({row: stage.row, count: parts.length, room: listed});
  const list = parts.slice(top, top + listed).map((part, at) => partRow(part, {stage, at: top + at, frame}));
  return {
    title: titleLine(stage, parts, {approval, frame}),
    list: {lines: list, row: stage.row - top},
    shown: {lines: chosenLines(parts[stage.row], frame), rows: Math.max(1, room - listed), below},
    answer,
  };
}

interface Titled {
  readonly approval: Approval;
  readonly frame: Frame;
}

function titleLine({dropped}: HunkStage, parts: readonly ChangePart[], {approval, frame}: Titled): string {
  const lead = `Allow ${parts.length - dropped.size} of ${parts.length} ${parts.length === 1 ? 'hunk' : 'hunks'}? `;
  const files = approval.preview.kind === 'diff' ? approval.preview.files : [];
  const ticked = files.flatMap(file =>
    tickedFile(
      file,
      parts.filter((part, at) => part.file === file && !dropped.has(at)),
    ),
  );
  const target =
    ticked.length === 0 ? 'Nothing is ticked' : changeTitle(ticked, Math.max(1, frame.width - lead.length));
  return frame.theme.paint(['bold', 'warning'], fit(lead + target, frame.width));
}

/** The file as what is ticked of it makes it. */
function tickedFile(file: FileDiff, parts: readonly ChangePart[]): readonly FileDiff[] {
  if (parts.length === 0) return [];
  if (file.hunks.length === 0 || parts.length === changeParts([file]).length) return [file];
  const counts = parts.map(partCounts);
  const {movedFrom, path} = file;
  const isMoved = parts.some(({hunk}) => hunk === 'new-name');
  return [
    {
      ...file,
      path: movedFrom === undefined || isMoved ? path : movedFrom,
      movedFrom: isMoved ? movedFrom : undefined,
      added: counts.reduce((sum, {added}) => sum + added, 0),
      removed: counts.reduce((sum, {removed}) => sum + removed, 0),
    },
  ];
}

interface Row {
  readonly stage: HunkStage;
  readonly at: number;
  readonly frame: Frame;
}

/** `[x] src/a.ts:10 (+3 -1)`; a long path gives way. */
function partRow(part: ChangePart, {stage, at, frame}: Row): string {
  const tick = stage.dropped.has(at) ? '[ ]' : '[x]';
  const cells = Math.max(1, frame.width - 2 - tick.length - 1);
  return listRow(`${tick} ${partTitle(part, cells)}`, at === stage.row ? 'chosen' : 'other', frame);
}

/** What is done to a whole file is called by that, anything else by the number of the first line that differs. */
function partTitle(part: ChangePart, cells: number): string {
  const {file, hunk, shown} = part;
  if (hunk === 'new-name') return fit(visibleLine(`Rename ${nameOf(file)}`), cells);
  if (shown === 'whole-file' || file.before === 'absent' || file.after === 'absent') return changeTitle([file], cells);
  const {added, removed} = partCounts(part);
  const place = `:${firstChanged(shown)} (+${added} -${removed})`;
  return fit(visibleLine(file.path), Math.max(1, cells - place.length)) + place;
}

/** As the difference numbers it: a removed line by its old place. */
function firstChanged({oldStart, newStart, lines}: DiffHunk): number {
  const before = lines.findIndex(({kind}) => kind !== 'context');
  return (lines[before]?.kind === 'removed' ? oldStart : newStart) + Math.max(0, before);
}

function chosenLines(part: ChangePart | undefined, frame: Frame): readonly string[] {
  if (part === undefined) return [];
  const {file, shown, alone} = part;
  if (shown === 'whole-file') {
    const renamed =
      file.movedFrom === undefined ? [] : [`from ${visibleLine(file.movedFrom)}`, `to   ${visibleLine(file.path)}`];
    const said = renamed.length === 0 ? [changeTitle([file], frame.width - 2)] : renamed;
    return [...said, ...file.notes].flatMap(line => wrapText(`  ${visibleLine(line)}`, [], frame));
  }
  return keptDiffLines(alone, {most: Number.POSITIVE_INFINITY, shown: 'all', long: 'clipped'}, frame);
}

interface Room {
  readonly rows: number;
  readonly frame: Frame;
}

function answerLines(stage: HunkStage, choices: ApprovalChoices, {rows, frame}: Room): Placed {
  const {accept, parts} = choices;
  const hint = hintLines(stage, choices, frame);
  const left = parts.length - stage.dropped.size;
  const writes = left === 0 ? ['no, asks why', 'no'] : [`writes ${left} of ${parts.length}`, `writes ${left}`];
  const acceptKey = accept.by === 'key' ? accept.key : `${visibleExactLine(accept.word)} + Enter`;
  const keys: readonly (readonly [key: string, full: string, short: string])[] = [
    [acceptKey, writes[0] ?? '', writes[1] ?? ''],
    ['Space', 'ticks', 'ticks'],
    ['Up/Down', 'another hunk', 'other'],
    ['PgUp/PgDn', 'scrolls', 'scrolls'],
    [cardKeys.edit.label, 'edits the file first', 'edits'],
    [approvalKeys.refuse, 'no', 'no'],
    [approvalKeys.refuseWithReason, 'no, with a reason', 'why'],
    ['Esc', 'back to the whole', 'back'],
  ];
  const field =
    accept.by === 'word'
      ? composerView(stage.word, {rows: 1, frame, hint: `type ${accept.word}, then Enter`, selection: 'none'})
      : {lines: [], cursor: {x: 0, y: 0}};
  const lines = [...hint, ...field.lines, ...keyLines(keys, {most: rows < 12 ? 2 : 3, frame})];
  return {lines, cursor: {x: field.cursor.x, y: hint.length + field.cursor.y}};
}

function hintLines({hint}: HunkStage, {accept}: ApprovalChoices, frame: Frame): readonly string[] {
  switch (hint) {
    case 'none':
      return [];
    case 'nothing-changed':
      return wrapText('The text is as it was, and nothing was allowed yet.', ['warning'], frame);
    case 'other-key':
    case 'wrong-word':
      return wrapText(`Nothing was allowed: ${acceptanceText(accept)}.`, ['warning'], frame);
    default:
      return unreachable(hint);
  }
}
