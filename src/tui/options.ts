import type {BlockDesk} from '../actions/ports.ts';
import type {Engine} from '../agent/engine.ts';
import type {MessageId} from '../domain/ids.ts';
import type {SessionSummary} from '../domain/journal.ts';

/** All the terminal UI needs from outside. */
export interface TuiOptions {
  readonly engine: Engine;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly version: string;
  /** The working directory as shown: with `~` for the home. */
  readonly directory: string;
  /** Sent at once; empty for none. */
  readonly firstPrompt: string;
  /** What the user meets: the composer, or the list of sessions to go on with. */
  readonly opening: 'composer' | 'sessions';
  /** One sentence each, shown at the start. */
  readonly notices: readonly string[];
  /** Looked for after the first frame: one sentence each. */
  lateNotices(): Promise<readonly string[]>;
  /** Sessions that `/resume` offers, latest first. */
  listSessions(): readonly SessionSummary[];
  readonly history: HistoryPort;
  /** The commands that run beside the conversation. */
  readonly blocks: BlockDesk;
  /** The rules that count now and who set them, one a line, for `/permissions`. */
  permissions(): readonly string[];
  readonly trust: TrustPort;
  /** `plain` writes no styling. */
  readonly look: 'colour' | 'plain';
  /** Whether `/demo` exists here; choosing it leaves with `{kind: 'demo'}`. */
  readonly demo: 'none' | 'offered';
  /** Ids for prompts, none twice. */
  newPromptId(): MessageId;
  readonly clock: {
    /** Milliseconds from any start, never going back. */
    now(): number;
  };
}

export interface HistoryPort {
  /** Earlier prompts, oldest first. */
  load(): readonly string[];
  add(prompt: string): void;
}

/** What files of the folder ask for, and the user's word on it. */
export interface TrustPort {
  readonly state: 'nothing' | 'trusted' | 'changed' | 'never';
  /** What trusting the folder grants, several lines. */
  text(): string;
  /** Trusts the files as `text` tells of them, and says what came of it. */
  accept(): Promise<string>;
}

/** Why the terminal UI ended. The engine still runs: closing it is the caller's part. */
export type TuiExit = {readonly kind: 'left'} | {readonly kind: 'demo'};
