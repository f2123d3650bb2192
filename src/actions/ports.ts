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
import type {ChangesOutcome, DecideChanges, DecideEnded} from './changes-port.ts';
import type {FilesPort} from './files-port.ts';
import type {McpPort} from './mcp-port.ts';
import type {PlansPort} from './plans-port.ts';
import type {ReviewPort} from './review-port.ts';
import type {SamplingPort} from './sampling-port.ts';
import type {SkillsPort} from './skills-port.ts';
import type {FileDiff} from './preview.ts';
import type {WebPort} from './web-port.ts';

/** The effects actions need. The workspace, the store and the front ends implement them. */
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
  /** Whether a person is asked about running outside what failed in the sandbox. */
  readonly leaving: 'offered' | 'never';
  /** Takes the checkpoint for undo. To be awaited before a command that had a view of its own runs without one. Never throws. */
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
  /** Finds tools and offers them from the next request on; waits, bounded, for servers that are starting. */
  search(
    request: {readonly query: string; readonly limit: number},
    signal: AbortSignal,
  ): Promise<{readonly found: readonly FoundTool[]; readonly total: number}>;
}

export interface ShellPort {
  /** The directory the next command starts in: the workspace root, or where a `cd` inside the workspace has led. */
  readonly directory: string;
  /**
   * Runs `command` with the user's shell in its own process group, stdin closed, pagers and editors disabled, provider keys
   * withheld. An abort ends the whole tree before the promise settles; what is left running after a normal end goes on in a
   * block. `observe` gets decoded output as it comes.
   */
  run(request: ShellRequest, observe: (chunk: string) => void, signal: AbortSignal): Promise<ShellReport>;
}

export interface ShellRequest {
  readonly command: string;
  readonly directory: string;
  /** Milliseconds until the tree is ended. */
  readonly timeoutMs: number;
  /** `expected`: where it then waits for keys at a terminal it made itself, it is ended. */
  readonly paging: 'expected' | 'unexpected';
  readonly environment: CommandEnvironment;
  readonly confinement: Confinement;
  readonly hosts: CommandHosts;
  /** Who decides about what the command changes in its view of the workspace; `none`: it has no such view. */
  readonly changes: 'none' | DecideEnded;
  /** Fires when the command is to go on in the background: it becomes a block, and the run settles with what was printed so far. */
  readonly background: AbortSignal;
  readonly terminal: 'none' | OwnTerminal;
}

/** Who is asked about a host that a command in the sandbox wants and no rule decides about; `none`: the command needs no network. */
export type CommandHosts = 'none' | AskHost;

/** Asks about one host. `nobody`: there is nobody to ask. An abort ends the question; the answer is then of no account. */
export type AskHost = (wanted: WantedHost, signal: AbortSignal) => Promise<'allowed' | 'refused' | 'nobody'>;

/** A host that a command in the sandbox wants. */
export interface WantedHost {
  readonly host: string;
  readonly port: number;
  /** The rule that would allow this host and no other. */
  readonly rule: string;
  /** `ask-rule`: a rule says to ask about it each time. */
  readonly standing: 'no-rule' | 'ask-rule';
}

export interface OwnTerminal {
  readonly size: ScreenSize;
  /** Called at most once: the command waits for a person, or fills the screen. `block` is there to attach to until the run settles. */
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
  /** What it left running, which is a block now and ends with weft: one line each. */
  readonly leftRunning: readonly string[];
  /** What the model should know besides: sentences without a full stop. */
  readonly notes: readonly string[];
  /** What the sandbox seems to have kept it from, as the end of a sentence; empty where it ran in none or that is not why it failed. */
  readonly blocked: string;
  /** What became of the changes in its view of the workspace; none if it had no such view. */
  readonly changes: ChangesOutcome;
}

/** Changes the bytes of an output as they come, before anything else sees them; `end` gives what was held back. */
export interface OutputFilter {
  push(bytes: Uint8Array): Uint8Array;
  /** Returns held bytes that give nothing away. Called when no more has come for a while. */
  pause(): Uint8Array;
  end(): Uint8Array;
}

/**
 * Commands that go on beside the conversation, each in a terminal of its own (in pipes where no terminal can be made). A
 * block ends with weft unless the user keeps it.
 */
export interface BlocksPort {
  /** The block that goes by this id; a fault says which are there. */
  find(id: BlockId): Outcome<FoundBlock, Fault>;
  /** Starts `command` in `directory`, where the shell of the agent that asks is; waits until it ends, asks for input, or a short time is over. */
  start(
    request: Pick<ShellRequest, 'command' | 'directory' | 'environment' | 'confinement'>,
    signal: AbortSignal,
  ): Promise<Outcome<BlockSnapshot, Fault>>;
  /** Waits (bounded) for so many seconds, or for the end; an unknown id is a fault. An abort ends the wait, not the block. */
  read(
    request: {readonly id: BlockId; readonly wait: number | 'completion'},
    signal: AbortSignal,
  ): Promise<Outcome<BlockSnapshot, Fault>>;
  /** Writes, then waits a moment for what comes of it. */
  write(
    request: {readonly id: BlockId; readonly input: string; readonly mode: BlockInputMode},
    signal: AbortSignal,
  ): Promise<Outcome<BlockSnapshot, Fault>>;
}

/** `input`: whether the command can be written to as long as it goes on. */
export interface FoundBlock extends Pick<BlockInfo, 'command' | 'state'> {
  readonly input: 'open' | 'none';
}

/** What a person would see of a block now, and what it has printed since it was last read. */
export interface BlockSnapshot {
  readonly id: BlockId;
  readonly command: string;
  readonly directory: string;
  readonly state: BlockState;
  /** Text that scrolled by since the last snapshot, then the lines of the screen; bounded. */
  readonly output: BoundedOutput;
  /** Zero-based, in cells of the screen. */
  readonly cursor: {readonly row: number; readonly column: number};
  readonly screen: 'normal' | 'alternate';
  readonly ageMs: number;
  /** `pipes` where this machine gives no terminal. */
  readonly terminal: 'pty' | 'pipes';
  /** What the model should know besides: sentences without a full stop. */
  readonly notes: readonly string[];
}

export type BlockState =
  | {readonly kind: 'running'}
  /** It is silent and seems to wait for somebody to type; `lastLine` is what it shows. */
  | {readonly kind: 'waiting'; readonly lastLine: string}
  | {readonly kind: 'exited'; readonly code: number}
  | {readonly kind: 'signalled'; readonly signal: string}
  /** It is gone; how it ended nobody could see. */
  | {readonly kind: 'ended'};

/** Blocks as the user handles them; only front ends with a terminal have this. */
export interface TerminalControl {
  list(): readonly BlockInfo[];
  /** Calls back after every change of what `list` says, at most a few times a second. */
  watch(listener: () => void): () => void;
  stop(id: BlockId): Promise<void>;
  keep(id: BlockId): void;
  /** Connects a person's terminal: `show` gets text for it, soon that which draws the present screen. */
  attach(id: BlockId, terminal: AttachedTerminal): Outcome<Attachment, Fault>;
}

export interface BlockInfo extends Pick<BlockSnapshot, 'id' | 'command' | 'state' | 'ageMs'> {
  /** TCP ports it listens on, where this machine can tell. */
  readonly ports: readonly number[];
  /** The last line with text on it; plain. */
  readonly lastLine: string;
  readonly life: 'with-weft' | 'kept';
}

export interface AttachedTerminal {
  readonly size: {readonly columns: number; readonly rows: number};
  /** Whole sequences, and only those that touch nothing but this screen and its keys and mouse. */
  show(text: string): void;
  ended(): void;
}

export interface Attachment {
  write(keys: string): void;
  resize(size: ScreenSize): void;
  detach(): void;
}

interface HandOverPort {
  /** Gives the user the terminal of a block and waits until it comes back; `unattended` when no front end has a user. */
  handOver(request: {readonly id: BlockId; readonly reason: string}, signal: AbortSignal): Promise<HandOverEnd>;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** `detached`: the user gave it back. `ended`: the command ended meanwhile. `declined`: the user did not want it. */
export type HandOverEnd = 'detached' | 'ended' | 'declined' | 'unattended';

/** Looks for what destructive commands would hit, without running them. */
export interface ImpactPort {
  find(commands: readonly ResolvedCommand[], signal: AbortSignal): Promise<ImpactReport>;
}

export interface ImpactReport {
  /** `deletes 37 files, 12 of them untracked`; empty when nothing would be hit or nothing is known. */
  readonly summary: string;
  /** Some of them, as paths relative to the workspace. */
  readonly paths: readonly string[];
  readonly more: number;
  /** How files that are overwritten would change, where their new content is known; paths as in `paths`. */
  readonly diffs: readonly FileDiff[];
}

export const noImpact: ImpactReport = {summary: '', paths: [], more: 0, diffs: []};

/** stdout and stderr as they came, interleaved; head and tail kept, the middle only in `file`. */
export interface BoundedOutput {
  readonly text: string;
  readonly totalBytes: number;
  /** Lines that `text` leaves out in its middle. */
  readonly leftOutLines: number;
  /** Where the whole output lies for a week, for reading; `undefined` when `text` is all of it. */
  readonly file: string | undefined;
}

/** Neither search follows symbolic links, nor shows what the user's rules leave out. At most 50 patterns or globs a request. */
export interface SearchPort {
  /** The same search, in which paths lead where they led when they were judged. */
  limitedTo(paths: readonly JudgedPath[]): SearchPort;
  grep(request: GrepRequest, signal: AbortSignal): Promise<Outcome<GrepReport, Fault>>;
  glob(request: GlobRequest, signal: AbortSignal): Promise<Outcome<GlobReport, Fault>>;
  /** The code that has most to do with a question; ignored files are left out. */
  codebase(request: CodebaseRequest, signal: AbortSignal): Promise<Outcome<CodebaseReport, Fault>>;
}

export interface GrepRequest {
  /** Rust-flavoured regular expressions; a line matches when one of them does. */
  readonly queries: readonly string[];
  readonly path: string;
  readonly globs: readonly string[];
  readonly mode: 'content' | 'files' | 'count';
  readonly letterCase: 'sensitive' | 'insensitive';
  readonly before: number;
  readonly after: number;
  /** As ripgrep knows it, `ts` say; empty for all. */
  readonly fileType: string;
  /** Whether a match may go over several lines. */
  readonly span: 'line' | 'lines';
  readonly limit: number;
}

export interface GrepReport {
  /** `path:line:text` (content), paths (files), `path:count` (count): by path, then by line. */
  readonly lines: readonly string[];
  /** Lines left out because of the limit; `at-least` when the search stopped early. */
  readonly omitted: {readonly count: number; readonly exact: 'exact' | 'at-least'};
}

export interface CodebaseRequest {
  readonly query: string;
  readonly path: string;
  /** Only files whose path contains one of these; all if there are none. */
  readonly filters: readonly string[];
  readonly limit: number;
}

export interface CodebaseReport {
  /** The best first, one in each file. */
  readonly places: readonly CodePlace[];
  /** Beginnings of words that were looked for. */
  readonly terms: readonly string[];
  readonly files: number;
  /** `cut`: there was more to search than there was time for. */
  readonly searched: 'whole' | 'cut';
}

export interface CodePlace {
  /** Relative to the workspace root where inside it, else absolute. */
  readonly path: string;
  /** The first and the last line, from 1. */
  readonly from: number;
  readonly to: number;
  /** What it stands in, such as a function; empty where that is not known. */
  readonly within: string;
  readonly lines: readonly {readonly line: number; readonly text: string}[];
}

export interface GlobRequest {
  /**
   * Each starts in the folder that its beginning names, up to the first part with a wildcard (one of `*?[{\`) or the last
   * part: joined to `path` as text, then resolved as `FilesPort.resolve` does it. `~/` is the home folder; a leading slash
   * means the folder of that name inside `path`, or the absolute one where there is none. Nothing outside that folder is
   * found. A leading `!` leaves out. At most 1,000 characters and 100 brace alternatives each.
   */
  readonly patterns: readonly string[];
  readonly path: string;
  readonly limit: number;
  /** Directory levels below `path`; 0 means no bound. */
  readonly maxDepth: number;
}

export interface GlobReport {
  /** Paths relative to the workspace root where inside it, else absolute; sorted by name. */
  readonly paths: readonly string[];
  readonly omitted: number;
}

export interface TodoPort {
  /** Takes what the model sent as its whole list; the host keeps ids, and open todos that were left out. */
  replace(entries: readonly TodoEntry[]): Promise<TodoUpdate>;
}

/** The list as it stands, and which of its open todos are there although they were left out. */
export interface TodoUpdate {
  readonly todos: TodoList;
  readonly keptOpen: TodoList;
}

export interface TodoEntry {
  /** The model's id, or `undefined`: the host then finds or makes one. */
  readonly id: TodoId | undefined;
  readonly title: string;
  readonly description: string;
  readonly status: TodoStatus;
}

interface QuestionPort {
  /** Waits for the user's answers; `unattended` when no front end can ask. */
  ask(questions: readonly Question[], signal: AbortSignal): Promise<QuestionReply>;
}

/** A person who decides about hosts that commands in the sandbox want. */
interface HostsPort {
  ask(wanted: WantedHost & {readonly command: string}, signal: AbortSignal): ReturnType<AskHost>;
}

export interface Question {
  readonly question: string;
  /** A word or two that stands for the question in a tab or list. */
  readonly header: string;
  readonly options: readonly QuestionOption[];
  readonly choice: 'one' | 'many';
}

/** A question with one answer, of which none is recommended: labels with what they mean. */
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
  | {readonly kind: 'dismissed'}
  | {readonly kind: 'unattended'};

/** One per question, in order. `other` is what the user typed instead of, or beside, the options; may be empty. */
export interface QuestionAnswer {
  readonly selected: readonly string[];
  readonly other: string;
}

/** Where the final answer goes when the caller wants it as JSON of a schema. */
export interface AnswerPort {
  /** Takes the answer out of what the model wrote; a fault says what does not fit the schema. */
  give(written: Json): Outcome<Json, Fault>;
}
