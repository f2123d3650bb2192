import type {KeyContext} from '../terminal/keymap.ts';
import type {ReadImage} from '../../actions/files-port.ts';
import {type Editing, editingForNewField, initialEditing} from '../editor/text-field.ts';
import type {Effect} from './effect.ts';
import type {Approval} from '../../actions/agent-event.ts';
import type {Panel} from './panels/panel.ts';
import {type ApprovalStage, initialStage} from './approval-stage.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {ActionId, BlockId} from '../../domain/ids.ts';
import type {EditorMode} from '../../domain/preferences.ts';
import {type Draft, draftFromText, emptyDraft, isEmptyDraft} from '../editor/draft.ts';
import {promptHistoryOf, type PromptHistory} from '../editor/prompt-history.ts';
import {type MentionList, closedMentionList} from './mention-list.ts';
import {openForm, type QuestionForm} from './question-form.ts';
import {attentionOf} from './selectors.ts';
import type {View} from './view.ts';

/** UI state that doesn't come from agent events: draft, panel, card. Times are in milliseconds. */
export interface Ui {
  readonly draft: Draft;
  readonly editing: Editing;
  readonly history: PromptHistory;
  readonly images: readonly ReadImage[];
  readonly mentions: MentionList;
  readonly completionRow: number;
  readonly shortcuts: 'hidden' | 'shown';
  readonly card: Card;
  /** The panel that replaces the composer and takes all keys except the interrupt key. */
  readonly panel: Panel | 'none';
  readonly leaving: {readonly kind: 'no'} | {readonly kind: 'armed'; readonly at: number};
  /** Armed by Esc with an idle agent and an empty draft. A second Esc soon after opens the list of prompts to rewind to. */
  readonly rewinding: {readonly kind: 'no'} | {readonly kind: 'armed'; readonly at: number};
  /** The prompt that an undo restored to the draft. Empty if there is none. */
  readonly restoredPrompt: string;
  readonly lastKey: LastKey;
}

export type Card =
  | {readonly kind: 'none'}
  | (AskedCard &
      CardWithText & {
        readonly kind: 'approval';
        readonly asked: Approval;
        readonly stage: ApprovalStage;
        /** How many rows of the exact text have been on screen, from the top. */
        readonly read: number | 'all';
        readonly revision: Revision;
      })
  | (AskedCard & CardWithText & {readonly kind: 'question'; readonly form: QuestionForm})
  | (AskedCard & {readonly kind: 'hand-over'; readonly block: BlockId});

interface CardWithText {
  readonly editing: Editing;
}

/** Whether the user has edited the proposal. `approval` is the edited version. */
type Revision = {readonly kind: 'none'} | {readonly kind: 'revised'; readonly approval: Approval};

interface AskedCard {
  readonly id: ActionId;
  readonly since: number;
  readonly focus: Focus;
}

/**
 * The destination of keys.
 * `soon`: to the draft, until the draft is empty and no key was pressed for a while.
 * `card`: to the card, which is shown in full.
 * `aside`: to the draft, until the user switches to the card.
 * `answered`: to the draft, while the answer is being processed.
 */
type Focus = 'soon' | 'card' | 'aside' | 'answered';

type LastKey =
  | {readonly kind: 'none'}
  | {readonly kind: 'pressed'; readonly at: number; readonly key: string; readonly on: 'answer' | 'other'};

export interface UiStep {
  readonly ui: Ui;
  readonly effects: readonly Effect[];
}

/** Presses less than this apart (milliseconds) count as continuous typing. */
export const typingPauseMs = 600;

export const initialUi = (prompts: readonly string[], draft: string, mode: EditorMode): Ui => ({
  draft: draft === '' ? emptyDraft : draftFromText(draft),
  editing: initialEditing(mode),
  history: promptHistoryOf(prompts),
  images: [],
  mentions: closedMentionList,
  completionRow: 0,
  shortcuts: 'hidden',
  card: {kind: 'none'},
  panel: 'none',
  leaving: {kind: 'no'},
  rewinding: {kind: 'no'},
  restoredPrompt: '',
  lastKey: {kind: 'none'},
});

/** Shows the card that the view needs. Must be called after every change of the view. */
export function updateCard(ui: Ui, view: View, now: number): Ui {
  const attention = attentionOf(view);
  const {card} = ui;
  const fresh = {since: now, focus: 'soon'} as const;
  switch (attention.kind) {
    case 'composer':
      return card.kind === 'none' ? ui : {...ui, card: {kind: 'none'}};
    case 'approval': {
      const asked = attention.approval;
      // An edited command comes back under the same id and needs a fresh card.
      if (card.kind === 'approval' && card.asked === asked) return ui;
      const untouched = {
        stage: initialStage,
        read: 0,
        revision: {kind: 'none'},
        editing: editingForNewField(ui),
      } as const;
      return {...ui, card: {kind: 'approval', id: asked.id, asked, ...fresh, ...untouched}};
    }
    case 'question': {
      const {id, questions, files} = attention.open;
      if (card.kind === 'question' && card.id === id) return ui;
      const form = openForm(id, questions, files);
      return {...ui, card: {kind: 'question', id, ...fresh, form, editing: editingForNewField(ui)}};
    }
    case 'hand-over': {
      const {id, block} = attention.open;
      if (card.kind === 'hand-over' && card.id === id) return ui;
      return {...ui, card: {kind: 'hand-over', id, ...fresh, block}};
    }
    default:
      return unreachable(attention);
  }
}

/**
 * Returns the time at which the card takes the focus, if no key is pressed before then. While the draft isn't empty,
 * only the user can switch to the card.
 */
export function focusDue({card, draft, panel, lastKey}: Ui): number | undefined {
  if (card.kind === 'none' || card.focus !== 'soon' || panel !== 'none' || !isEmptyDraft(draft)) return undefined;
  return Math.max(card.since, lastKey.kind === 'pressed' ? lastKey.at : card.since) + typingPauseMs;
}

export const focusCard = (ui: Ui): Ui => (ui.card.kind === 'none' ? ui : {...ui, card: {...ui.card, focus: 'card'}});

/** Returns which of the user's keys count: those of the open list, of the card that has the keys, or of the prompt. */
export function keyContextOf({panel, card}: Ui): KeyContext {
  if (panel !== 'none') return 'list';
  return card.kind !== 'none' && card.focus === 'card' ? 'card' : 'prompt';
}
