import type {Approval} from '../../actions/agent-event.ts';
import type {VictimReport} from '../../actions/ports.ts';
import {clip} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine, visibleLine} from '../../base/visible.ts';
import type {Editing} from '../input/editing-state.ts';
import {approvalKeys} from '../input/keymap.ts';
import type {ApprovalStage, ScrollReach} from '../input/approval/approval-stage.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {wrapSpans, type Frame, type Indent, type Span} from '../text/wrap.ts';
import {approvalFooter, type WholeStage} from './approval-footer.ts';
import {changeTitle} from './change-title.ts';
import {commandRows, fittedRows, type CommandRow, type HiddenNote} from './command-rows.ts';
import type {Placed} from './composer-view.ts';
import {hunkCard, hunkReach} from './hunk-card.ts';
import {keptDiffLines} from './kept-diff-lines.ts';
import {scrolledLines} from './scrolled-lines.ts';
import {riskSpans} from './risk-text.ts';

export interface ApprovalCardState {
  readonly approval: Approval;
  /** Approvals that wait, this one included. */
  readonly waiting: number;
  readonly stage: ApprovalStage;
  /** Of the text that is being written, if one is. */
  readonly editing: Editing;
}

/** Lines of what stands below the action: what would be hit, the model's reason, the host's, and what the model refers to. */
interface Share {
  readonly hits: number;
  readonly why: number;
  readonly risk: number;
  readonly based: number;
}

/** What is tried, in this order, when `rows` are few. */
const shares: readonly Share[] = [
  {hits: 4, why: 3, risk: 4, based: 2},
  {hits: 2, why: 1, risk: 2, based: 1},
  {hits: 1, why: 1, risk: 1, based: 0},
  {hits: 1, why: 0, risk: 1, based: 0},
];

/** Lines of what would be done that the reasons make room for. */
const bodyWanted = 6;

/**
 * What is asked and what can be answered. Where not all of it fits `rows`, what would be done goes before the reasons, and
 * what changes before what stays; then the card says so and offers to print all of it above.
 */
export function approvalCard(
  {approval, waiting, stage, editing}: ApprovalCardState,
  rows: number,
  frame: Frame,
): Placed {
  if (stage.stage === 'hunks') return hunkCard({approval, stage, reasons: leastReasons(approval, frame)}, rows, frame);
  if (stage.stage === 'choosing' && stage.top !== 'summary') {
    return scrolledCard({approval, stage, editing}, {rows, top: stage.top}, frame);
  }
  const count = waiting > 1 ? ` (1 of ${waiting})` : '';
  const title = titleLine(`${questionOf(approval)}${count} `, approval, frame);
  // More than the screen has is not worth laying out: it does not fit either way.
  const most = {hits: rows, why: rows, risk: rows, based: rows};
  const whole = isTooLong(approval, rows, frame)
    ? undefined
    : [...bodyLines(approval, 'whole', frame), ...reasonsOf(approval, most, frame)];
  const plain = approvalFooter({approval, stage, editing, hidden: 'nothing', rows}, frame);
  const fits = whole !== undefined && 1 + whole.length + plain.lines.length <= rows;
  const footer = fits ? plain : approvalFooter({approval, stage, editing, hidden: 'something', rows}, frame);
  const note = stage.stage === 'choosing' ? 'with-key' : 'bare';
  const room = Math.max(1, rows - 1 - footer.lines.length);
  const middle = fits ? whole : squeezed(approval, {room, note, frame});
  return {
    lines: [title, ...middle, ...footer.lines],
    cursor: {x: footer.cursor.x, y: 1 + middle.length + footer.cursor.y},
  };
}

/** The rows that must have been on the screen before a yes, as they are drawn. */
export const graveRows = (approval: Approval, frame: Frame): readonly string[] =>
  approval.verdict.detail.grave.length === 0
    ? []
    : (letterOf(approval, frame)?.rows ?? []).flatMap(({line, rank}) => (Number.isFinite(rank) ? [line] : []));

/** How far what a card shows can be scrolled on `rows`; `all-shown` where there is nothing to scroll. */
export function approvalReach(state: ApprovalCardState, rows: number, frame: Frame): ScrollReach | 'all-shown' {
  const {approval, stage, editing} = state;
  if (stage.stage === 'hunks') return hunkReach({approval, stage, reasons: leastReasons(approval, frame)}, rows, frame);
  const {footer, body, room} = scrolledParts({approval, stage, editing}, rows, frame);
  const all = 1 + body.length + reasonsOf(approval, everything, frame).length + footer.lines.length;
  if (all <= rows && !isTooLong(approval, rows, frame)) return 'all-shown';
  const page = Math.max(1, room - 1);
  return {last: body.length <= room ? 0 : body.length - page, page};
}

interface ScrolledState {
  readonly approval: Approval;
  readonly stage: WholeStage;
  readonly editing: Editing;
}

/** All of what is asked about, from one of its lines on. */
function scrolledCard(
  state: ScrolledState,
  {rows, top}: {readonly rows: number; readonly top: number},
  frame: Frame,
): Placed {
  const {footer, body, room, reasons} = scrolledParts(state, rows, frame);
  const shown = scrolledLines(body, {top, rows: room}, frame);
  return {
    lines: [titleLine(`${questionOf(state.approval)} `, state.approval, frame), ...shown, ...reasons, ...footer.lines],
    cursor: {x: footer.cursor.x, y: 1 + shown.length + reasons.length + footer.cursor.y},
  };
}

function scrolledParts({approval, stage, editing}: ScrolledState, rows: number, frame: Frame) {
  const footer = approvalFooter({approval, stage, editing, hidden: 'something', rows}, frame);
  const left = rows - 1 - footer.lines.length;
  const least = leastReasons(approval, frame);
  const reasons = left - least.length >= bodyWanted ? least : [];
  return {footer, reasons, body: bodyLines(approval, 'all', frame), room: Math.max(1, left - reasons.length)};
}

const leastReasons = (approval: Approval, frame: Frame): readonly string[] =>
  reasonsOf(approval, {hits: 1, why: 0, risk: 1, based: 0}, frame);

/** Everything there is to know of what is asked, for the scrollback. */
export function wholeApproval(approval: Approval, frame: Frame): readonly string[] {
  const {sessionGrant} = approval;
  return [
    titleLine('Asked for: ', approval, frame),
    ...bodyLines(approval, 'whole', frame),
    ...reasonsOf(approval, everything, frame),
    ...(sessionGrant === ''
      ? []
      : wrapSpans([{text: `For this session: ${visibleExactLine(sessionGrant)}.`, roles: []}], frame, hanging)),
  ];
}

const questionOf = ({wording}: Approval): string =>
  wording === 'user' ? 'Allow this, as you changed it?' : 'Allow this?';

/** Cells that what stands before the title's target can take. */
const longestLead = 24;

const titleLine = (lead: string, approval: Approval, frame: Frame): string =>
  frame.theme.paint(['bold', 'warning'], fit(lead + approvalTarget(approval, frame.width - lead.length), frame.width));

/** What is asked about, in some `cells`. */
export const approvalTarget = ({label, preview}: Approval, cells: number): string =>
  preview.kind === 'diff' && preview.files.length > 0
    ? changeTitle(preview.files, cells)
    : visibleExactLine(label.replaceAll(/\s{2,}/gu, ' '));

interface Squeeze {
  readonly room: number;
  readonly note: HiddenNote;
  readonly frame: Frame;
}

function squeezed(approval: Approval, {room, note, frame}: Squeeze): readonly string[] {
  const changes = bodyLines(approval, 'changes', frame);
  const wanted = Math.min(changes.length, bodyWanted);
  let reasons: readonly string[] = [];
  for (const share of shares) {
    reasons = reasonsOf(approval, share, frame);
    if (room - reasons.length >= wanted) break;
  }
  return [...squeezedBody(approval, {room: Math.max(1, room - reasons.length), note, frame}), ...reasons];
}

function squeezedBody(approval: Approval, {room, note, frame}: Squeeze): readonly string[] {
  const letter = letterOf(approval, frame);
  if (letter !== undefined) {
    // Where it would run goes before a marked part does.
    const wanted = Math.min(letter.rows.length, 1 + letter.rows.filter(row => row.marked === 'marked').length);
    const below = room > wanted ? letter.below : [];
    const rows = fittedRows(letter.rows, {room: room - below.length, note, frame});
    const left = room - rows.length - below.length;
    // Of what a command overwrites the changes follow, where there is room for more than a note.
    const changes = left < 2 ? [] : lostLines(approval, 'changes', frame);
    return [...rows, ...below, ...cutMiddle(changes, {room: left, note, frame})];
  }
  const all = bodyLines(approval, 'all', frame);
  return all.length <= room ? all : cutMiddle(bodyLines(approval, 'changes', frame), {room, note, frame});
}

/** A change that has no place on the screen, whatever else there is: by the number of its lines or the length of one. */
function isTooLong({preview, victims}: Approval, rows: number, {width}: Frame): boolean {
  const hunks = (preview.kind === 'diff' ? preview.files : victims.diffs).flatMap(file => file.hunks);
  const count = hunks.reduce((sum, {lines}) => sum + lines.length, 0);
  return count > rows || hunks.some(({lines}) => lines.some(({text}) => text.length > rows * width));
}

/** `all` leaves out parts of very long lines, `changes` also what does not change. */
function bodyLines(approval: Approval, shown: 'whole' | 'all' | 'changes', frame: Frame): readonly string[] {
  const letter = letterOf(approval, frame);
  if (letter !== undefined) {
    const rows = fittedRows(letter.rows, {room: without, note: 'bare', frame});
    return [...rows, ...letter.below, ...lostLines(approval, shown, frame)];
  }
  const {preview} = approval;
  return preview.kind === 'diff'
    ? keptDiffLines(
        preview.files,
        {most: without, shown: shown === 'changes' ? 'changes' : 'all', long: shown === 'whole' ? 'whole' : 'clipped'},
        frame,
      )
    : [];
}

/** How the files would change that a command overwrites, where that is known. */
const lostLines = ({victims}: Approval, shown: 'whole' | 'all' | 'changes', frame: Frame): readonly string[] =>
  victims.diffs.length === 0
    ? []
    : keptDiffLines(
        victims.diffs,
        {most: without, shown: shown === 'changes' ? 'changes' : 'all', long: shown === 'whole' ? 'whole' : 'clipped'},
        frame,
      );

/** What is asked about to the letter, and where it would happen. */
interface Letter {
  readonly rows: readonly CommandRow[];
  readonly below: readonly string[];
}

/** A command can be long and is drawn often: its rows are kept as long as neither it nor the frame changes. */
const lettersKept = new WeakMap<Approval, {readonly frame: Frame; readonly letter: Letter}>();

/** `undefined` where the title or a difference of files says it all. */
function letterOf(approval: Approval, frame: Frame): Letter | undefined {
  const kept = lettersKept.get(approval);
  if (kept !== undefined && kept.frame.width === frame.width && kept.frame.theme === frame.theme) return kept.letter;
  const written = writtenOf(approval, frame);
  if (written === undefined) return undefined;
  const below = written.where === '' ? [] : [frame.theme.paint(['dim'], fit(`  ${written.where}`, frame.width))];
  const letter = {rows: commandRows(written.text, approval.verdict.detail, frame), below};
  lettersKept.set(approval, {frame, letter});
  return letter;
}

function writtenOf(
  {action, label, preview}: Approval,
  frame: Frame,
): {readonly text: string; readonly where: string} | undefined {
  switch (preview.kind) {
    case 'command':
      return {text: preview.command, where: `in ${visibleExactLine(preview.directory)}`};
    case 'arguments':
      return {text: preview.text, where: ''};
    case 'diff':
      return undefined;
    case 'none':
      if (action.name === 'write-to-long-running-shell-command') {
        const where = `typed into ${visibleExactLine(action.input.blockId)} (${action.input.mode})`;
        return {text: action.input.input, where};
      }
      return cellWidth(visibleExactLine(label)) <= frame.width - longestLead ? undefined : {text: label, where: ''};
    default:
      return unreachable(preview);
  }
}

const without = Number.POSITIVE_INFINITY;
const everything: Share = {hits: without, why: without, risk: without, based: without};
const hanging: Indent = {first: '', rest: '  ', roles: []};

function reasonsOf(approval: Approval, share: Share, frame: Frame): readonly string[] {
  const [level, reasons] = riskSpans(approval);
  const {rationale, citations} = approval;
  const based = citations.map(visibleExactLine).join(', ');
  return [
    ...victimLines(approval.victims, share.hits, frame),
    ...(rationale === ''
      ? []
      : within([], {text: `Why: ${visibleLine(rationale)}`, roles: []}, {most: share.why, frame})),
    ...within([level], reasons, {most: share.risk, frame}),
    ...(based === '' ? [] : within([], {text: `Based on: ${based}`, roles: ['dim']}, {most: share.based, frame})),
  ];
}

/** `Dry run: deletes 2 files. a.txt, b.txt`: what the host has found that a command would hit. */
function victimLines({summary, paths, more}: VictimReport, most: number, frame: Frame): readonly string[] {
  if (summary === '' && paths.length === 0) return [];
  const said = visibleExactLine(summary).replace(/\.$/u, '');
  const isNamed =
    paths.length === 1 && more === 0 && paths.some(path => said.split(' ').includes(visibleExactLine(path)));
  const dryRun = {text: 'Dry run: ', roles: ['error']} as const;
  // On one line the sum says more than some of the paths.
  if (most === 1 && said !== '') return within([dryRun], {text: said, roles: []}, {most, frame});
  if (isNamed) return within([dryRun], {text: `${said}.`, roles: []}, {most, frame});
  const rest = more > 0 ? ` and ${more} more` : '';
  const lead = {text: said === '' ? 'it would hit ' : `${said}. `, roles: []};
  const named = {text: paths.map(visibleExactLine).join(', ') + rest, roles: []};
  return within([dryRun, lead], named, {most, frame});
}

/** Spans on at most `most` lines; what is too long loses the end of its `last` span, and says so. */
function within(
  spans: readonly Span[],
  last: Span,
  {most, frame}: {readonly most: number; readonly frame: Frame},
): readonly string[] {
  if (most === 0) return [];
  let text = Number.isFinite(most) ? clip(last.text, most * frame.width) : last.text;
  for (;;) {
    const lines = wrapSpans([...spans, {...last, text}], frame, hanging);
    if (lines.length <= most) return lines;
    if (text.length < 2) return lines.slice(0, most);
    text = clip(text, Math.max(1, text.length - 4));
  }
}

function cutMiddle(lines: readonly string[], {room, note: form, frame}: Squeeze): readonly string[] {
  if (lines.length <= room) return lines;
  const head = Math.ceil((room - 1) / 2);
  const tail = room - 1 - head;
  const words = `  … ${lines.length - head - tail} lines hidden`;
  const note = `${words}, ${approvalKeys.showAll} shows all`;
  return [
    ...lines.slice(0, head),
    frame.theme.paint(
      ['warning'],
      fit(form === 'with-key' && cellWidth(note) <= frame.width ? note : words, frame.width),
    ),
    ...lines.slice(lines.length - tail),
  ];
}
