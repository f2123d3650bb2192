import type {ReadImage} from '../actions/files-port.ts';
import type {AgentClient} from '../agent/client.ts';
import type {JsonObject} from '../base/json.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';
import type {RunningSession} from '../domain/session-list.ts';
import type {Effort} from '../domain/model-stream.ts';
import type {Media} from './terminal/media.ts';
import type {CustomTheme} from './theme/palette.ts';
import type {Look} from './theme/theme.ts';
import type {Preferences, StatusLineSetting, ThemeChoice} from '../domain/preferences.ts';

/**
 * The terminal UI's dependencies: the engine's client, and ports for effects on the user's own machine. These ports belong to the
 * front end wherever the engine runs: terminal streams, editor, clipboard, and the shell's job control.
 */
export interface TuiOptions {
  readonly engine: AgentClient;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly version: string;
  /** The working directory for display, with `~` for the home directory. */
  readonly directory: string;
  /** The user's home directory on the engine's machine. Paths in it are shown with `~`. */
  readonly home: string;
  /** A prompt to send at once. Empty if there is none. */
  readonly firstPrompt: string;
  readonly opening: 'composer' | 'sessions';
  readonly instructions: readonly string[];
  /** Notices to show at the start, one sentence each. */
  readonly notices: readonly string[];
  /** Yields notices that are computed after the first frame, one sentence each. May never end. */
  lateNotices(): AsyncIterable<string> | Iterable<string>;
  readonly editor: EditorPort;
  /** Runs weft with these arguments in the terminal. Resolves to an empty text, or to one sentence that says what failed. */
  runWeft(args: readonly string[], signal: AbortSignal): Promise<string>;
  readonly statusLine: StatusLinePort;
  /** Reads the user's own themes. */
  loadThemes(): Promise<readonly UserTheme[]>;
  readonly clipboard: ClipboardPort;
  readonly preferences: Preferences;
  readonly look: Look;
  readonly media: Media;
  readonly effort: Effort | 'default';
  /** Whether `/demo` exists. It exits with `{kind: 'demo'}`. */
  readonly demo: 'none' | 'offered';
  /** The fate of the agent's work when the user exits. `goes-on`: a server continues the work. */
  readonly workAfter: 'stops' | 'goes-on';
  /** Returns the sessions that run in the background, those that need an answer first. */
  runningSessions(): readonly RunningSession[];
  /** Returns a unique id for a prompt. */
  newPromptId(): MessageId;
  /** Whether to ask the terminal to report keys with modifiers separately. */
  readonly modifiedKeys: 'yes' | 'no';
  readonly restorer: TerminalRestorer;
  readonly job: JobControl;
  readonly clock: {
    /** Milliseconds on a monotonic clock. */
    now(): number;
    /** Milliseconds since 1970. */
    date(): number;
  };
}

export interface JobControl {
  /** Reports signals: `asked-to-stop` (SIGTSTP), and `continued` after a forced stop (SIGSTOP). */
  watch(listener: (signal: 'asked-to-stop' | 'continued') => void): {
    /** Stops the job. Returns when the shell continues it. */
    stop(): void;
    close(): void;
  };
}

/** Restores the terminal if weft exits without doing so. */
export interface TerminalRestorer {
  /** Keeps the sequence that resets the current terminal modes. The terminal must be in raw mode at the first call. */
  keep(undo: string): void;
  release(): void;
}

/** The user's editor. It has the terminal while it runs. */
export interface EditorPort {
  /** Resolves to the edited text, or to one sentence that says why there is none. */
  edit(work: EditorRequest, signal: AbortSignal): Promise<Outcome<string, string>>;
}

export interface EditorRequest {
  readonly text: string;
  /** The file name. Its extension tells the editor the kind of text. */
  readonly name: string;
  /** `prose`: the editor may change line endings and the final one. `file`: every character counts. */
  readonly form: 'prose' | 'file';
}

/** One of weft's themes, or one of the user's. */
export type ChosenTheme = ThemeChoice | CustomTheme;

/** A theme file of the user. `about` says what is wrong in it, or which colors have a low contrast; empty if nothing is. */
export interface UserTheme {
  readonly name: string;
  /** `none` if the file has a mistake. */
  readonly theme: CustomTheme | 'none';
  readonly about: string;
}

/** The user's command that prints the status line. Only called if the preference `statusLine` is set. */
export interface StatusLinePort {
  /** Resolves to the command's output, or to a sentence's end that says what went wrong, such as `exited with code 1`. */
  print(setting: StatusLineSetting, input: JsonObject, signal: AbortSignal): Promise<Outcome<string, string>>;
}

/** The clipboard of the user's own machine. */
export interface ClipboardPort {
  /** Resolves to one sentence: how the text was copied, or why it was not and what to do. */
  copy(text: string): Promise<Outcome<string, string>>;
  /** Reads the image on the clipboard. The fault says why there is none and what to do. */
  readImage(signal: AbortSignal): Promise<Outcome<ReadImage, Fault>>;
}

/**
 * Why the terminal UI ended. The engine still runs: the caller closes it. `draft` is a prompt that is still waiting for
 * a model, usually empty.
 */
export type TuiExit = {readonly kind: 'left'} | {readonly kind: 'demo'; readonly draft: string};
