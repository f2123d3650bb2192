import type {ReadImage} from '../actions/files-port.ts';
import type {AgentClient} from '../agent/client.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';
import type {RunningSession} from '../domain/session-list.ts';
import type {Effort} from '../domain/model-stream.ts';
import type {Look} from './theme/theme.ts';
import type {Preferences} from '../domain/preferences.ts';

/**
 * All the terminal UI needs from outside: the engine's client, and ports for effects on the user's own terminal, which are the front
 * end's wherever the engine runs (the streams, the editor and the clipboard at the user's desk, the shell's job control).
 */
export interface TuiOptions {
  readonly engine: AgentClient;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly version: string;
  /** The working directory as shown: with `~` for the home. */
  readonly directory: string;
  /** The user's home on the machine where the engine runs; paths in it are shown with `~`. */
  readonly home: string;
  /** Sent at once; empty for none. */
  readonly firstPrompt: string;
  readonly opening: 'composer' | 'sessions';
  readonly instructions: readonly string[];
  /** One sentence each, shown at the start. */
  readonly notices: readonly string[];
  /** Looked for after the first frame: one sentence each. */
  lateNotices(): Promise<readonly string[]>;
  readonly editor: EditorPort;
  readonly clipboard: ClipboardPort;
  readonly preferences: Preferences;
  readonly look: Look;
  readonly effort: Effort | 'default';
  /** Whether `/demo` exists here; choosing it leaves with `{kind: 'demo'}`. */
  readonly demo: 'none' | 'offered';
  /** The work when the user leaves: a server goes on with it. */
  readonly workAfter: 'stops' | 'goes-on';
  /** The sessions that go on while another one is shown, those that need an answer first. */
  runningSessions(): readonly RunningSession[];
  /** Ids for prompts, none twice. */
  newPromptId(): MessageId;
  /** Whether the terminal is asked to report keys with modifiers as keys of their own. */
  readonly modifiedKeys: 'yes' | 'no';
  readonly restorer: TerminalRestorer;
  readonly job: JobControl;
  readonly clock: {
    /** Milliseconds from any start, never going back. */
    now(): number;
    /** Milliseconds since 1970, for how long ago something was. */
    date(): number;
  };
}

export interface JobControl {
  /** Reports signals: `asked-to-stop` (SIGTSTP), and `continued` after weft was stopped by force. */
  watch(listener: (signal: 'asked-to-stop' | 'continued') => void): {
    /** Returns when the job goes on. */
    stop(): void;
    close(): void;
  };
}

/** Restores the terminal if weft ends without doing so itself. */
export interface TerminalRestorer {
  /** `undo` undoes the modes that are on now. The terminal is in raw mode when it is first called. */
  keep(undo: string): void;
  release(): void;
}

/** The user's own editor, which has the terminal for as long as it runs. */
export interface EditorPort {
  /** The text as the user left it, or why there is none: a sentence. */
  edit(work: EditorRequest, signal: AbortSignal): Promise<Outcome<string, string>>;
}

export interface EditorRequest {
  readonly text: string;
  /** The name of the file, whose extension shows the editor what kind of text it is. */
  readonly name: string;
  /** `prose`: line ends and the one at the end are the editor's matter. `file`: every character counts. */
  readonly form: 'prose' | 'file';
}

/** The clipboard of the machine at which the user sits. */
export interface ClipboardPort {
  /** Answers with one sentence: how it was copied, or why it was not and what to do. */
  copy(text: string): Promise<Outcome<string, string>>;
  /** The image on the clipboard; a fault says why there is none, and what to do. */
  readImage(signal: AbortSignal): Promise<Outcome<ReadImage, Fault>>;
}

/** Why the terminal UI ended. The engine still runs: closing it is the caller's part. */
/** `draft` is the prompt that waits for a model; mostly empty. */
export type TuiExit = {readonly kind: 'left'} | {readonly kind: 'demo'; readonly draft: string};
