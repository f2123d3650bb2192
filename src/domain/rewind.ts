import type {RevertReport} from './checkpoint.ts';
import type {MessageId} from './ids.ts';
import type {RewindScope} from './journal.ts';

/** Where to go back to, or that going back is to be taken back. */
export type RewindTarget =
  /** Before the last prompt: files and what was said. Where a compaction was the last step, before that. */
  | {readonly kind: 'last'}
  | {readonly kind: 'prompt'; readonly to: MessageId; readonly what: RewindScope}
  | {readonly kind: 'redo'};

/** What a rewind, or taking one back, does or did. */
export interface RewindReport {
  readonly kind: 'rewind' | 'redo';
  /** `compaction`: only that is taken back, or done again; nothing that was said goes. */
  readonly what: RewindScope | 'compaction';
  /** The text of the first prompt that goes, or comes back. */
  readonly prompt: string;
  /** How many prompts go or come back; 0 where only files or a compaction do. */
  readonly prompts: number;
  readonly files: RevertReport;
}

/** A prompt to go back to. */
export interface RewindPoint {
  readonly to: MessageId;
  /** Counted from 1 over the whole conversation. */
  readonly number: number;
  readonly prompt: string;
  readonly files: 'changed' | 'untouched';
}
