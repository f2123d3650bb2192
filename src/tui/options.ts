import type {BlockDesk} from '../actions/ports.ts';
import type {EditDesk} from '../actions/files-port.ts';
import type {FileFinder} from '../actions/file-finder.ts';
import type {ImagePort} from '../actions/image-port.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {CommandPorts} from './command-ports.ts';
import type {Look} from './theme/theme.ts';
import type {Engine} from '../agent/engine.ts';
import type {MessageId} from '../domain/ids.ts';
import type {SessionSummary} from '../domain/journal.ts';
import type {Preferences} from '../domain/preferences.ts';

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
  readonly editor: EditorPort;
  /** Where a proposed edit is looked over before it is written. */
  readonly edits: EditDesk;
  readonly files: FileFinder;
  readonly images: ImagePort;
  readonly notes: NotePort;
  /** The commands that run beside the conversation. */
  readonly blocks: BlockDesk;
  /** The rules that count now and who set them, one a line, for `/permissions`. */
  permissions(): readonly string[];
  readonly trust: TrustPort;
  readonly preferences: Preferences;
  readonly look: Look;
  readonly outside: CommandPorts;
  /** Whether `/demo` exists here; choosing it leaves with `{kind: 'demo'}`. */
  readonly demo: 'none' | 'offered';
  /** Ids for prompts, none twice. */
  newPromptId(): MessageId;
  /** Whether the terminal is asked to tell keys with modifiers apart. */
  readonly modifiedKeys: 'yes' | 'no';
  readonly keeper: TerminalKeeper;
  readonly job: JobControl;
  readonly clock: {
    /** Milliseconds from any start, never going back. */
    now(): number;
  };
}

/** weft as a job of the user's shell, which can stop and go on. */
export interface JobControl {
  /** Tells what comes from outside: that it is to stop, and that it goes on after it was stopped by force. */
  watch(listener: (signal: 'asked-to-stop' | 'continued') => void): {
    /** Returns when the job goes on. */
    stop(): void;
    close(): void;
  };
}

/** Gives the terminal back should weft end without doing so itself. */
export interface TerminalKeeper {
  /** `undo` undoes the modes that are on now. The terminal is in raw mode when it is first called. */
  keep(undo: string): void;
  /** The terminal is as it was before. */
  release(): void;
}

/** Keeps notes in the workspace's standing instructions. */
export interface NotePort {
  /** Answers with the name of the file. */
  add(note: string): Promise<Outcome<string, Fault>>;
}

export interface HistoryPort {
  /** Earlier prompts, oldest first. */
  load(): readonly string[];
  add(prompt: string): void;
}

/** The user's own editor, which has the terminal for as long as it runs. */
export interface EditorPort {
  /** The text as the user left it, or why there is none: a sentence. */
  edit(work: EditorWork, signal: AbortSignal): Promise<Outcome<string, string>>;
}

export interface EditorWork {
  readonly text: string;
  /** The file's, whose ending tells the editor what it is. */
  readonly name: string;
  /** `prose`: line ends and the one at the end are the editor's matter. `file`: every character counts. */
  readonly form: 'prose' | 'file';
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
