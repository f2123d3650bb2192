import type {Json, JsonObject} from '../base/json.ts';
import type {Outcome} from '../base/outcome.ts';
import type {BlockInputMode} from '../domain/access.ts';
import type {Fault} from '../domain/fault.ts';
import type {BlockId, TodoId} from '../domain/ids.ts';
import type {JudgedPath} from '../domain/obligation.ts';
import type {CommandEnvironment, Confinement, ResolvedCommand} from '../domain/risk.ts';
import type {TodoList, TodoStatus} from '../domain/todo.ts';
import type {AgentsPort} from './agents-port.ts';
import type {SessionArtifacts} from './artifacts-port.ts';
import type {SessionComputer} from './computer-port.ts';
import type {ConversationsPort, SuggestionsPort} from './conversations-port.ts';
import type {DocumentsPort} from './documents-port.ts';
import type {ChangesOutcome, DecideChanges, DecideChangesAfterRun} from './changes-port.ts';
import type {FilesPort} from './files-port.ts';
import type {McpPort} from './mcp-port.ts';
import type {PlansPort} from './plans-port.ts';
import type {ReviewPort} from './review-port.ts';
import type {SamplingPort} from './sampling-port.ts';
import type {SkillsPort} from './skills-port.ts';
import type {FileDiff} from './preview.ts';
import type {WebPort} from './web-port.ts';

/** The effects that actions need. The workspace, the store and the front ends implement them. */
export interface ActionPorts {
  readonly shell: ShellPort;
  readonly files: FilesPort;
  readonly search: SearchPort;
  readonly todos: TodoPort;
  readonly questions: QuestionPort;
  readonly hosts: HostsPort;
  readonly blocks: BlocksPort;
  readonly handOvers: HandOverPort;
  readonly mcp: McpPort;
  readonly web: WebPort;
  readonly skills: SkillsPort;
  readonly agents: AgentsPort;
  readonly tools: ToolSearchPort;
  readonly answer: AnswerPort;
  readonly conversations: ConversationsPort;
  readonly suggestions: SuggestionsPort;
  readonly documents: DocumentsPort;
  readonly artifacts: SessionArtifacts;
  readonly decideChanges: DecideChanges;
  /** `offered`: if a command fails in the sandbox, weft asks whether to run it again outside. */
  readonly unsandboxedRetry: 'offered' | 'never';
  /** Takes the checkpoint for undo. Await it before a command runs again without its own view of the workspace. Never throws. */
  readonly checkpoint: (signal: AbortSignal) => Promise<void>;
  readonly review: ReviewPort;
  readonly sampling: SamplingPort;
  readonly plans: PlansPort;
  readonly computer: SessionComputer;
}

/** A tool that the model may call from its next answer on. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

export interface ToolSearchPort {
  /** Finds tools and offers them from the next request on. Waits a bounded time for servers that are starting. */
  search(
    request: {readonly query: string; readonly limit: number},
    signal: AbortSignal,
  ): Promise<{readonly found: readonly FoundTool[]; readonly total: number}>;
}

export interface ShellPort {
  /** The directory in which the next command starts: the workspace root, or the target of a `cd` inside the workspace. */
  readonly directory: string;
  /**
   * Runs `command` with the user's shell in its own process group, with stdin closed, pagers and editors disabled and provider keys
   * withheld. An abort ends the whole process tree before the promise settles. Processes that survive a normal end continue in a block.
   * `observe` gets decoded output as it comes.
   */
  run(request: ShellRequest, observe: (chunk: string) => void, signal: AbortSignal): Promise<ShellReport>;
}

export interface ShellRequest {
  readonly command: string;
  readonly directory: string;
  /** Milliseconds until the process tree is ended. */
  readonly timeoutMs: number;
  /** `expected`: the command is ended if it waits for keys at a terminal it opened itself. */
  readonly paging: 'expected' | 'unexpected';
  readonly environment: CommandEnvironment;
  readonly confinement: Confinement;
  readonly hosts: CommandHosts;
  /** Decides about the changes in the command's view of the workspace. `none`: it has no such view. */
  readonly changes: 'none' | DecideChangesAfterRun;
  /** Fires to move the command to the background: it becomes a block, and the run settles with the output so far. */
  readonly background: AbortSignal;
  readonly terminal: 'none' | OwnTerminal;
}

/** Decides about hosts that no rule covers and that a sandboxed command wants. `none`: the command needs no network. */
export type CommandHosts = 'none' | AskHost;

/** Asks about one host. `nobody`: the run is unattended. An abort ends the question, and its answer is ignored. */
export type AskHost = (wanted: WantedHost, signal: AbortSignal) => Promise<'allowed' | 'refused' | 'nobody'>;

/** A host that a sandboxed command wants to reach. */
export interface WantedHost {
  readonly host: string;
  readonly port: number;
  /** The rule that would allow exactly this host. */
  readonly rule: string;
  /** `ask-rule`: a rule requires a question each time. */
  readonly standing: 'no-rule' | 'ask-rule';
}

export interface OwnTerminal {
  readonly size: ScreenSize;
  /** Called at most once, when the command waits for input or fills the screen. `block` can be attached to until the run settles. */
  readonly needed: (block: BlockId) => void;
}

export interface ShellReport {
  readonly end:
    | {readonly kind: 'exited'; readonly code: number}
    | {readonly kind: 'signalled'; readonly signal: string}
    | {readonly kind: 'timed-out'; readonly afterMs: number}
    | {readonly kind: 'aborted'}
    | {readonly kind: 'not-started'; readonly fault: Fault}
    | {readonly kind: 'moved'; readonly block: BlockId};
  readonly output: BoundedOutput;
  readonly durationMs: number;
  readonly directory: string;
  readonly nextDirectory: string;
  /** Processes that the command left running, one line each. They are a block now and end with weft. */
  readonly leftRunning: readonly string[];
  /** Remarks for the model: sentences without a period. */
  readonly notes: readonly string[];
  /**
   * The access that the sandbox seems to have blocked, as the end of a sentence. Empty without a sandbox, or if blocked
   * access is not why the command failed.
   */
  readonly blocked: string;
  /** The outcome for the changes in its view of the workspace. Empty if it had no view. */
  readonly changes: ChangesOutcome;
}

/** Changes the bytes of an output as they come, before anything else sees them. `end` returns the held bytes. */
export interface OutputFilter {
  push(bytes: Uint8Array): Uint8Array;
  /** Returns held bytes that can't be part of a secret. Called when no more bytes have come for a while. */
  pause(): Uint8Array;
  end(): Uint8Array;
}

/**
 * Commands that run alongside the conversation, each in its own terminal (in pipes if no terminal can be made). A block
 * ends with weft unless the user keeps it.
 */
export interface BlocksPort {
  /** Returns the block with this id. The fault lists the ids that exist. */
  find(id: BlockId): Outcome<FoundBlock, Fault>;
  /**
   * Starts `command` in `directory`, the shell directory of the agent that asks. Waits until it ends, asks for input, or a short time is
   * over.
   */
  start(
    request: Pick<ShellRequest, 'command' | 'directory' | 'environment' | 'confinement'>,
    signal: AbortSignal,
  ): Promise<Outcome<BlockSnapshot, Fault>>;
  /** Waits for some seconds or for the end, in bounded time. An unknown id is a fault. An abort ends the wait, not the block. */
  read(
    request: {readonly id: BlockId; readonly wait: number | 'completion'},
    signal: AbortSignal,
  ): Promise<Outcome<BlockSnapshot, Fault>>;
  /** Writes input, then waits a moment for its effect. */
  write(
    request: {readonly id: BlockId; readonly input: string; readonly mode: BlockInputMode},
    signal: AbortSignal,
  ): Promise<Outcome<BlockSnapshot, Fault>>;
}

/** `input`: whether the command accepts input while it runs. */
export interface FoundBlock extends Pick<BlockInfo, 'command' | 'state'> {
  readonly input: 'open' | 'none';
}

/** The visible state of a block, and its output since the last read. */
export interface BlockSnapshot {
  readonly id: BlockId;
  readonly command: string;
  readonly directory: string;
  readonly state: BlockState;
  /** Text that scrolled by since the last snapshot, then the lines of the screen, up to a limit. */
  readonly output: BoundedOutput;
  /** The position of the cursor in screen cells, zero-based. */
  readonly cursor: {readonly row: number; readonly column: number};
  readonly screen: 'normal' | 'alternate';
  readonly ageMs: number;
  /** `pipes` if this machine provides no terminal. */
  readonly terminal: 'pty' | 'pipes';
  /** Remarks for the model: sentences without a period. */
  readonly notes: readonly string[];
}

export type BlockState =
  | {readonly kind: 'running'}
  /** The command is silent and seems to wait for input. `lastLine` is the line that it shows. */
  | {readonly kind: 'waiting'; readonly lastLine: string}
  | {readonly kind: 'exited'; readonly code: number}
  | {readonly kind: 'signalled'; readonly signal: string}
  /** The command ended, and its exit status is unknown. */
  | {readonly kind: 'ended'};

/** The user's operations on blocks. Only front ends with a terminal have this. */
export interface TerminalControl {
  list(): readonly BlockInfo[];
  /** Calls back after every change of what `list` returns, at most a few times a second. */
  watch(listener: () => void): () => void;
  stop(id: BlockId): Promise<void>;
  keep(id: BlockId): void;
  /** Connects a person's terminal. `show` gets text for it, beginning soon with text that draws the current screen. */
  attach(id: BlockId, terminal: AttachedTerminal): Outcome<Attachment, Fault>;
}

export interface BlockInfo extends Pick<BlockSnapshot, 'id' | 'command' | 'state' | 'ageMs'> {
  /** TCP ports that the command listens on, if this machine can tell. */
  readonly ports: readonly number[];
  /** The last line with text on it, without styles. */
  readonly lastLine: string;
  readonly life: 'with-weft' | 'kept';
}

export interface AttachedTerminal {
  readonly size: {readonly columns: number; readonly rows: number};
  /** Shows whole escape sequences, and only those that affect this screen, its keys and its mouse. */
  show(text: string): void;
  ended(): void;
}

export interface Attachment {
  write(keys: string): void;
  resize(size: ScreenSize): void;
  detach(): void;
}

interface HandOverPort {
  /** Gives the user the terminal of a block and waits until it comes back. `unattended` if no front end has a user. */
  handOver(request: {readonly id: BlockId; readonly reason: string}, signal: AbortSignal): Promise<HandOverEnd>;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** `detached`: the user gave it back. `ended`: the command ended in the meantime. `declined`: the user refused it. */
export type HandOverEnd = 'detached' | 'ended' | 'declined' | 'unattended';

/** Finds what destructive commands would hit, without running them. */
export interface ImpactPort {
  find(commands: readonly ResolvedCommand[], signal: AbortSignal): Promise<ImpactReport>;
}

export interface ImpactReport {
  /** The effect, such as `deletes 37 files, 12 of them untracked`. Empty if nothing would be affected or the effect is unknown. */
  readonly summary: string;
  /** Some of the affected files, as paths relative to the workspace. */
  readonly paths: readonly string[];
  readonly more: number;
  /** Diffs of files that would be overwritten, if their new content is known. Paths as in `paths`. */
  readonly diffs: readonly FileDiff[];
}

export const emptyImpactReport: ImpactReport = {summary: '', paths: [], more: 0, diffs: []};

/** stdout and stderr interleaved as they came. Head and tail are kept; the middle is only in `file`. */
export interface BoundedOutput {
  readonly text: string;
  readonly totalBytes: number;
  /** Lines that `text` leaves out in its middle. */
  readonly leftOutLines: number;
  /** The file with the whole output, which weft keeps for a week. `undefined` if `text` is all of it. */
  readonly file: string | undefined;
}

/** No search follows symbolic links or shows what the user's rules exclude. At most 50 patterns or globs a request. */
export interface SearchPort {
  /** Returns the same search, with each judged path fixed to the target that the judge saw. */
  limitedTo(paths: readonly JudgedPath[]): SearchPort;
  grep(request: GrepRequest, signal: AbortSignal): Promise<Outcome<GrepReport, Fault>>;
  glob(request: GlobRequest, signal: AbortSignal): Promise<Outcome<GlobReport, Fault>>;
  /** Finds the code most related to a question. Leaves out ignored files. */
  codebase(request: CodebaseRequest, signal: AbortSignal): Promise<Outcome<CodebaseReport, Fault>>;
}

export interface GrepRequest {
  /** Rust-flavored regular expressions. A line matches if one of them does. */
  readonly queries: readonly string[];
  readonly path: string;
  readonly globs: readonly string[];
  readonly mode: 'content' | 'files' | 'count';
  readonly letterCase: 'sensitive' | 'insensitive';
  readonly before: number;
  readonly after: number;
  /** A ripgrep file type, such as `ts`. Empty for all. */
  readonly fileType: string;
  /** Whether a match may span several lines. */
  readonly span: 'line' | 'lines';
  readonly limit: number;
}

export interface GrepReport {
  /** `path:line:text` (content), paths (files) or `path:count` (count), by path, then by line. */
  readonly lines: readonly string[];
  /** Lines beyond the limit. `at-least` if the search stopped early. */
  readonly omitted: {readonly count: number; readonly exact: 'exact' | 'at-least'};
}

export interface CodebaseRequest {
  readonly query: string;
  readonly path: string;
  /** Only files whose path contains one of these. All files if empty. */
  readonly filters: readonly string[];
  readonly limit: number;
}

export interface CodebaseReport {
  /** The best match in each file, best first. */
  readonly places: readonly CodeMatch[];
  readonly terms: readonly string[];
  readonly files: number;
  /** `cut`: time ran out before everything was searched. */
  readonly searched: 'whole' | 'cut';
}

export interface CodeMatch {
  /** Relative to the workspace root if inside it, else absolute. */
  readonly path: string;
  /** The first and the last line, counted from 1. */
  readonly from: number;
  readonly to: number;
  /** The enclosing definition, such as a function. Empty if unknown. */
  readonly within: string;
  readonly lines: readonly {readonly line: number; readonly text: string}[];
}

export interface GlobRequest {
  /**
   * Each starts in the folder that its literal beginning names. The literal beginning ends before the first part with
   * a wildcard (one of `*?[{\`), at the latest before the last part. It is joined to `path` as text, then resolved like
   * `FilesPort.resolve`. `~/` is the home folder. A
   * leading slash means the folder with that name inside `path`, or the absolute one if there is none. Nothing outside
   * that folder is found. A leading `!` excludes. At most 1,000 characters and 100 brace alternatives each.
   */
  readonly patterns: readonly string[];
  readonly path: string;
  readonly limit: number;
  /** The maximum number of directory levels below `path`; 0 for no limit. */
  readonly maxDepth: number;
}

export interface GlobReport {
  /** Paths relative to the workspace root if inside it, else absolute. Sorted by name. */
  readonly paths: readonly string[];
  readonly omitted: number;
}

export interface TodoPort {
  /**
   * Replaces the list by the one from the model. The host keeps ids, and open todos that were left out. The step of a plan stays in
   * progress until its condition holds.
   */
  replace(entries: readonly TodoEntry[], signal: AbortSignal): Promise<TodoUpdate>;
}

/** The current list, the open todos in it that the model left out, and what the model reads about steps that stay in progress. */
export interface TodoUpdate {
  readonly todos: TodoList;
  readonly keptOpen: TodoList;
  readonly unmet: readonly string[];
}

export interface TodoEntry {
  /** The model's id. `undefined` if the host has to find or make one. */
  readonly id: TodoId | undefined;
  readonly title: string;
  readonly description: string;
  readonly status: TodoStatus;
}

interface QuestionPort {
  /** Waits for the user's answers. `unattended` if no front end can ask. */
  ask(questions: readonly Question[], signal: AbortSignal): Promise<QuestionReply>;
}

/** Asks a person about hosts that sandboxed commands want to reach. */
interface HostsPort {
  ask(wanted: WantedHost & {readonly command: string}, signal: AbortSignal): ReturnType<AskHost>;
}

export interface Question {
  readonly question: string;
  /** A word or two that name the question in a tab or list. */
  readonly header: string;
  readonly options: readonly QuestionOption[];
  readonly choice: 'one' | 'many';
}

/** Makes a question with one answer and no recommendation, from pairs of label and description. */
export const plainQuestion = (
  header: string,
  question: string,
  options: readonly (readonly [label: string, description: string])[],
): Question => ({
  question,
  header,
  options: options.map(([label, description]) => ({label, description, recommended: 'plain'})),
  choice: 'one',
});

export interface QuestionOption {
  readonly label: string;
  readonly description: string;
  readonly recommended: 'recommended' | 'plain';
}

export type QuestionReply =
  | {readonly kind: 'answered'; readonly answers: readonly QuestionAnswer[]}
  /** `reason`: what the program that drives weft said about it. Empty if it said nothing. */
  | {readonly kind: 'dismissed'; readonly reason?: string}
  | {readonly kind: 'unattended'};

/**
 * The answer to one question. Answers are in the order of the questions. `other` is what the user typed instead of, or
 * besides, the options. May be empty.
 */
export interface QuestionAnswer {
  readonly selected: readonly string[];
  readonly other: string;
}

/** Receives the final answer if the caller wants it as JSON of a schema. */
export interface AnswerPort {
  /** Takes the answer from what the model wrote. A fault says what doesn't fit the schema. */
  give(written: Json): Outcome<Json, Fault>;
}
