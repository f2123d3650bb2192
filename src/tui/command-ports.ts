import type {SessionInfo} from '../actions/agent-event.ts';
import type {Outcome} from '../base/outcome.ts';
import type {SessionId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';

/** What slash commands and the status line look at or change outside the conversation. Nothing of it is asked before it is needed. */
export interface CommandPorts {
  /** All that is kept of the open session, oldest first. It may grow while it is looked at. */
  records(): readonly JournalRecord[];
  readonly sessions: SessionTexts;
  readonly clipboard: ClipboardPort;
  readonly exporter: ExportPort;
  readonly settings: SettingsPort;
  /** What works on this machine, one check a line. */
  doctor(): Promise<string>;
  /** What is checked out in the workspace: a branch, or the beginning of a commit; empty where there is no repository. */
  branch(): string;
}

/** What was said in other sessions. */
export interface SessionTexts {
  /** The first prompt of each, cut where it is long. */
  firstPrompts(): ReadonlyMap<SessionId, string>;
  /** The last messages, the latest last: a few, each cut where it is long. */
  lastMessages(id: SessionId): readonly SaidMessage[];
}

export interface SaidMessage {
  readonly by: 'user' | 'agent';
  readonly text: string;
}

export interface ClipboardPort {
  /** Answers with one sentence: how it was copied, or why it was not and what to do. */
  copy(text: string): Promise<Outcome<string, string>>;
}

export interface ExportPort {
  /** Writes the session into a file; an empty name stands for one of its own. A file that is there stays unless it is to be `replaced`. */
  write(work: {
    readonly name: string;
    readonly session: SessionInfo;
    readonly present: 'kept' | 'replaced';
  }): Promise<ExportEnd>;
}

/** `path` is the whole path. */
export type ExportEnd =
  | {readonly kind: 'written' | 'exists'; readonly path: string}
  | {readonly kind: 'failed'; readonly message: string};

export interface SettingsPort {
  /** All that is set, what counts first, with where it comes from; of one setting where a name is given. */
  list(name: string): Promise<Outcome<readonly string[], string>>;
  /** Writes the user's own setting; answers with what came of it, a sentence each. */
  set(name: string, value: string): Promise<Outcome<readonly string[], string>>;
}
