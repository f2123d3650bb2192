import type {DroppedPart} from '../../../actions/files-port.ts';
import type {ApprovalAnswer} from '../../../agent/engine.ts';
import {emptyDraft, type Draft} from '../draft.ts';
import {approvalKeys, type KeyPress} from '../keymap.ts';

/** How far the user is with an approval. */
export type ApprovalStage =
  | ChoosingStage
  | HunkStage
  /** Allowing for the session is asked again, for what reaches further than this machine. */
  | {readonly stage: 'session'}
  | WordStage
  /** The row of the verdict's rules that would be stored. */
  | {readonly stage: 'rule'; readonly row: number; readonly scope: RuleScope}
  | {readonly stage: 'rule-text'; readonly text: Draft; readonly scope: RuleScope}
  | {readonly stage: 'reason'; readonly text: Draft}
  | {readonly stage: 'command'; readonly text: Draft};

/** Where a rule is to be stored: for this project and this user, or for all projects of the user. */
export type RuleScope = 'local' | 'user';

export interface ChoosingStage {
  readonly stage: 'choosing';
  readonly hint: 'none' | 'other-key' | 'nothing-changed' | 'unread';
  /** `summary`: what matters most of it, on one screen. A number: all of it, from that line on. */
  readonly top: 'summary' | number;
}

/** Parts of a change are taken out of it. */
export interface HunkStage {
  readonly stage: 'hunks';
  /** The part that is shown, and from which of its lines on. */
  readonly row: number;
  readonly top: number;
  /** Numbers of the parts that are left out. */
  readonly dropped: ReadonlySet<number>;
  /** What is typed of the word, where only that accepts. */
  readonly word: Draft;
  readonly hint: 'none' | 'other-key' | 'wrong-word' | 'nothing-changed';
}

/** `text` is being typed; `wrong` once it was entered and was not the word. */
export interface WordStage {
  readonly stage: 'word';
  readonly text: Draft;
  readonly entered: 'not-yet' | 'wrong';
}

export const openApproval: ChoosingStage = {stage: 'choosing', hint: 'none', top: 'summary'};

/** What was ticked stays so; nothing else that was begun does. */
export const restarted = (stage: ApprovalStage): ApprovalStage =>
  stage.stage === 'hunks' ? {...stage, word: emptyDraft, hint: 'none'} : openApproval;

export type ApprovalStep =
  | {readonly kind: 'open'; readonly stage: ApprovalStage}
  | {readonly kind: 'answered'; readonly answer: ApprovalAnswer}
  | {readonly kind: 'stop'}
  | {readonly kind: 'show-all'}
  /** The proposed text of one file, or of all, goes to the user's editor, without what is left out of it. */
  | {readonly kind: 'edit'; readonly of: ProposalPart; readonly dropped: readonly DroppedPart[]}
  /** Nothing for the card: `key` belongs to what the user is writing, and with it what the card took for its word before. */
  | {readonly kind: 'not-meant'; readonly key: KeyPress};

/** The texts that an editor is given of a change. */
export type ProposalPart = 'all-files' | {readonly path: string};

export interface ApprovalPress {
  readonly key: KeyPress;
  /** `later` when the terminal delivered other presses with it, before it. */
  readonly place: 'first' | 'later';
  /** How far what is shown can be scrolled; worked out when it is asked for. */
  reach(): ScrollReach | 'all-shown';
}

/** In lines: the last one that what is shown can begin with, and how many are shown. */
export interface ScrollReach {
  readonly last: number;
  readonly page: number;
}

export const notMeant = (key: KeyPress): ApprovalStep => ({kind: 'not-meant', key});
export const open = (stage: ApprovalStage): ApprovalStep => ({kind: 'open', stage});
export const answered = (answer: ApprovalAnswer): ApprovalStep => ({kind: 'answered', answer});
export const allow = (scope: 'once' | 'session'): ApprovalStep => answered({decision: 'allow', scope});

/** The letters that mean the same in every form of the card; `undefined` for others. */
export function pressCommon(letter: string): ApprovalStep | undefined {
  switch (letter) {
    case approvalKeys.refuse:
      return answered({decision: 'refuse', message: '', voice: 'user'});
    case approvalKeys.refuseWithReason:
      return open({stage: 'reason', text: emptyDraft});
    case approvalKeys.showAll:
      return {kind: 'show-all'};
    default:
      return undefined;
  }
}

export const hintAtKey = open({...openApproval, hint: 'other-key'});
