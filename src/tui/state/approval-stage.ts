import type {DroppedPart} from '../../domain/file-edit.ts';
import type {ApprovalAnswer} from '../../agent/client.ts';
import {type Draft, emptyDraft} from '../editor/draft.ts';
import type {KeyPress} from '../terminal/keymap.ts';
import type {CardRoom} from './card-room.ts';

export type ApprovalStage =
  | ChoosingStage
  | HunkStage
  | WordStage
  /** A text field is open: the rule that "always" stores, what to do instead, or the command. */
  | {readonly stage: 'rule-text'; readonly text: Draft}
  | {readonly stage: 'reason'; readonly text: Draft}
  | {readonly stage: 'command'; readonly text: Draft};

export interface ChoosingStage {
  readonly stage: 'choosing';
  /** The offer that Enter takes; none until an arrow selects one. */
  readonly row: number | 'none';
  /** The rule that "always" shows, as its index in the verdict's rules. */
  readonly rule: number | 'suggested';
  readonly hint: 'none' | 'needs-word' | 'nothing-changed' | 'unread';
  /** `summary`: the most important lines, on one screen. A number: the full text from that row on. */
  readonly top: 'summary' | number;
}

export interface HunkStage {
  readonly stage: 'hunks';
  /** The part that is shown, and its first visible line. */
  readonly row: number;
  readonly top: number;
  readonly dropped: ReadonlySet<number>;
  /** The confirm word as far as it is typed, where only that accepts. */
  readonly word: Draft;
  readonly hint: 'none' | 'needs-word' | 'wrong-word' | 'nothing-changed';
}

/** The confirm word is being typed; `wrong` after something else was entered. */
export interface WordStage {
  readonly stage: 'word';
  readonly text: Draft;
  readonly entered: 'not-yet' | 'wrong';
}

export const initialStage: ChoosingStage = {
  stage: 'choosing',
  row: 'none',
  rule: 'suggested',
  hint: 'none',
  top: 'summary',
};

/** The first stage again; choices of hunks are kept. */
export const resetStage = (stage: ApprovalStage): ApprovalStage =>
  stage.stage === 'hunks' ? {...stage, word: emptyDraft, hint: 'none'} : initialStage;

export type ApprovalStep =
  | {readonly kind: 'open'; readonly stage: ApprovalStage}
  | {readonly kind: 'answered'; readonly answer: ApprovalAnswer}
  | {readonly kind: 'stop'}
  | {readonly kind: 'show-all'}
  /** Opens the proposed text of one file, or of all, in the user's editor, without the dropped parts. */
  | {readonly kind: 'edit'; readonly of: ProposalTarget; readonly dropped: readonly DroppedPart[]}
  /** The card does not handle `key`: it goes to the draft, together with text the card had taken for its confirm word. */
  | {readonly kind: 'unhandled'; readonly key: KeyPress};

/** The files of a change that are opened in the editor. */
export type ProposalTarget = 'all-files' | {readonly path: string};

export interface ApprovalPress {
  readonly key: KeyPress;
  /** `following` if the press arrived in one chunk with earlier presses. */
  readonly batchPosition: 'first' | 'following';
  readonly room: CardRoom;
}

export const unhandled = (key: KeyPress): ApprovalStep => ({kind: 'unhandled', key});
export const open = (stage: ApprovalStage): ApprovalStep => ({kind: 'open', stage});
export const answered = (answer: ApprovalAnswer): ApprovalStep => ({kind: 'answered', answer});
