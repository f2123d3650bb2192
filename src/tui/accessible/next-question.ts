import type {BlockDesk} from '../../actions/ports.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {ActionId} from '../../domain/ids.ts';
import {attentionOf} from '../state/select.ts';
import type {View} from '../state/view.ts';
import {approvalDialogue} from './approval-dialogue.ts';
import type {BellEvent} from '../../domain/preferences.ts';
import type {Dialogue} from './dialogue.ts';
import {handOverDialogue} from './list-dialogues.ts';
import {questionDialogue} from './question-dialogue.ts';

export interface NextQuestion {
  readonly id: ActionId;
  readonly dialogue: Dialogue;
  readonly bell: BellEvent;
}

/** What of the agent's is open and not among `answered`, whose answers are on their way. */
export function nextQuestion(view: View, answered: ReadonlySet<ActionId>, blocks: BlockDesk): NextQuestion | undefined {
  const fresh = <Open extends {readonly id: ActionId}>(all: readonly Open[]): readonly Open[] =>
    all.filter(({id}) => !answered.has(id));
  const attention = attentionOf({
    ...view,
    approvals: fresh(view.approvals),
    questions: fresh(view.questions),
    handOvers: fresh(view.handOvers),
  });
  switch (attention.kind) {
    case 'composer':
      return undefined;
    case 'approval': {
      const {approval, waiting} = attention;
      return {id: approval.id, dialogue: approvalDialogue(approval, waiting), bell: 'approval'};
    }
    case 'question': {
      const {id, questions} = attention.open;
      return {id, dialogue: questionDialogue(id, questions), bell: 'question'};
    }
    case 'hand-over': {
      const {open} = attention;
      const info = blocks.list().find(({id}) => id === open.block);
      return {id: open.id, dialogue: handOverDialogue(open, info), bell: 'question'};
    }
    default:
      return unreachable(attention);
  }
}

/** Whether it waits for an answer still. */
export const isOpen = ({approvals, questions, handOvers}: View, id: ActionId): boolean =>
  [...approvals, ...questions, ...handOvers].some(open => open.id === id);
