import type {Approval} from '../../actions/agent-event.ts';
import type {Preview} from '../../actions/preview.ts';
import {clip} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {approvalKeys} from '../input/keymap.ts';
import type {Refusal} from '../input/ui.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {hardWrap, wrapSpans, type Frame, type Indent, type Span} from '../text/wrap.ts';
import {changeTitle} from './change-title.ts';
import {composerView, type Placed} from './composer-view.ts';
import {diffLines} from './diff-lines.ts';
import {keyRow} from './key-row.ts';
import {riskSpans} from './risk-text.ts';

export interface ApprovalCardState {
  readonly approval: Approval;
  /** Approvals that wait, this one included. */
  readonly waiting: number;
  readonly refusal: Refusal;
}

/** Lines of the reasons, `why` the model's and `risk` the host's: what is tried, in this order, when `rows` are few. */
const sharesOfReasons = [
  {why: 3, risk: 4},
  {why: 1, risk: 2},
  {why: 1, risk: 1},
  {why: 0, risk: 1},
] as const;

/** Lines of what would be done that the reasons make room for. */
const bodyWanted = 6;

/**
 * What is asked and what can be answered. Where not all of it fits `rows`, what would be done goes before the reasons, and
 * what changes before what stays; then the card says so and offers to print all of it above.
 */
export function approvalCard({approval, waiting, refusal}: ApprovalCardState, rows: number, frame: Frame): Placed {
  const count = waiting > 1 ? ` (1 of ${waiting})` : '';
  const title = titleLine(`Allow this?${count} `, approval, frame);
  const keys = (hidden: 'nothing' | 'something'): Placed =>
    refusal.kind === 'writing'
      ? reasonLines(refusal, frame)
      : {lines: keyRow(approval, {most: rows < 12 ? 2 : 3, hidden}, frame), cursor: {x: 0, y: 0}};
  const whole = [...bodyLines(approval.preview, 'all', frame), ...reasonsOf(approval, everything, frame)];
  const allKeys = keys('nothing');
  const fits = 1 + whole.length + allKeys.lines.length <= rows;
  const footer = fits ? allKeys : keys('something');
  const middle = fits ? whole : squeezed(approval, Math.max(1, rows - 1 - footer.lines.length), frame);
  return {
    lines: [title, ...middle, ...footer.lines],
    cursor: {x: footer.cursor.x, y: 1 + middle.length + footer.cursor.y},
  };
}

/** Everything there is to know of what is asked, for the scrollback. */
export function wholeApproval(approval: Approval, frame: Frame): readonly string[] {
  const {sessionGrant} = approval;
  return [
    titleLine('Asked for: ', approval, frame),
    ...bodyLines(approval.preview, 'all', frame),
    ...reasonsOf(approval, everything, frame),
    ...(sessionGrant === ''
      ? []
      : wrapSpans([{text: `For this session: ${visibleLine(sessionGrant)}.`, roles: []}], frame, hanging)),
  ];
}

function titleLine(lead: string, {label, preview}: Approval, frame: Frame): string {
  const room = frame.width - lead.length;
  const target =
    preview.kind === 'diff' && preview.files.length > 0 ? changeTitle(preview.files, room) : visibleLine(label);
  return frame.theme.paint(['bold', 'warning'], fit(lead + target, frame.width));
}

function squeezed(approval: Approval, room: number, frame: Frame): readonly string[] {
  const all = bodyLines(approval.preview, 'all', frame);
  const changes = bodyLines(approval.preview, 'changes', frame);
  const wanted = Math.min(changes.length, bodyWanted);
  let reasons: readonly string[] = [];
  for (const share of sharesOfReasons) {
    reasons = reasonsOf(approval, share, frame);
    if (room - reasons.length >= wanted) break;
  }
  const left = Math.max(1, room - reasons.length);
  const body = all.length <= left ? all : cutMiddle(changes, left, frame);
  return [...body, ...reasons];
}

function bodyLines(preview: Preview, shown: 'all' | 'changes', frame: Frame): readonly string[] {
  switch (preview.kind) {
    case 'none':
      return [];
    case 'command':
      return [
        ...visible(preview.command)
          .split('\n')
          .flatMap(line => hardWrap(line, Math.max(8, frame.width - 2)))
          .map(line => `  ${frame.theme.paint(['bold'], line)}`),
        frame.theme.paint(['dim'], fit(`  in ${visibleLine(preview.directory)}`, frame.width)),
      ];
    case 'diff':
      return diffLines(preview.files, {most: Number.POSITIVE_INFINITY, shown}, frame);
    default:
      return unreachable(preview);
  }
}

interface Share {
  readonly why: number;
  readonly risk: number;
}

const everything: Share = {why: Number.POSITIVE_INFINITY, risk: Number.POSITIVE_INFINITY};
const hanging: Indent = {first: '', rest: '  ', roles: []};

function reasonsOf(approval: Approval, {why, risk}: Share, frame: Frame): readonly string[] {
  const [level, reasons] = riskSpans(approval);
  const {rationale} = approval;
  return [
    ...(rationale === '' ? [] : within([], {text: `Why: ${visible(rationale)}`, roles: []}, {most: why, frame})),
    ...within([level], reasons, {most: risk, frame}),
  ];
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

function cutMiddle(lines: readonly string[], room: number, frame: Frame): readonly string[] {
  if (lines.length <= room) return lines;
  const head = Math.ceil((room - 1) / 2);
  const tail = room - 1 - head;
  const words = `  … ${lines.length - head - tail} lines hidden`;
  const note = `${words}, ${approvalKeys.showAll} shows all`;
  return [
    ...lines.slice(0, head),
    frame.theme.paint(['warning'], fit(cellWidth(note) <= frame.width ? note : words, frame.width)),
    ...lines.slice(lines.length - tail),
  ];
}

function reasonLines({reason}: Refusal & {readonly kind: 'writing'}, frame: Frame): Placed {
  const field = composerView(reason, {rows: 2, frame, hint: 'why not? Enter sends it, Esc goes back'});
  return {lines: field.lines, cursor: field.cursor};
}
