import type {Approval} from '../../../actions/agent-event.ts';
import {withAmendment} from '../../../actions/settle-action.ts';
import type {ApprovalAnswer} from '../../../agent/engine.ts';
import {unreachable} from '../../../base/unreachable.ts';
import type {ActionId} from '../../../domain/ids.ts';
import {openApproval, restarted, type ApprovalStage} from './approval-stage.ts';
import {emptyDraft} from '../draft.ts';
import type {ProposalEnd} from './proposal-work.ts';
import type {Ui} from '../ui.ts';

/** The approval as the user has rewritten what it is about: it is asked as before, but no longer for good. */
function revisedApproval(
  approval: Approval,
  {request, files}: Extract<ProposalEnd, {readonly kind: 'revised'}>,
): Approval {
  const {verdict} = approval;
  return {
    ...approval,
    action: withAmendment(approval.action, request.amendment) ?? approval.action,
    preview: {kind: 'diff', files},
    verdict: {...verdict, detail: {...verdict.detail, rules: []}},
    sessionGrant: '',
  };
}

/** What accepts a revised approval accepts it as it was revised. */
export function answerOf(approval: Approval, answer: ApprovalAnswer): ApprovalAnswer {
  const {action} = approval;
  if (action.name !== 'request-file-edits' || action.input.amendment.kind === 'none') return answer;
  return answer.decision === 'allow' ? {decision: 'allow-amended', amendment: action.input.amendment} : answer;
}

/**
 * The card after the editor: what is pressed while it comes back answers nothing, as with one that is new. A text that leaves
 * the files as they are is a no, whose reason is asked for. What was ticked stays so where no text is new.
 */
export function returned(ui: Ui, {id, approval, end, now}: Return): Ui {
  const {card} = ui;
  if (card.kind !== 'approval' || card.id !== id || card.focus === 'answered') return ui;
  const again = {...card, since: now, focus: 'soon', stage: restarted(card.stage)} as const;
  switch (end.kind) {
    case 'revised':
      return end.files.length === 0
        ? {...ui, card: {...again, stage: {stage: 'reason', text: emptyDraft}}}
        : {
            ...ui,
            card: {
              ...again,
              stage: openApproval,
              revision: {kind: 'revised', approval: revisedApproval(approval, end)},
            },
          };
    case 'unchanged':
      return {...ui, card: {...again, stage: unchanged(again.stage)}};
    case 'failed':
      return {...ui, card: again};
    default:
      return unreachable(end);
  }
}

const unchanged = (stage: ApprovalStage): ApprovalStage =>
  stage.stage === 'hunks' ? {...stage, hint: 'nothing-changed'} : {...openApproval, hint: 'nothing-changed'};

interface Return {
  readonly id: ActionId;
  /** As the agent has asked for it. */
  readonly approval: Approval;
  readonly end: ProposalEnd;
  /** In milliseconds, as in `Ui`. */
  readonly now: number;
}
