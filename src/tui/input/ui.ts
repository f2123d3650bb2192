import {unreachable} from '../../base/unreachable.ts';
import type {ActionId, BlockId} from '../../domain/ids.ts';
import {attentionOf} from '../state/select.ts';
import type {View} from '../state/view.ts';
import type {Approval} from '../../actions/agent-event.ts';
import {openApproval, type ApprovalStage} from './approval/approval-stage.ts';
import type {Panel} from '../panels/panel.ts';
import type {ReadImage} from '../../actions/image-port.ts';
import type {Effect} from './effect.ts';
import {noMention, type MentionList} from './mention-list.ts';
import {draftOf, emptyDraft, isEmptyDraft, type Draft} from './draft.ts';
import {editingBeside} from './editing-beside.ts';
import {openEditing, type Editing} from './editing-state.ts';
import type {EditorMode} from '../../domain/preferences.ts';
import {historyOf, type PromptHistory} from './prompt-history.ts';
import {openForm, type QuestionForm} from './question-form.ts';

/** What the user is doing: everything on screen that is not a fold of agent events. Times are milliseconds. */
export interface Ui {
  readonly draft: Draft;
  readonly editing: Editing;
  readonly history: PromptHistory;
  /** Images that go with the next prompt. */
  readonly images: readonly ReadImage[];
  readonly mentions: MentionList;
  /** The row of the completion list that Enter and Tab take. */
  readonly completionRow: number;
  readonly card: Card;
  /** What has the composer's place, and all keys but the interrupt key. */
  readonly panel: Panel | 'none';
  readonly leaving: {readonly kind: 'no'} | {readonly kind: 'armed'; readonly at: number};
  readonly lastKey: LastKey;
}

/** What is asked of the user now. */
export type Card =
  | {readonly kind: 'none'}
  | (Attended &
      Written & {
        readonly kind: 'approval';
        /** As the agent has asked for it. */
        readonly asked: Approval;
        readonly stage: ApprovalStage;
        /** Rows of what is asked about that have been on the screen, as they were drawn. */
        readonly read: ReadonlySet<string> | 'all';
        readonly revision: Revision;
      })
  | (Attended & Written & {readonly kind: 'question'; readonly form: QuestionForm})
  | (Attended & {readonly kind: 'hand-over'; readonly block: BlockId});

/** What editing takes of the text that is written in the card, if one is. */
interface Written {
  readonly editing: Editing;
}

/** Whether the user has rewritten what is asked about; `approval` is about that then. */
type Revision = {readonly kind: 'none'} | {readonly kind: 'revised'; readonly approval: Approval};

interface Attended {
  readonly id: ActionId;
  /** When it came up. */
  readonly since: number;
  readonly focus: Focus;
}

/**
 * Where the keys go. `soon`: to the draft, until there is none and nothing has been pressed for a while; `card`: to the card, which
 * shows that by being shown whole; `aside`: to the draft, until the user calls the card; `answered`: to the draft, the answer is on its way.
 */
type Focus = 'soon' | 'card' | 'aside' | 'answered';

type LastKey =
  | {readonly kind: 'none'}
  | {readonly kind: 'pressed'; readonly at: number; readonly key: string; readonly on: 'answer' | 'other'};

export interface Step {
  readonly ui: Ui;
  readonly effects: readonly Effect[];
}

/** A press that follows another one within this time (milliseconds) belongs to the same stretch of typing. */
export const typingPauseMs = 600;

export const openUi = (prompts: readonly string[], draft: string, mode: EditorMode): Ui => ({
  draft: draft === '' ? emptyDraft : draftOf(draft),
  editing: openEditing(mode),
  history: historyOf(prompts),
  images: [],
  mentions: noMention,
  completionRow: 0,
  card: {kind: 'none'},
  panel: 'none',
  leaving: {kind: 'no'},
  lastKey: {kind: 'none'},
});

/** Brings the card in line with what the view asks for; to be called after every change of the view. */
export function attend(ui: Ui, view: View, now: number): Ui {
  const attention = attentionOf(view);
  switch (attention.kind) {
    case 'composer':
      return ui.card.kind === 'none' ? ui : {...ui, card: {kind: 'none'}};
    case 'approval': {
      const asked = attention.approval;
      const {id} = asked;
      // What was edited is asked about under the same id, and is another question.
      if (ui.card.kind === 'approval' && ui.card.asked === asked) return ui;
      const revision = {kind: 'none'} as const;
      const editing = editingBeside(ui);
      return {
        ...ui,
        card: {
          kind: 'approval',
          id,
          asked,
          since: now,
          focus: 'soon',
          stage: openApproval,
          read: new Set(),
          revision,
          editing,
        },
      };
    }
    case 'question': {
      const {id, questions} = attention.open;
      return ui.card.kind === 'question' && ui.card.id === id
        ? ui
        : {
            ...ui,
            card: {
              kind: 'question',
              id,
              since: now,
              focus: 'soon',
              form: openForm(id, questions),
              editing: editingBeside(ui),
            },
          };
    }
    case 'hand-over': {
      const {id, block} = attention.open;
      return ui.card.kind === 'hand-over' && ui.card.id === id
        ? ui
        : {...ui, card: {kind: 'hand-over', id, since: now, focus: 'soon', block}};
    }
    default:
      return unreachable(attention);
  }
}

/**
 * When the card takes the keys, unless one is pressed before; `undefined` when none waits for that. Keys never give it the focus
 * by coming late: it has it once that has been drawn. Who is writing pauses for thought, and goes on: the card waits to be called.
 */
export function focusDue({card, draft, panel, lastKey}: Ui): number | undefined {
  if (card.kind === 'none' || card.focus !== 'soon' || panel !== 'none' || !isEmptyDraft(draft)) return undefined;
  return Math.max(card.since, lastKey.kind === 'pressed' ? lastKey.at : card.since) + typingPauseMs;
}

/** Gives the keys to the card, if there is one. */
export const focused = (ui: Ui): Ui => (ui.card.kind === 'none' ? ui : {...ui, card: {...ui.card, focus: 'card'}});
