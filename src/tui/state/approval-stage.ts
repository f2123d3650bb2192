import type {DroppedPart} from '../../domain/file-edit.ts';
import type {ApprovalAnswer} from '../../agent/client.ts';
import {type Draft, emptyDraft} from '../editor/draft.ts';
import type {KeyPress} from '../terminal/keymap.ts';
import type {CardRoom} from './card-room.ts';

export type ApprovalStage =
  | ChoosingStage
  | HunkStage
  | WordStage
  /** A text field is open for the rule that "always" stores, the reason for a refusal, or the command. */
  | {readonly stage: 'rule-text'; readonly text: Draft}
  | {readonly stage: 'reason'; readonly text: Draft}
  | {readonly stage: 'command'; readonly text: Draft};

export interface ChoosingStage {
  readonly stage: 'choosing';
  /** The offer that Enter chooses. `none` until an arrow key selects one. */
  readonly row: number | 'none';
  /** The rule that "always" shows, as an index into the verdict's rules. */
  readonly rule: number | 'suggested';
  readonly hint: 'none' | 'no-choice' | 'needs-word' | 'nothing-changed' | 'unread';
  /** `summary` shows the most important lines on one screen. A number shows the full text from that row on. */
  readonly top: 'summary' | number;
}

export interface HunkStage {
  readonly stage: 'hunks';
  readonly row: number;
  /** The first visible line of the selected part. */
  readonly top: number;
  readonly dropped: ReadonlySet<number>;
  /** The confirm word as typed so far, if the card needs one. */
  readonly word: Draft;
  readonly hint: 'none' | 'needs-word' | 'wrong-word' | 'nothing-changed';
}

/** The user is typing the confirm word. `wrong` after a different word was entered. */
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

/** Returns the initial stage. A hunk stage keeps its selection. */
export const resetStage = (stage: ApprovalStage): ApprovalStage =>
  stage.stage === 'hunks' ? {...stage, word: emptyDraft, hint: 'none'} : initialStage;

export type ApprovalStep =
  | {readonly kind: 'open'; readonly stage: ApprovalStage}
  | {readonly kind: 'answered'; readonly answer: ApprovalAnswer}
  | {readonly kind: 'stop'}
  | {readonly kind: 'show-all'}
  /** Opens the proposed text of one or all files in the user's editor, without the dropped parts. */
  | {readonly kind: 'edit'; readonly of: ProposalTarget; readonly dropped: readonly DroppedPart[]}
  /** The card doesn't handle `key`. It goes to the draft, along with any text typed for the confirm word. */
  | {readonly kind: 'unhandled'; readonly key: KeyPress};

/** The files of a change to open in the editor. */
export type ProposalTarget = 'all-files' | {readonly path: string};

export interface ApprovalPress {
  readonly key: KeyPress;
  /** `following` if the press arrived in the same chunk as earlier presses. */
  readonly batchPosition: 'first' | 'following';
  readonly room: CardRoom;
}

export const unhandledStep = (key: KeyPress): ApprovalStep => ({kind: 'unhandled', key});
export const openStep = (stage: ApprovalStage): ApprovalStep => ({kind: 'open', stage});
export const answeredStep = (answer: ApprovalAnswer): ApprovalStep => ({kind: 'answered', answer});
