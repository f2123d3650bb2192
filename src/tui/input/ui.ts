import type {Op} from '../../agent/engine.ts';
import type {Approval} from '../../actions/agent-event.ts';
import type {ActionId} from '../../domain/ids.ts';
import {attentionOf} from '../state/select.ts';
import type {View} from '../state/view.ts';
import type {CommandInfo, CommandLine} from './commands.ts';
import {draftOf, emptyDraft, type Draft} from './draft.ts';
import {historyOf, type PromptHistory} from './prompt-history.ts';
import {openForm, type QuestionForm} from './question-form.ts';
import type {SessionPicker} from './session-picker.ts';

/** What the user is doing: everything on screen that is not a fold of agent events. Times are milliseconds. */
export interface Ui {
  readonly draft: Draft;
  readonly history: PromptHistory;
  /** The row of the completion list that Enter and Tab take. */
  readonly completionRow: number;
  readonly card: Card;
  readonly picker: Picker;
  readonly leaving: {readonly kind: 'no'} | {readonly kind: 'armed'; readonly at: number};
  readonly lastKey: LastKey;
}

/** What is asked of the user now, and whether keys go there yet. */
export type Card =
  | {readonly kind: 'none'}
  | {readonly kind: 'approval'; readonly id: ActionId; readonly guard: Guard; readonly refusal: Refusal}
  | {readonly kind: 'question'; readonly id: ActionId; readonly guard: Guard; readonly form: QuestionForm};

/** `typing`: the user was in the middle of a word when the card came up; keys stay in the draft until a pause. */
type Guard = 'typing' | 'open';

export type Refusal = {readonly kind: 'none'} | {readonly kind: 'writing'; readonly reason: Draft};

export type Picker = {readonly kind: 'none'} | {readonly kind: 'sessions'; readonly picker: SessionPicker};

type LastKey =
  | {readonly kind: 'none'}
  | {readonly kind: 'pressed'; readonly at: number; readonly on: 'draft' | 'answer' | 'other'};

/** What a press asks of the world. */
export type Effect =
  | {readonly do: 'send'; readonly text: string}
  | {readonly do: 'op'; readonly op: Op}
  | {readonly do: 'command'; readonly line: CommandLine}
  | {readonly do: 'show-all'; readonly approval: Approval}
  | {readonly do: 'leave'};

export interface PressContext {
  readonly view: View;
  readonly commands: readonly CommandInfo[];
  /** Milliseconds, from any start. */
  readonly now: number;
}

export interface Step {
  readonly ui: Ui;
  readonly effects: readonly Effect[];
}

/** A press that follows another one within this time belongs to the same stretch of typing. */
export const typingPauseMs = 600;

export const openUi = (prompts: readonly string[], draft: string): Ui => ({
  draft: draft === '' ? emptyDraft : draftOf(draft),
  history: historyOf(prompts),
  completionRow: 0,
  card: {kind: 'none'},
  picker: {kind: 'none'},
  leaving: {kind: 'no'},
  lastKey: {kind: 'none'},
});

/** Brings the card in line with what the view asks for; to be called after every change of the view. */
export function attend(ui: Ui, view: View, now: number): Ui {
  const attention = attentionOf(view);
  switch (attention.kind) {
    case 'composer':
      return ui.card.kind === 'none' ? ui : {...ui, card: {kind: 'none'}};
    case 'approval':
      return ui.card.kind === 'approval' && ui.card.id === attention.approval.id
        ? ui
        : {
            ...ui,
            card: {kind: 'approval', id: attention.approval.id, guard: guardAt(ui, now), refusal: {kind: 'none'}},
          };
    case 'question': {
      const {id, questions} = attention.open;
      return ui.card.kind === 'question' && ui.card.id === id
        ? ui
        : {...ui, card: {kind: 'question', id, guard: guardAt(ui, now), form: openForm(id, questions)}};
    }
    default:
      return attention satisfies never;
  }
}

function guardAt({lastKey}: Ui, now: number): Guard {
  return lastKey.kind === 'pressed' && lastKey.on === 'draft' && now - lastKey.at < typingPauseMs ? 'typing' : 'open';
}
