import type {Approval} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import {pluralize} from '../../base/clip.ts';
import {visibleExactLine, visibleExactly} from '../../base/visible.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import type {Style} from '../theme/theme.ts';
import {type EntryFrame, type Frame, type StyledSpan, wrapSpans, wrapText} from '../text/wrap.ts';
import {changeLines, changesTitle, changeSummary, type CommandChanges} from './change-lines.ts';
import {commandRows, fitRows, type HighlightRanges} from './command-rows.ts';
import {
  cachedDiffLines,
  changeQuestion,
  changeTitle,
  foldLines,
  layoutCache,
  pageOf,
  type TitleRoom,
} from './diff-lines.ts';
import {withTildes} from '../text/workspace-paths.ts';
import type {ApprovalChoices} from '../state/approval-choices.ts';
import type {ChoosingStage, HunkStage} from '../state/approval-stage.ts';
import {reasonTexts} from '../state/approval-reasons.ts';
import {exactText} from '../state/card-room.ts';
import {partsOf} from '../state/change-parts.ts';

/** Returns a card's question in at most `room.cells` cells, after the name of the sub-agent that asks. */
export function approvalTitle(approval: Approval, room: TitleRoom): string {
  if (approval.asker === 'main') return titleOf(approval, room);
  const who = `${fit(visibleExactLine(approval.asker.name), Math.max(1, Math.floor(room.cells / 2) - 2))}: `;
  return `${who}${titleOf(approval, {...room, cells: Math.max(1, room.cells - cellWidth(who))})}`;
}

function titleOf(approval: Approval, room: TitleRoom): string {
  const {cells, home} = room;
  const {preview, wording} = approval;
  switch (preview.kind) {
    case 'diff':
      return preview.files.length > 0 ? changeQuestion(preview.files, room) : fit(`${labelIn(approval, home)}?`, cells);
    case 'command':
      return fit(wording === 'user' ? 'Run this, as you changed it?' : commandTitle(approval), cells);
    case 'changes':
      return changesTitle(preview, cells);
    case 'plan':
      return fit(wording === 'user' ? 'Go ahead with the plan, as you changed it?' : 'Go ahead with this plan?', cells);
    case 'arguments':
    case 'none': {
      const label = exactText(approval) === '' ? labelIn(approval, home) : labelOf(approval).replace(/: .*$/u, '');
      return cellWidth(label) < cells ? `${label}?` : 'Approve?';
    }
    default:
      return unreachable(preview);
  }
}

function commandTitle({label, verdict, impact}: Approval): string {
  if (verdict.risk === 'destructive') {
    if (impact.summary.startsWith('deletes')) return 'Delete files?';
    if (impact.summary.startsWith('overwrites')) return 'Overwrite files?';
  }
  return label.startsWith('Start in background') ? 'Start this in the background?' : 'Run this command?';
}

const labelOf = ({label}: Approval): string => visibleExactLine(label.replaceAll(/\s{2,}/gu, ' '));

const labelIn = (approval: Approval, home: string): string => withTildes(labelOf(approval), home);

/** Returns a one-line summary for notifications, such as `Run npm test`. */
export function approvalSubject(approval: Approval, room: TitleRoom): string {
  const {preview} = approval;
  if (preview.kind === 'changes') return changesTitle(preview, room.cells);
  return preview.kind === 'diff' && preview.files.length > 0
    ? changeTitle(preview.files, room)
    : fit(preview.kind === 'command' ? labelOf(approval) : labelIn(approval, room.home), room.cells);
}

/** Says why the last key allowed nothing. Empty if there is no hint. */
export function cardHint(
  hint: (ChoosingStage | HunkStage)['hint'],
  {accept, editable, offers}: Pick<ApprovalChoices, 'accept' | 'editable' | 'offers'>,
): string {
  switch (hint) {
    case 'none':
      return '';
    case 'no-choice':
      return `To answer, press ${offers
        .map(({letter}) => letter)
        .join(', ')
        .replace(/, (\S+)$/u, ' or $1')}`;
    case 'needs-word':
      return accept.by === 'word' ? `To allow it, type "${visibleExactLine(accept.word)}"` : '';
    case 'wrong-word':
      return 'Wrong word: nothing was allowed';
    case 'nothing-changed':
      return `The ${editable === 'yes' ? 'text' : 'command'} did not change; nothing allowed yet`;
    case 'unread':
      return 'Not allowed yet: v shows all of it, or scroll up';
    default:
      return unreachable(hint);
  }
}

export interface ApprovalBody {
  readonly lines: readonly string[];
  readonly all: number;
}

export function approvalBody(
  approval: Approval,
  // `top` is the first row if the card is scrolled. `summary` shows what matters most if there are too few rows.
  {rows, top}: {readonly rows: number; readonly top: 'summary' | number},
  frame: Frame & Pick<EntryFrame, 'home'>,
): ApprovalBody {
  const exact = exactRows(approval, frame);
  const signs = exact.some(row => row.marked === 'marked') ? 'with' : 'without';
  const full = [...fitRows(exact, {room: Number.POSITIVE_INFINITY, signs, frame}), ...diffOf(approval, 'all', frame)];
  const all = full.length;
  if (all <= rows) return {lines: full, all};
  if (top !== 'summary') return {lines: pageOf(full, {rows, top}, frame), all};
  if (approval.preview.kind === 'changes') return {lines: changesInShort(approval.preview, rows, frame), all};
  if (exact.length === 0) return {lines: cutMiddle(diffOf(approval, 'changes', frame), rows, frame), all};
  const command = fitRows(exact, {room: rows, signs, frame});
  const left = rows - command.length;
  return {lines: [...command, ...(left < 2 ? [] : cutMiddle(diffOf(approval, 'changes', frame), left, frame))], all};
}

const cachedRows = layoutCache<Approval, ReturnType<typeof commandRows>>();

/** Cached, because a command can be long and is drawn often. */
const exactRows = (approval: Approval, frame: Frame): ReturnType<typeof commandRows> =>
  cachedRows(approval, {form: '', coloured: 0, frame}, () => rowsOf(approval, frame));

function rowsOf(approval: Approval, frame: Frame): ReturnType<typeof commandRows> {
  const text = exactText(approval);
  if (approval.preview.kind === 'plan') return planRows(text, frame);
  const isTitleShort =
    approval.preview.kind !== 'none' || text !== '' || cellWidth(labelOf(approval)) < frame.width - 6;
  return text === '' && isTitleShort
    ? []
    : commandRows(text === '' ? approval.label : text, rangesIn(text, approval.verdict.detail), frame);
}

/** Wraps a plan as prose, with hanging indentation of its steps and what is below them. Its first line is the goal. Nothing in a plan is marked. */
const planRows = (plan: string, {theme, width}: Frame): ReturnType<typeof commandRows> =>
  visibleExactly(plan)
    .replaceAll(/\n{3,}/gu, '\n\n')
    .split('\n')
    .flatMap((line, at) => {
      const [begin = '', level = ''] = /^( *)(?:(?:\d+[.)]|[-*]) )?/u.exec(line) ?? [];
      const frame = {theme, width: Math.max(8, width - markCells)};
      const indent = {first: level, rest: ' '.repeat(begin.length), roles: []};
      return wrapSpans(inlineSpans(line.trimStart(), at === 0 ? ['bold'] : []), frame, indent, 'marked');
    })
    .map(text => ({
      text,
      start: 'line',
      pointer: '',
      marked: 'plain',
      rank: Number.POSITIVE_INFINITY,
    }));

/** Styles the code and the bold words of a line of Markdown. */
const inlineSpans = (line: string, roles: readonly Style[]): readonly StyledSpan[] =>
  line.split(/(`[^`]+`|\*\*[^*]+\*\*)/u).map((text, at) => {
    if (at % 2 === 0) return {text, roles};
    return text.startsWith('`')
      ? {text: text.slice(1, -1), roles: [...roles, 'code']}
      : {text: text.slice(2, -2), roles: [...roles, 'bold']};
  });

/** The width of the column of marks at the start of rows, in cells. */
const markCells = 2;

/** Returns the ranges to mark. Marks set parts of a command apart, so a one-line command that would be marked as a whole has none. */
function rangesIn(text: string, {highlights, criticalRanges}: HighlightRanges): HighlightRanges {
  const isAll = !text.includes('\n') && highlights.some(({from, to}) => text.slice(from, to).trim() === text.trim());
  return {highlights: isAll ? [] : highlights, criticalRanges};
}

const diffOf = (
  {preview, impact}: Approval,
  shown: 'all' | 'changes',
  frame: Frame & Pick<EntryFrame, 'home'>,
): readonly string[] => {
  if (preview.kind === 'changes') return changeLines(partsOf(preview), 'present', frame);
  const files = preview.kind === 'diff' ? preview.files : impact.diffs;
  return files.length === 0
    ? []
    : cachedDiffLines(files, {maxLines: Number.POSITIVE_INFINITY, shown, long: 'clipped', home: frame.home}, frame);
};

function changesInShort(
  preview: CommandChanges,
  rows: number,
  frame: Frame & Pick<EntryFrame, 'home'>,
): readonly string[] {
  const parts = partsOf(preview);
  const named = parts.length <= rows ? rows : Math.max(1, rows - 1);
  const {lines, more} = changeSummary(parts, {rows: named, tense: 'present'}, frame);
  if (more === 0 || lines.length === rows) return lines;
  return [...lines, frame.theme.style(['warning'], fit(`  … ${pluralize(more, 'more file')} · v`, frame.width))];
}

const cutMiddle = (lines: readonly string[], rows: number, frame: Frame): readonly string[] =>
  foldLines(lines, rows, frame, {role: 'warning', text: 'more lines · v'});

export function approvalInFull(approval: Approval, frame: EntryFrame): readonly string[] {
  const {width, home} = frame;
  const inner = {...frame, width: Math.max(8, width - 2)};
  return [
    ...wrapText(approvalTitle(approval, {cells: 1000, home}), ['bold'], frame),
    ...approvalBody(approval, {rows: Number.POSITIVE_INFINITY, top: 'summary'}, inner).lines.map(line => `  ${line}`),
    ...reasonTexts(approval).flatMap(text => wrapText(withTildes(text, home), ['dim'], inner).map(row => `  ${row}`)),
  ];
}
