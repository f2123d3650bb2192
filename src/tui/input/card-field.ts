import {unreachable} from '../../base/unreachable.ts';
import type {TextField} from './editing-state.ts';
import type {Card} from './ui.ts';

type OpenCard = Exclude<Card, {readonly kind: 'none'}>;

/** The text that is being written in a card; `undefined` where none is. */
export function fieldOf(card: OpenCard): TextField | undefined {
  switch (card.kind) {
    case 'approval': {
      const {stage, editing} = card;
      const isField = stage.stage === 'reason' || stage.stage === 'command' || stage.stage === 'rule-text';
      return isField ? {draft: stage.text, editing} : undefined;
    }
    case 'question': {
      const {form, editing} = card;
      return form.state === 'typing' ? {draft: form.other, editing} : undefined;
    }
    case 'hand-over':
      return undefined;
    default:
      return unreachable(card);
  }
}

/** The card with its text as it is now. */
export function withField(card: OpenCard, {draft, editing}: TextField): OpenCard {
  switch (card.kind) {
    case 'approval': {
      const {stage} = card;
      const isField = stage.stage === 'reason' || stage.stage === 'command' || stage.stage === 'rule-text';
      return isField ? {...card, editing, stage: {...stage, text: draft}} : card;
    }
    case 'question':
      return {...card, editing, form: {...card.form, other: draft}};
    case 'hand-over':
      return card;
    default:
      return unreachable(card);
  }
}
