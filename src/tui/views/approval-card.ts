import type {Approval} from '../../actions/agent-event.ts';
import type {Preview} from '../../actions/preview.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {RiskLevel} from '../../domain/risk.ts';
import {approvalKeys} from '../input/keymap.ts';
import type {Refusal} from '../input/ui.ts';
import {fit} from '../text/cell-width.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {hardWrap, wrapSpans, wrapText, type Frame, type Span} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/theme.ts';
import {composerView, type Placed} from './composer-view.ts';
import {diffLines} from './diff-lines.ts';

export interface ApprovalCardState {
  readonly approval: Approval;
  /** Approvals that wait, this one included. */
  readonly waiting: number;
  readonly refusal: Refusal;
}

/**
 * What is asked and what can be answered. What can be long (command, diff, reasons) is cut in the middle to fit `rows`;
 * then the card says so and offers to print all of it above.
 */
export function approvalCard({approval, waiting, refusal}: ApprovalCardState, rows: number, frame: Frame): Placed {
  const {theme} = frame;
  const count = waiting > 1 ? ` (1 of ${waiting})` : '';
  const title = theme.paint(
    ['bold', 'warning'],
    fit(`Allow this?${count} ${visibleLine(approval.label)}`, frame.width),
  );
  const risk = wrapSpans(
    [
      {text: `Risk: ${riskText(approval.verdict.risk)}.`, roles: [riskRole(approval.verdict.risk)]},
      ...approval.verdict.reasons.map((reason): Span => ({text: ` ${visibleLine(reason)}`, roles: []})),
    ],
    frame,
    {first: '', rest: '  ', roles: []},
  ).slice(0, 4);
  const why = approval.rationale === '' ? [] : wrapText(`Why: ${visible(approval.rationale)}`, [], frame).slice(0, 3);
  const footer =
    refusal.kind === 'writing' ? reasonLines(refusal, frame) : {lines: keyLines(approval, frame), cursor: {x: 0, y: 0}};
  const body = previewLines(approval.preview, frame);
  const room = Math.max(1, rows - 1 - risk.length - why.length - footer.lines.length);
  const lines = [title, ...cutMiddle(body, room, frame), ...why, ...risk];
  return {
    lines: [...lines, ...footer.lines],
    cursor: {x: footer.cursor.x, y: lines.length + footer.cursor.y},
  };
}

/** Everything that would be run or changed, whole. */
export function previewLines(preview: Preview, frame: Frame): readonly string[] {
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
      return diffLines(preview.files, Number.POSITIVE_INFINITY, frame);
    default:
      return unreachable(preview);
  }
}

function cutMiddle(lines: readonly string[], room: number, frame: Frame): readonly string[] {
  if (lines.length <= room) return lines;
  const head = Math.floor((room - 1) / 2);
  const tail = room - 1 - head;
  const note = `  … ${lines.length - head - tail} lines hidden: press ${approvalKeys.showAll} to see all of it`;
  return [
    ...lines.slice(0, head),
    frame.theme.paint(['warning'], fit(note, frame.width)),
    ...lines.slice(lines.length - tail),
  ];
}

function keyLines({sessionGrant}: Approval, frame: Frame): readonly string[] {
  const keys = [
    `${approvalKeys.allowOnce} yes, once`,
    `${approvalKeys.allowSession} yes, for this session${sessionGrant === '' ? '' : ` (${visibleLine(sessionGrant)})`}`,
    `${approvalKeys.refuse} no`,
    `${approvalKeys.refuseWithReason} no, with a reason`,
    'Esc stop',
  ];
  return wrapText(keys.join(glyphs.between), ['accent'], frame).slice(0, 3);
}

function reasonLines({reason}: Refusal & {readonly kind: 'writing'}, frame: Frame): Placed {
  const field = composerView(reason, {rows: 2, frame, hint: 'why not? Enter sends it, Esc goes back'});
  return {lines: field.lines, cursor: field.cursor};
}

/** A risk in words a person uses. */
function riskText(risk: RiskLevel): string {
  switch (risk) {
    case 'read-only':
      return 'only reads';
    case 'local-change':
      return 'changes files on this machine';
    case 'external':
      return 'reaches outside this machine';
    case 'destructive':
      return 'can destroy data';
    case 'unknown':
      return 'could not be judged, so treat it as dangerous';
    default:
      return unreachable(risk);
  }
}

function riskRole(risk: RiskLevel): Role {
  switch (risk) {
    case 'read-only':
      return 'success';
    case 'local-change':
      return 'warning';
    case 'external':
    case 'destructive':
    case 'unknown':
      return 'error';
    default:
      return unreachable(risk);
  }
}
