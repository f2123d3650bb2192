import type {ReactNode} from 'react';
import type {BlockInfo} from '../../actions/ports.ts';
import {attentionOf} from '../state/selectors.ts';
import type {Ui} from '../state/ui.ts';
import type {View} from '../state/view.ts';
import {ApprovalCard} from './approval-card.tsx';
import {HandOverCard} from './hand-over-card.tsx';
import {HunkCard} from './hunk-card.tsx';
import {QuestionCard} from './question-card.tsx';

interface CardAreaProps {
  readonly ui: Ui;
  readonly view: View;
  readonly blocks: readonly BlockInfo[];
  readonly home: string;
  readonly width: number;
  readonly rows: number;
}

export function CardArea({ui: {card}, view, blocks, home, width, rows}: CardAreaProps): ReactNode {
  const attention = attentionOf(view);
  if (card.kind === 'approval' && attention.kind === 'approval') {
    const {revision, stage, editing} = card;
    const approval = revision.kind === 'revised' ? revision.approval : attention.approval;
    if (stage.stage === 'hunks') return <HunkCard {...{approval, stage, home, width, rows}} />;
    const workspace = view.session.tag === 'open' ? view.session.info.directory : '';
    const folders = {workspace, home};
    return <ApprovalCard {...{approval, stage, editing, folders, width, rows}} waiting={attention.waiting} />;
  }
  if (card.kind === 'hand-over' && attention.kind === 'hand-over') {
    const {block, reason} = attention.open;
    return <HandOverCard {...{reason, width}} info={blocks.find(({id}) => id === block)} />;
  }
  return card.kind === 'question' && attention.kind === 'question' ? (
    <QuestionCard form={card.form} editing={card.editing} {...{width, rows}} />
  ) : undefined;
}
