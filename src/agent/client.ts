import type {BlamedFile} from '../domain/blame.ts';
import type {AgentEvent, SessionInfo} from '../actions/agent-event.ts';
import type {PromptCommand} from '../actions/commands-port.ts';
import type {DraftText, FoundFiles, ReadImage} from '../actions/files-port.ts';
import type {EditRequest, UserChanges} from '../domain/file-edit.ts';
import type {HookRow} from '../actions/hooks-port.ts';
import type {McpServerState, McpTool} from '../actions/mcp-port.ts';
import type {BlockInfo, HandOverEnd, QuestionAnswer, ScreenSize} from '../actions/ports.ts';
import type {FileDiff} from '../actions/preview.ts';
import type {ComparedFiles, ReviewDiff} from '../actions/review-port.ts';
import type {ReviewChange, ReviewComment} from '../domain/code-review.ts';
import type {KeyProvider} from '../domain/api-key.ts';
import type {LocalServer} from '../domain/local-server.ts';
import type {JsonObject} from '../base/json.ts';
import {failed, type Outcome} from '../base/outcome.ts';
import type {CachedRequest} from '../domain/cached-request.ts';
import type {CompactionPreview, CompactionReport} from '../domain/compaction.ts';
import type {ContextUsage} from '../domain/context-usage.ts';
import type {DocumentBlock, ImageBlock} from '../domain/conversation.ts';
import type {SessionDocument} from '../domain/document.ts';
import type {WayName} from '../domain/ways-in.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import type {ActionId, BlockId, MessageId, PlanId, SessionId} from '../domain/ids.ts';
import type {JournalRecord, SessionFilter, SessionSummary} from '../domain/journal.ts';
import type {MemoryNotes} from '../domain/memory-notes.ts';
import type {Effort, Thinking} from '../domain/model-stream.ts';
import type {Plan, PlanChange} from '../domain/plan.ts';
import type {PinRow} from '../domain/pin.ts';
import type {CheckStatus} from '../domain/receipt.ts';
import type {RewindPoint, RewindReport, RewindTarget} from '../domain/rewind.ts';
import type {PermissionMode, RuleChange, RuleList, RuleScope} from '../domain/risk.ts';
import type {AgentRow} from '../domain/sub-agent.ts';
import type {Price} from '../domain/usage.ts';
import type {StackBoard, StackChange} from '../tasks/stack/stack-board.ts';

/**
 * The only interface between front ends and weft: operations go in, events come out, and each query has its own answer.
 * The same client serves the terminal UI, pipes and programs. It also works across a socket, so everything in it is
 * plain data (JSON, and bytes). Front ends hold only state that is derived from its events and answers.
 */
export interface AgentClient {
  /** Never throws and never blocks. Results are published as events. */
  submit(op: Op): void;
  /**
   * Calls `listener` with every batch of events from now on, in order, beginning with the opening of the session.
   * Events that arrive from the network together form one batch. A listener must not throw. To pause the model's
   * stream, it returns a promise that settles when it can take more.
   */
  subscribe(listener: EventListener): () => void;
  /** Settles exactly once and never rejects. An abort of `signal` withdraws the query and stops everything that runs for it. */
  query<Name extends QueryName>(request: Query<Name>, signal: AbortSignal): Promise<Answer<Name>>;
  /**
   * Runs a query whose answer comes in pieces, for this front end alone. `listener` gets each piece in order. Settles
   * exactly once when nothing more will come, and never rejects. No piece comes after an abort of `signal`.
   */
  watch<Name extends WatchName>(
    request: Watch<Name>,
    listener: (piece: Watches[Name]['piece']) => void,
    signal: AbortSignal,
  ): Promise<WatchEnd>;
  /**
   * Closes the session when everything running has settled and is stored. `finished` lets it end; `shutdown` stops it
   * and drops waiting prompts. Operations submitted from now on do nothing, and queries fail.
   */
  close(reason: 'finished' | 'shutdown'): Promise<void>;
}

// oxlint-disable-next-line typescript/no-invalid-void-type -- most listeners return nothing at all
export type EventListener = (events: readonly AgentEvent[]) => void | Promise<void>;

export interface EarlierMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export type Op =
  /**
   * Submits a prompt. The front end chooses `id`; the engine replaces an id that the session already has. While a
   * prompt runs, `queued` waits for its end. `steering` joins it with the next request to the model, or runs next if
   * there is none. It ends as `prompt-accepted` (followed by the `prompt-finished` of the prompt it joined, or its
   * own), or else as `prompt-withdrawn`.
   */
  | {
      readonly op: 'prompt';
      readonly id: MessageId;
      readonly text: string;
      /** Images and PDFs. */
      readonly images: readonly (ImageBlock | DocumentBlock)[];
      readonly when: 'queued' | 'steering';
    }
  /**
   * Runs the user's own command in a terminal of that size, without approval. The agent reads the command and its
   * output with its next request. `terminal-needed` says when the command waits for the user. Waits for running work.
   * Ends as `command-started` and `command-finished`, or as `prompt-withdrawn`.
   */
  | {readonly op: 'run-command'; readonly id: MessageId; readonly command: string; readonly size: ScreenSize}
  /** Adds context that the agent gets with the next prompt. */
  | {readonly op: 'add-context'; readonly text: string}
  /** Adds messages of an earlier conversation, which the agent reads as its own. The first one is the user's. */
  | {readonly op: 'add-messages'; readonly messages: readonly EarlierMessage[]}
  /** Drops a prompt or a user's command that has not begun. */
  | {readonly op: 'withdraw-prompt'; readonly id: MessageId}
  /** Answers an open approval. Later answers to the same approval are ignored. */
  | {readonly op: 'answer-approval'; readonly id: ActionId; readonly answer: ApprovalAnswer}
  | {readonly op: 'answer-question'; readonly id: ActionId; readonly answer: QuestionResponse}
  /** Answers `compaction-offered`. */
  | {readonly op: 'answer-compaction'; readonly id: ActionId; readonly answer: CompactionAnswer}
  | {readonly op: 'answer-hand-over'; readonly id: ActionId; readonly end: Exclude<HandOverEnd, 'unattended'>}
  /**
   * Moves the foreground command or sub-agent of an action to the background. It continues, and the action settles with the output so far.
   * Does nothing if it has ended.
   */
  | {readonly op: 'move-to-background'; readonly id: ActionId}
  /** Stops a sub-agent and all sub-agents that it has started. */
  | {readonly op: 'stop-agent'; readonly id: SessionId}
  /** Sends the user's message to a sub-agent: it joins the running work or restarts the sub-agent. */
  | {readonly op: 'message-agent'; readonly id: SessionId; readonly text: string}
  /**
   * Gives the model a turn for background sub-agents that ended without its knowledge, once running and waiting work is done. The turn is a
   * prompt with its own `prompt-accepted`. If there is nothing to report by then, it ends as `prompt-withdrawn`.
   */
  | {readonly op: 'hear-agents'; readonly id: MessageId}
  /** Tells the model in the same way how a background command ended. A running prompt tells the model at its next request. */
  | {readonly op: 'hear-command'; readonly id: MessageId; readonly end: string}
  /** Ends the running prompt and drops waiting ones. `prompt-withdrawn` for each has been published when this returns. */
  | {readonly op: 'interrupt'}
  /** Revokes the agent's permission to use screen, mouse and keyboard. An interrupt also revokes it. */
  | {readonly op: 'end-computer-use'}
  /** Stores the user's input in the prompt history, without secrets. */
  | {readonly op: 'remember-prompt'; readonly text: string}
  | {readonly op: 'stop-terminal'; readonly id: BlockId}
  | {readonly op: 'keep-terminal'; readonly id: BlockId}
  /** Sends the user's input to an attached terminal session. */
  | {readonly op: 'write-terminal'; readonly id: BlockId; readonly keys: string}
  /** Sends the size of the user's terminal. */
  | {readonly op: 'resize-terminal'; readonly id: BlockId; readonly size: ScreenSize}
  | {readonly op: 'set-model'; readonly model: string}
  | {readonly op: 'set-mode'; readonly mode: PermissionMode}
  /**
   * From now on no rule, mode or hook of this machine allows an action without a question: the client that delegated
   * the work decides, by its own rules. A denial here stays a denial.
   */
  | {readonly op: 'ask-about-everything'}
  /** Makes the next prompt carry out this plan, whose execution has been claimed. Its steps become the todo list. */
  | {readonly op: 'start-plan'; readonly plan: Plan}
  /** Changes the thinking from the next request on. */
  | {readonly op: 'set-thinking'; readonly thinking: Thinking}
  /** Starts a new session or resumes another one. An engine interrupts running work; the terminal UI's client lets it continue. */
  | {
      readonly op: 'open-session';
      readonly session: {readonly kind: 'new'} | {readonly kind: 'resume'; readonly id: SessionId} | SessionBranch;
    };

/** A copy of a session, which itself stays as it is. */
export interface SessionBranch {
  readonly kind: 'branch';
  readonly id: SessionId;
  /** The prompt before which the copy ends. */
  readonly to: MessageId | 'end';
  /** `go-back`: the files are reverted to their state before that prompt. */
  readonly files: 'stay' | 'go-back';
}

/** `always`: also compact without a question from now on. `summary` is the user's version; empty for the one that was shown. */
export type CompactionAnswer =
  | {readonly kind: 'compact' | 'always'; readonly summary: string}
  | {readonly kind: 'stop'};

/** The fields of a query's request, and its answer. */
interface QuerySpec<Given, Request = NoFields> {
  readonly request: Request;
  readonly answer: Given;
}

/**
 * Every query, with the fields of its request and its answer. Queries that change something are refused while a prompt runs or waits.
 * An interrupt ends them, too.
 */
export interface Queries {
  /** The journal of the open session, oldest first, from the record of that number on. A session only ever grows. */
  readonly records: QuerySpec<readonly JournalRecord[], {readonly from: number}>;
  readonly 'rewind-points': QuerySpec<readonly RewindPoint[]>;
  /**
   * Finds the call of a saved session after which a command fails. Runs the command on states of the files, apart from the workspace.
   * `step` names the call for a rewind.
   */
  readonly bisect: QuerySpec<
    {readonly text: string; readonly step: string},
    {readonly session: SessionId; readonly command: string}
  >;
  readonly 'preview-rewind': QuerySpec<RewindReport, {readonly target: RewindTarget}>;
  /** Rewinds, or redoes a rewind. All front ends get the event `rewound`. */
  readonly rewind: QuerySpec<RewindReport, {readonly target: RewindTarget}>;
  /**
   * Previews a compaction. `instructions` guide the summary and are often empty. Costs a request to the model, during
   * which front ends see the engine busy: `compaction-begun`, then `compaction-ended`. An interrupt ends that request,
   * and the answer is a compaction without a summary.
   */
  readonly 'preview-compaction': QuerySpec<CompactionPreview, {readonly instructions: string}>;
  /**
   * Performs the previewed compaction with the summary as the user edited it. An empty text means the shown summary.
   * All front ends get the event `compacted`.
   */
  readonly compact: QuerySpec<CompactionReport, {readonly preview: MessageId; readonly summary: string}>;
  /** The sub-agents of the open session in the order of their start, including those that have ended. */
  readonly agents: QuerySpec<readonly AgentRow[]>;
  /** The documents of the open session, with all their versions. */
  readonly documents: QuerySpec<readonly SessionDocument[]>;
  /**
   * Writes a user's document: a new version of an existing one (by id, or by a unique title), or a new one. The agent
   * learns of it with the next prompt.
   */
  readonly 'write-document': QuerySpec<
    SessionDocument,
    {readonly document: {readonly id: string} | {readonly title: string}; readonly text: string}
  >;
  /** Answers a question beside the conversation, which doesn't change. Costs a request to the model, also while a prompt runs. */
  readonly 'ask-aside': QuerySpec<string, {readonly question: string}>;
  /** Names the session; without a title, as the model proposes. Returns the title as it is kept. All front ends get the event `session-renamed`. */
  readonly 'rename-session': QuerySpec<string, {readonly title: string}>;
  /** Sets the session's goal, drops it with `off`, or shows it if the text is empty. Returns what the user reads. */
  readonly goal: QuerySpec<string, {readonly text: string}>;
  /** The user's plans, newest first, and those with a dry run to apply. */
  readonly plans: QuerySpec<{
    readonly plans: readonly Plan[];
    readonly dryRuns: readonly PlanId[];
  }>;
  /** Changes a plan. After `begin`, the front end submits `start-plan` and the prompt that carries the plan out. */
  readonly 'change-plan': QuerySpec<Plan, {readonly plan: PlanId; readonly change: PlanChange}>;
  /** The user's task stack. */
  readonly stack: QuerySpec<StackBoard>;
  readonly 'change-stack': QuerySpec<StackBoard, {readonly change: StackChange}>;
  /** The latest run of each check of the session, in order of the first runs. Looks at the files. */
  readonly checks: QuerySpec<readonly CheckStatus[]>;
  /** The messages that can be pinned, in order. A compaction keeps pinned ones word for word. */
  readonly pins: QuerySpec<readonly PinRow[]>;
  /** Pins or unpins a message. Returns the messages that can be pinned, as `pins` does. */
  readonly 'change-pin': QuerySpec<readonly PinRow[], {readonly message: MessageId; readonly state: PinRow['state']}>;
  /** The changes of a range, as written after `/review`, with their comments. Reads only from git. */
  readonly review: QuerySpec<CodeReview, {readonly range: string}>;
  /**
   * The files that the session left different: by its prompts (`session`), or also by others since its first change (`start`). Paths are
   * absolute.
   */
  readonly 'session-changes': QuerySpec<ComparedFiles, {readonly since: 'session' | 'start'}>;
  /** The authors of the lines of `FILE`, `FILE:LINE` or `FILE:LINE-LINE`. */
  readonly blame: QuerySpec<BlamedFile, {readonly target: string}>;
  /** Changes the review's comments for the user. Returns all comments afterwards. */
  readonly 'change-review': QuerySpec<readonly ReviewComment[], {readonly change: ReviewChange}>;
  /** The parts of the model's context, as of the next request. Sends nothing to the provider. */
  readonly 'context-usage': QuerySpec<ContextUsage>;
  /** The stored sessions of the workspace, latest first. */
  readonly sessions: QuerySpec<readonly SessionSummary[], SessionFilter>;
  /** The first prompt of each stored session. Long ones are cut. */
  readonly 'first-prompts': QuerySpec<readonly FirstPrompt[]>;
  /** The requests of a stored session, and what the provider's cache kept. Empty if the session is not stored. */
  readonly 'cache-report': QuerySpec<readonly CachedRequest[], {readonly session: SessionId}>;
  /** The costs of stored sessions in US dollars. */
  readonly 'session-costs': QuerySpec<readonly SessionCost[], Pick<SessionFilter, 'limit'>>;
  /** The last few messages of a session, latest last. Long ones are cut. */
  readonly 'last-messages': QuerySpec<readonly SessionMessage[], {readonly session: SessionId}>;
  /** The user's earlier input, including that of other sessions, oldest first. */
  readonly 'prompt-history': QuerySpec<readonly string[]>;
  /** The diffs that edits would make. Writes nothing. Secrets are replaced by placeholders. */
  readonly 'preview-edits': QuerySpec<readonly FileDiff[], {readonly edits: EditRequest}>;
  /** The whole texts that edits would lead to, for an editor, without binary files. Writes nothing. */
  readonly 'draft-edits': QuerySpec<readonly DraftText[], {readonly edits: EditRequest}>;
  /** The image at a path as people write it. Fails if its content is not an image, or is too large. */
  readonly 'read-image': QuerySpec<ReadImage, {readonly path: string}>;
  /** The absolute path of a file that the session may read without a question, with links resolved. */
  readonly 'readable-path': QuerySpec<string, {readonly path: string}>;
  /** Adds a note to the workspace's permanent instructions. Returns the name of the file. */
  readonly 'add-note': QuerySpec<string, {readonly note: string}>;
  /** The user's own notes for this project, stored outside of it. Empty if there are none. */
  readonly memory: QuerySpec<MemoryNotes>;
  readonly 'add-to-memory': QuerySpec<MemoryNotes, {readonly note: string}>;
  /** Writes the notes that the user edited, starting from `before`. Keeps lines that were added in the meantime. */
  readonly 'write-memory': QuerySpec<MemoryNotes, {readonly before: string; readonly text: string}>;
  /** The slash commands that become prompts, without those of the front end itself. */
  readonly commands: QuerySpec<readonly PromptCommand[]>;
  /**
   * Whether a text that begins with a slash is sent as a prompt. `unknown` carries a text that tells the user why not.
   */
  readonly 'look-up-command': QuerySpec<
    {readonly kind: 'prompt'} | {readonly kind: 'unknown'; readonly text: string},
    {readonly text: string}
  >;
  /** The hooks of this session with their last outcome, and those of an untrusted project, which don't run. */
  readonly hooks: QuerySpec<readonly HookRow[]>;
  /** The MCP servers of this session. Starts servers that never ran and waits briefly for them. */
  readonly 'mcp-servers': QuerySpec<readonly McpServerRow[]>;
  /** Reconnects a server, or disables or enables its tools for this session. Returns the server afterwards. */
  readonly 'change-mcp-server': QuerySpec<
    McpServerRow,
    {readonly server: string; readonly change: 'reconnect' | 'turn-off' | 'turn-on'}
  >;
  readonly 'permission-rules': QuerySpec<readonly RuleRow[]>;
  /** Adds a rule, effective at once, or removes one. Returns a sentence about the result. */
  readonly 'change-rule': QuerySpec<string, {readonly rule: RequestedRuleChange}>;
  /** The requests of the folder's settings (several lines), and whether the user has allowed them. */
  readonly 'folder-trust': QuerySpec<{readonly state: TrustState; readonly text: string}>;
  /** Allows what `folder-trust` described. Returns a sentence about the result. */
  readonly 'trust-folder': QuerySpec<string>;
  /** The settings with their sources: all of them, effective values first, or one if the name is not empty. */
  readonly settings: QuerySpec<readonly string[], {readonly name: string}>;
  readonly 'setting-rows': QuerySpec<readonly SettingRow[]>;
  /** Writes the user's own setting. Returns sentences about the result. */
  readonly 'change-setting': QuerySpec<readonly string[], {readonly name: string; readonly value: string}>;
  /** The model servers that answer on this machine. Connects only to loopback. */
  readonly 'local-servers': QuerySpec<readonly LocalServer[]>;
  /**
   * Verifies the user's key with the provider, stores it, and uses that provider from the next request on. A refused key is not stored.
   * The key appears in no display and no event.
   */
  readonly 'use-key': QuerySpec<ModelConnection, {readonly provider: KeyProvider; readonly key: string}>;
  /** Uses a model of a local server from the next request on, and in later sessions. */
  readonly 'use-server': QuerySpec<ModelConnection, {readonly baseUrl: string; readonly model: string}>;
  /** Tries a way to a model with a free request, and uses it from the next request on and in later sessions. */
  readonly 'use-way': QuerySpec<ModelConnection, {readonly way: WayName}>;
  /** Gives a running sign-in the address of the page that the user's browser could not show. */
  readonly 'finish-sign-in': QuerySpec<null, {readonly address: string}>;
  /**
   * Uses a model with an effort from the next request on. `default`: no effort. Keeps the effort for this model, or uses it only in this
   * session, where `default` means the effort that the session began with.
   */
  readonly 'use-effort': QuerySpec<
    ModelConnection,
    {readonly model: string; readonly effort: string; readonly extent?: 'session'}
  >;
  /** The models that the provider of this session offers. */
  readonly models: QuerySpec<ModelList>;
  /** Checks of what works on this machine, one a line. */
  readonly diagnostics: QuerySpec<string>;
  /** The checked-out branch of the workspace, or the beginning of a commit. Empty if there is no repository. */
  readonly branch: QuerySpec<string>;
  /** Writes a text of a front end into a file that a person chose. The name is not empty. */
  readonly 'export-text': QuerySpec<
    ExportEnd,
    {readonly name: string; readonly text: string; readonly present: 'kept' | 'replaced'}
  >;
  /**
   * Writes the session into a file. An empty name means a generated name. Keeps an existing file unless it is to be
   * `replaced`.
   */
  readonly 'export-session': QuerySpec<
    ExportEnd,
    {readonly name: string; readonly session: SessionInfo; readonly present: 'kept' | 'replaced'}
  >;
}

export interface CodeReview extends ReviewDiff {
  readonly comments: readonly ReviewComment[];
}

export interface RuleRow {
  readonly list: RuleList;
  readonly rule: string;
  /** `session`, `user`, `project`, `local`, or another source. */
  readonly source: string;
  /** Why the rule has no effect. Empty if the rule has an effect. */
  readonly reason: string;
}

export interface RequestedRuleChange {
  readonly change: 'add' | 'remove';
  readonly list: RuleList;
  readonly rule: string;
  readonly scope: RuleScope;
}

export interface SettingRow {
  readonly name: string;
  readonly value: string;
  /** The source: `default`, `user`, `project` and so on. Empty if unset. */
  readonly source: string;
  /** The possible values, if there are few. */
  readonly choices: readonly string[];
}

export interface ModelList {
  readonly models: readonly ListedModel[];
  /** `weft`: the provider could not be asked, so there may be other models. `why` is the reason. */
  readonly from: {readonly kind: 'provider'} | {readonly kind: 'weft'; readonly why: string};
}

export interface ListedModel {
  readonly model: string;
  /** The source of the default if new sessions use this model: `settings` or the provider. Otherwise empty. */
  readonly defaultOf: string;
  /** The size of the context window in tokens. 0 if unknown. */
  readonly contextWindow: number;
  /** The longest answer, in tokens. 0 if unknown. */
  readonly maxOutput: number;
  /** The price without the surcharge for long requests. */
  readonly price: Price | 'unknown';
  readonly efforts: readonly Effort[];
  readonly images: 'seen' | 'unseen' | 'unknown';
  readonly pdfs: 'seen' | 'unseen' | 'unknown';
  /** The purpose of the model. Empty if unknown. */
  readonly about: string;
  /** The effort of requests to the model. */
  readonly effort: Effort | 'default';
  /** The source of these facts: weft's own table, or the user's settings. */
  readonly from: 'weft' | 'settings' | 'nobody';
}

/** The model from now on, and a sentence about what was stored where. */
export interface ModelConnection {
  readonly model: string;
  readonly text: string;
}

export interface FirstPrompt {
  readonly session: SessionId;
  readonly prompt: string;
}

export interface SessionCost {
  readonly session: SessionId;
  readonly usd: number | 'unknown';
}

export interface SessionMessage {
  readonly by: 'user' | 'agent';
  readonly text: string;
}

/** The user's decision about a folder's settings. `changed`: they have changed since. */
export type TrustState = 'nothing' | 'trusted' | 'changed' | 'never';

export interface ExportEnd {
  readonly kind: 'written' | 'exists';
  readonly path: string;
}

/** Every query that is answered in pieces, with the fields of its request and its piece. */
export interface Watches {
  /**
   * Paths that contain some letters in order, best first: a piece whenever there are better ones. The watch ends with the piece that is
   * `complete`.
   */
  readonly 'find-files': {readonly request: {readonly letters: string}; readonly piece: FoundFiles};
  /** The terminal sessions besides the conversation, running ones first: now, and after every change. */
  readonly terminals: {readonly request: NoFields; readonly piece: readonly BlockInfo[]};
  /**
   * Attaches the user's terminal to a terminal session and sends text for it, beginning soon with text that draws the current screen. Sends
   * whole escape sequences, and only those that affect this screen, its keys and its mouse. Ends with the command. An abort detaches.
   */
  readonly 'attach-terminal': {
    readonly request: {readonly id: BlockId; readonly size: ScreenSize};
    readonly piece: string;
  };
  /** Signs the user in to ChatGPT. The pieces are sentences: the first has the link to open, the last the result. */
  readonly 'chatgpt-sign-in': {readonly request: NoFields; readonly piece: string};
  /** Signs the user in to an MCP server. The pieces are sentences: the first has the link to open, the last the result. */
  readonly 'mcp-sign-in': {readonly request: {readonly server: string}; readonly piece: string};
}

export interface McpServerRow {
  readonly state: McpServerState;
  readonly tools: readonly Pick<McpTool, 'toolName' | 'description' | 'standing'>[];
}

export type WatchName = keyof Watches;
export type Watch<Name extends WatchName = WatchName> = {
  readonly [Each in Name]: {readonly watch: Each} & Watches[Each]['request'];
}[Name];
export type WatchEnd =
  | {readonly tag: 'ended'}
  | {readonly tag: 'failed'; readonly error: Fault}
  | {readonly tag: 'cancelled'};

export type QueryName = keyof Queries;
export type Query<Name extends QueryName = QueryName> = {
  readonly [Each in Name]: {readonly query: Each} & Queries[Each]['request'];
}[Name];
export type Answer<Name extends QueryName = QueryName> = AnswerOf<Queries[Name]['answer']>;
/** `cancelled`: the query was withdrawn or the user interrupted it. */
export type AnswerOf<T> = Outcome<T, Fault> | {readonly tag: 'cancelled'};

/** Treats a cancelled query as failed. */
export const answerOutcome = <T>(answer: AnswerOf<T>): Outcome<T, Fault> =>
  answer.tag === 'cancelled' ? failed(rejected('The request was cancelled.')) : answer;

/** A request without fields besides its name. */
type NoFields = unknown;

export type ApprovalAnswer =
  | {readonly decision: 'allow'; readonly scope: 'once' | 'session'}
  /** From now on, also allows everything that `rule` matches. `rule` is one of the verdict's rules, or one that the user wrote. */
  | {readonly decision: 'allow-rule'; readonly rule: string; readonly scope: 'session' | 'local' | 'user'}
  /** Proposes `command` instead. Only for commands. It is judged again, and a denial stays. */
  | {readonly decision: 'allow-edited'; readonly command: string}
  /** Writes the parts of the proposal that the user kept, unless they are denied or need another question. Only for edits. */
  | {readonly decision: 'allow-with-changes'; readonly userChanges: UserChanges}
  /** Keeps the changes of these paths and drops the others. Only for the changes of a command. */
  | {readonly decision: 'allow-files'; readonly paths: readonly string[]}
  /** Runs the same tool with `input`, which is judged again, and changes the rules. A denial stays. */
  | {
      readonly decision: 'allow-updated';
      readonly input: JsonObject | 'unchanged';
      readonly rules: readonly RuleChange[];
    }
  /** `message` is the reason, for the model. May be empty. The model reads a `program`'s reason word for word. */
  | {readonly decision: 'refuse'; readonly message: string; readonly by: 'user' | 'program'};

export type QuestionResponse =
  | {readonly kind: 'answered'; readonly answers: readonly QuestionAnswer[]}
  /** `reason`: what the program that drives weft said, for the model. */
  | {readonly kind: 'dismissed'; readonly reason?: string};
