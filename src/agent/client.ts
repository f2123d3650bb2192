import type {AgentEvent, SessionInfo} from '../actions/agent-event.ts';
import type {PromptCommand} from '../actions/commands-port.ts';
import type {DraftText, FoundFiles, ReadImage} from '../actions/files-port.ts';
import type {EditRequest, UserChanges} from '../domain/file-edit.ts';
import type {HookRow} from '../actions/hooks-port.ts';
import type {McpServerState, McpTool} from '../actions/mcp-port.ts';
import type {BlockInfo, HandOverEnd, QuestionAnswer, ScreenSize} from '../actions/ports.ts';
import type {FileDiff} from '../actions/preview.ts';
import type {ReviewDiff} from '../actions/review-port.ts';
import type {ReviewChange, ReviewComment} from '../domain/code-review.ts';
import type {KeyProvider} from '../domain/api-key.ts';
import type {LocalServer} from '../domain/local-server.ts';
import type {JsonObject} from '../base/json.ts';
import {failed, type Outcome} from '../base/outcome.ts';
import type {CompactionPreview, CompactionReport} from '../domain/compaction.ts';
import type {ContextUsage} from '../domain/context-usage.ts';
import type {ImageBlock} from '../domain/conversation.ts';
import type {SessionDocument} from '../domain/document.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import type {ActionId, BlockId, MessageId, SessionId} from '../domain/ids.ts';
import type {JournalRecord, SessionSummary} from '../domain/journal.ts';
import type {MemoryNotes} from '../domain/memory-notes.ts';
import type {Effort, Thinking} from '../domain/model-stream.ts';
import type {Plan} from '../domain/plan.ts';
import type {PinRow} from '../domain/pin.ts';
import type {RewindPoint, RewindReport, RewindTarget} from '../domain/rewind.ts';
import type {PermissionMode, RuleChange, RuleList, RuleScope} from '../domain/risk.ts';
import type {AgentRow} from '../domain/sub-agent.ts';

/**
 * All that a front end sees of weft: operations go in, events come out, and a query has an answer of its own. The same client
 * serves the terminal UI, pipes and programs; it can stand on the other side of a socket, so everything that crosses it is plain
 * data (JSON, and bytes). Front ends hold no state that is not made from its events and answers.
 */
export interface AgentClient {
  /** Never throws and never blocks; what comes of it is published as events. */
  submit(op: Op): void;
  /**
   * Calls `listener` with every batch of events from now on, in order, first with the opening of the session. Events that
   * arrive in one piece from the network come in one batch. A listener must not throw. One that cannot take more for now returns
   * a promise: the model is read no further until it settles.
   */
  subscribe(listener: EventListener): () => void;
  /** Settles exactly once and never rejects. An abort of `signal` takes the query back: nothing is left running for it. */
  query<Name extends QueryName>(request: Query<Name>, signal: AbortSignal): Promise<Answer<Name>>;
  /**
   * A query whose answer comes in pieces, for this front end alone: `listener` gets each in order. Settles when there is nothing
   * more to come, exactly once, and never rejects; after an abort of `signal` no piece comes any more.
   */
  watch<Name extends WatchName>(
    request: Watch<Name>,
    listener: (piece: Watches[Name]['piece']) => void,
    signal: AbortSignal,
  ): Promise<WatchEnd>;
  /**
   * Closes the session when all that runs has settled and is kept: `finished` lets it end, `shutdown` stops it and drops the
   * prompts that wait. Operations submitted from now on do nothing, and queries fail.
   */
  close(reason: 'finished' | 'shutdown'): Promise<void>;
}

// oxlint-disable-next-line typescript/no-invalid-void-type -- most listeners return nothing at all
export type EventListener = (events: readonly AgentEvent[]) => void | Promise<void>;

export type Op =
  /**
   * `id` is the front end's; one that the session already holds is replaced by another. While a prompt runs, `queued` waits for
   * its end; `steering` joins it with the next request to the model, and where there is none any more it runs next. It ends as
   * `prompt-accepted` (and with the prompt it joined, or its own, `prompt-finished`), or else as `prompt-withdrawn`.
   */
  | {
      readonly op: 'prompt';
      readonly id: MessageId;
      readonly text: string;
      readonly images: readonly ImageBlock[];
      readonly when: 'queued' | 'steering';
    }
  /**
   * Runs a command of the user's own in a terminal of that size: nobody is asked, the agent reads command and output with its next
   * request. `terminal-needed` says when it waits for the user.
   * It waits for what runs. Ends as `command-started` and `command-finished`, or as `prompt-withdrawn`.
   */
  | {readonly op: 'run-command'; readonly id: MessageId; readonly command: string; readonly size: ScreenSize}
  /** What the agent is to know from the next prompt on. */
  | {readonly op: 'add-context'; readonly text: string}
  /** Drops a prompt or a command of the user's that has not been taken up yet. */
  | {readonly op: 'withdraw-prompt'; readonly id: MessageId}
  /** Answers an open approval; an answer that comes after another one is ignored. */
  | {readonly op: 'answer-approval'; readonly id: ActionId; readonly answer: ApprovalAnswer}
  | {readonly op: 'answer-question'; readonly id: ActionId; readonly answer: QuestionResponse}
  | {readonly op: 'answer-hand-over'; readonly id: ActionId; readonly end: Exclude<HandOverEnd, 'unattended'>}
  /**
   * Moves the command or the sub-agent that an action runs in the foreground to the background: it goes on, and the action settles with
   * what there is so far. Changes nothing where it has ended.
   */
  | {readonly op: 'move-to-background'; readonly id: ActionId}
  /** Ends what a sub-agent does, with the sub-agents that it has started. */
  | {readonly op: 'stop-agent'; readonly id: SessionId}
  /** The user's own word to a sub-agent: it joins what the agent does, or sets it to work again. */
  | {readonly op: 'message-agent'; readonly id: SessionId; readonly text: string}
  /**
   * Gives the model a turn for the ends of sub-agents in the background that it was not told of, when what runs and waits is done. It is a
   * prompt of its own, `prompt-accepted` and all; where there is nothing to tell by then, it ends as `prompt-withdrawn`.
   */
  | {readonly op: 'hear-agents'; readonly id: MessageId}
  /** Ends the running prompt and drops the waiting ones: `prompt-withdrawn` for each has been told when this returns. */
  | {readonly op: 'interrupt'}
  /** Takes back what the user has allowed the agent to do with screen, mouse and keyboard; an interrupt does that, too. */
  | {readonly op: 'end-computer-use'}
  /** Keeps what the user has entered among the earlier prompts, without secrets. */
  | {readonly op: 'remember-prompt'; readonly text: string}
  | {readonly op: 'stop-terminal'; readonly id: BlockId}
  | {readonly op: 'keep-terminal'; readonly id: BlockId}
  /** What the user has typed into a terminal session that is attached, and the size of the user's terminal. */
  | {readonly op: 'write-terminal'; readonly id: BlockId; readonly keys: string}
  | {readonly op: 'resize-terminal'; readonly id: BlockId; readonly size: ScreenSize}
  | {readonly op: 'set-model'; readonly model: string}
  | {readonly op: 'set-mode'; readonly mode: PermissionMode}
  /**
   * From now on no rule, mode or hook of this machine lets an action through unasked: whoever gave the work decides about all of it, by rules
   * of his own. What is denied here stays denied.
   */
  | {readonly op: 'ask-about-everything'}
  /** The next prompt carries out this plan, whose execution has been claimed: its steps become the todo list. */
  | {readonly op: 'start-plan'; readonly plan: Plan}
  /** From the next request on. */
  | {readonly op: 'set-thinking'; readonly thinking: Thinking}
  /** Starts a new session, or goes on with another one. An engine interrupts what runs; the terminal UI's client lets it go on. */
  | {
      readonly op: 'open-session';
      readonly session: {readonly kind: 'new'} | {readonly kind: 'resume'; readonly id: SessionId};
    };

/** A query: what it is answered with, and the fields of its request. */
interface Asked<Given, Request = NoFields> {
  readonly request: Request;
  readonly answer: Given;
}

/**
 * Every query: the fields of its request, and what it is answered with. Queries that change something are refused while a prompt
 * runs or waits, and an interrupt ends them, too.
 */
export interface Queries {
  /** What is kept of the open session, oldest first, from the record of that number on. A session only ever grows. */
  readonly records: Asked<readonly JournalRecord[], {readonly from: number}>;
  readonly 'rewind-points': Asked<readonly RewindPoint[]>;
  readonly 'preview-rewind': Asked<RewindReport, {readonly target: RewindTarget}>;
  /** Goes back, or forth again. All front ends hear of it as `rewound`. */
  readonly rewind: Asked<RewindReport, {readonly target: RewindTarget}>;
  /**
   * What compacting the conversation would do; `instructions` are what the summary must have in mind, often empty. Costs a request
   * to the model, during which all front ends know the engine at work: `compaction-begun`, later `compaction-ended`. An interrupt
   * ends that request; the answer is then a compaction without a summary.
   */
  readonly 'preview-compaction': Asked<CompactionPreview, {readonly instructions: string}>;
  /**
   * Does what the preview of that id showed, with the summary as the user left it; empty for as it was shown. All front ends hear
   * of it as `compacted`.
   */
  readonly compact: Asked<CompactionReport, {readonly preview: MessageId; readonly summary: string}>;
  /** The sub-agents of the session that is open, in the order of their start; those that have ended, too. */
  readonly agents: Asked<readonly AgentRow[]>;
  /** The documents of the session that is open, with all their versions. */
  readonly documents: Asked<readonly SessionDocument[]>;
  /**
   * Writes a document as the user wants it: a new version of one (by id, or by a title that only one has), or a new one. The agent
   * hears of it with the next prompt.
   */
  readonly 'write-document': Asked<
    SessionDocument,
    {readonly document: {readonly id: string} | {readonly title: string}; readonly text: string}
  >;
  /** The messages of the conversation that can be pinned, in their order. A compaction keeps pinned ones word for word. */
  readonly pins: Asked<readonly PinRow[]>;
  /** Pins a message or takes its pin off; answered with what `pins` is answered with after it. */
  readonly 'change-pin': Asked<readonly PinRow[], {readonly message: MessageId; readonly state: PinRow['state']}>;
  /** The changes of a range, as people write it after `/review`, with the comments on them. Reads from git alone. */
  readonly review: Asked<CodeReview, {readonly range: string}>;
  /** The user's change of the review's comments; answered with all comments after it. */
  readonly 'change-review': Asked<readonly ReviewComment[], {readonly change: ReviewChange}>;
  /** What fills the model's context, as the next request would be. Nobody is asked. */
  readonly 'context-usage': Asked<ContextUsage>;
  /** Kept sessions of the workspace, the latest first. */
  readonly sessions: Asked<readonly SessionSummary[]>;
  /** The first prompt of each kept session, cut where it is long. */
  readonly 'first-prompts': Asked<readonly {readonly session: SessionId; readonly prompt: string}[]>;
  /** What the kept sessions have cost in US dollars, where that is known. */
  readonly 'session-costs': Asked<readonly {readonly session: SessionId; readonly usd: number}[]>;
  /** The last messages of a session, the latest last: a few, each cut where it is long. */
  readonly 'last-messages': Asked<readonly SessionMessage[], {readonly session: SessionId}>;
  /** What the user entered earlier, also in other sessions, oldest first. */
  readonly 'prompt-history': Asked<readonly string[]>;
  /** What edits would do; writes nothing. Placeholders stand in the place of secrets. */
  readonly 'preview-edits': Asked<readonly FileDiff[], {readonly edits: EditRequest}>;
  /** The whole texts that edits would lead to, for an editor; nothing of binary files. Writes nothing. */
  readonly 'draft-edits': Asked<readonly DraftText[], {readonly edits: EditRequest}>;
  /** The image at a path as people write it; what is no image (by its content), or too large, is a fault. */
  readonly 'read-image': Asked<ReadImage, {readonly path: string}>;
  /** Adds a note to the workspace's standing instructions; answered with the name of the file. */
  readonly 'add-note': Asked<string, {readonly note: string}>;
  /** The user's own notes for this project, which lie outside of it; an empty text where there are none. */
  readonly memory: Asked<MemoryNotes>;
  readonly 'add-to-memory': Asked<MemoryNotes, {readonly note: string}>;
  /** Writes them as the user has edited them, who began with `before`; lines that were written meanwhile stay. */
  readonly 'write-memory': Asked<MemoryNotes, {readonly before: string; readonly text: string}>;
  /** The slash commands that become prompts; those of the front end itself are not among them. */
  readonly commands: Asked<readonly PromptCommand[]>;
  /** Whether a text that begins with a slash is sent as a prompt; `unknown` says why not, in words for the user. */
  readonly 'look-up-command': Asked<
    {readonly kind: 'prompt'} | {readonly kind: 'unknown'; readonly text: string},
    {readonly text: string}
  >;
  /** The hooks of this session, what each came to last, and those of the project that do not run for want of trust. */
  readonly hooks: Asked<readonly HookRow[]>;
  /** The MCP servers of this session. Those that were never started are started now, and waited for a little. */
  readonly 'mcp-servers': Asked<readonly McpServerRow[]>;
  /** Connects a server anew, or takes its tools away for this session; answered with the server as it is then. */
  readonly 'change-mcp-server': Asked<
    McpServerRow,
    {readonly server: string; readonly change: 'reconnect' | 'turn-off' | 'turn-on'}
  >;
  readonly 'permission-rules': Asked<readonly RuleRow[]>;
  /** Adds a rule, which holds at once, or removes one; answered with what came of it, a sentence. */
  readonly 'change-rule': Asked<string, {readonly rule: RequestedRuleChange}>;
  /** What the settings of the folder ask for (several lines), and whether the user has allowed it. */
  readonly 'folder-trust': Asked<{readonly state: TrustState; readonly text: string}>;
  /** Allows what `folder-trust` told; answered with what came of it. */
  readonly 'trust-folder': Asked<string>;
  /** All settings, what counts first, with where they come from; of one setting where the name is not empty. */
  readonly settings: Asked<readonly string[], {readonly name: string}>;
  readonly 'setting-rows': Asked<readonly SettingRow[]>;
  /** Writes the user's own setting; answered with what came of it, a sentence each. */
  readonly 'change-setting': Asked<readonly string[], {readonly name: string; readonly value: string}>;
  /** The model servers that answer on this machine. Nothing but loopback is asked. */
  readonly 'local-servers': Asked<readonly LocalServer[]>;
  /**
   * Asks the provider about the user's key, keeps it, and works with that provider from the next request on. A key that is refused is not
   * kept. Nothing shows the key, and no event has it.
   */
  readonly 'use-key': Asked<ModelConnection, {readonly provider: KeyProvider; readonly key: string}>;
  /** Works with a model of a local server from the next request on, and in later sessions. */
  readonly 'use-server': Asked<ModelConnection, {readonly baseUrl: string; readonly model: string}>;
  /** Works with a model at an effort from the next request on. */
  readonly 'use-effort': Asked<ModelConnection, {readonly model: string; readonly effort: Effort | 'default'}>;
  /** The models that the provider of this session offers. */
  readonly models: Asked<ModelList>;
  /** What works on this machine, one check a line. */
  readonly diagnostics: Asked<string>;
  /** What is checked out in the workspace: a branch, or the beginning of a commit; empty where there is no repository. */
  readonly branch: Asked<string>;
  /** Writes a text of a front end's into a file, where a person wants one; the name is not empty. */
  readonly 'export-text': Asked<
    ExportEnd,
    {readonly name: string; readonly text: string; readonly present: 'kept' | 'replaced'}
  >;
  /**
   * Writes the session into a file; an empty name stands for one of its own. A file that is there stays unless it is to be
   * `replaced`.
   */
  readonly 'export-session': Asked<
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
  /** `session`, `user`, `project`, `local`, or whatever else gave it. */
  readonly source: string;
  /** Why it has no effect; empty where it has one. */
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
  /** Who set it: `default`, `user`, `project` and so on; empty where nobody did. */
  readonly source: string;
  /** The values that it can have, if they are few. */
  readonly choices: readonly string[];
}

export interface ModelList {
  readonly models: readonly ListedModel[];
  /** `weft`: the provider could not be asked, so there may be others; `why` says why. */
  readonly from: {readonly kind: 'provider'} | {readonly kind: 'weft'; readonly why: string};
  readonly effort: Effort | 'default';
}

export interface ListedModel {
  readonly model: string;
  /** Whether it answers in new sessions, and who says so: `settings`, or the provider's default; else empty. */
  readonly defaultOf: string;
  /** In tokens; 0 where it is not known. */
  readonly contextWindow: number;
  /** The most that it writes in one answer, in tokens; 0 where it is not known. */
  readonly maxOutput: number;
  /** US dollars per million tokens, of a request that is not one of those that cost more for their length. */
  readonly price:
    | {readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number}
    | 'unknown';
  readonly efforts: readonly Effort[];
  readonly images: 'seen' | 'unseen' | 'unknown';
  readonly pdfs: 'seen' | 'unseen' | 'unknown';
  /** What it is for; empty where nobody says. */
  readonly about: string;
  /** Who says something of it: weft's own table, or the user's settings. */
  readonly from: 'weft' | 'settings' | 'nobody';
}

/** The model that answers from now on, and a sentence on what was kept where. */
export interface ModelConnection {
  readonly model: string;
  readonly text: string;
}

export interface SessionMessage {
  readonly by: 'user' | 'agent';
  readonly text: string;
}

/** The user's word on what the settings of a folder ask for; `changed` since it was given. */
export type TrustState = 'nothing' | 'trusted' | 'changed' | 'never';

export interface ExportEnd {
  readonly kind: 'written' | 'exists';
  readonly path: string;
}

/** Every query that is answered in pieces: the fields of its request, and a piece. */
export interface Watches {
  /**
   * Paths that hold some letters in their order, best first: a piece whenever there are better ones. The last one is `complete`,
   * and then the watch ends.
   */
  readonly 'find-files': {readonly request: {readonly letters: string}; readonly piece: FoundFiles};
  /** The terminal sessions beside the conversation, the running ones first: as they are now, and after every change. */
  readonly terminals: {readonly request: NoFields; readonly piece: readonly BlockInfo[]};
  /**
   * Attaches the user's terminal to a terminal session: text for it, soon that which draws the present screen. Whole sequences, and
   * only those that touch nothing but this screen and its keys and mouse. Ends with the command; an abort detaches.
   */
  readonly 'attach-terminal': {
    readonly request: {readonly id: BlockId; readonly size: ScreenSize};
    readonly piece: string;
  };
  /** Signs the user in to an MCP server: sentences, the first with the link to open, the last with what came of it. */
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
/** `cancelled`: the query was taken back, or the user has interrupted it. */
export type AnswerOf<T> = Outcome<T, Fault> | {readonly tag: 'cancelled'};

/** For a caller to whom a query that was cancelled is one that failed. */
export const answerOutcome = <T>(answer: AnswerOf<T>): Outcome<T, Fault> =>
  answer.tag === 'cancelled' ? failed(rejected('It was cancelled.')) : answer;

/** A request with `unknown` added to it has no field but its name. */
type NoFields = unknown;

export type ApprovalAnswer =
  | {readonly decision: 'allow'; readonly scope: 'once' | 'session'}
  /** Also allows what `rule` covers from now on: one of the verdict's rules, or one the user wrote. */
  | {readonly decision: 'allow-rule'; readonly rule: string; readonly scope: 'session' | 'local' | 'user'}
  /** Asks about `command` in the place of the one that was asked about; only for commands. It is judged anew, and what is denied stays so. */
  | {readonly decision: 'allow-edited'; readonly command: string}
  /** Writes what the user left of the proposal, unless that is denied or has to be asked about for another reason; only for edits. */
  | {readonly decision: 'allow-with-changes'; readonly userChanges: UserChanges}
  /** Keeps the changes of these paths and drops the others; only for the changes of a command. */
  | {readonly decision: 'allow-files'; readonly paths: readonly string[]}
  /** Runs the same tool with `input`, which is judged again: what is denied stays so. Changes the rules. */
  | {
      readonly decision: 'allow-updated';
      readonly input: JsonObject | 'unchanged';
      readonly rules: readonly RuleChange[];
    }
  /** `message` is the reason, for the model; may be empty. From a `program` it is told word for word. */
  | {readonly decision: 'refuse'; readonly message: string; readonly by: 'user' | 'program'};

export type QuestionResponse =
  | {readonly kind: 'answered'; readonly answers: readonly QuestionAnswer[]}
  | {readonly kind: 'dismissed'};
