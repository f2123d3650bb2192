import type {CompactionTrigger} from '../domain/compaction.ts';
import type {SettledCall} from './agent-event.ts';
import type {JsonObject} from '../base/json.ts';
import type {Change} from '../domain/change-set.ts';
import type {Message, ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';
import type {HookRunEvent} from '../domain/hook.ts';
import type {MessageId} from '../domain/ids.ts';
import type {RuleChange} from '../domain/risk.ts';

/**
 * Hooks: code of the user or of the host program that is called at fixed moments of a session. The implementation decides which hooks
 * there are, what they match and how long each may take. It joins the answers of several hooks: deny before ask before allow.
 * After an abort a promise settles soon, with any reply. A rejection is a bug, and blocks what the hook guards.
 */
export interface HooksPort {
  /** Runs before weft judges a call and asks about it. */
  preToolUse(call: ToolCallBlock, signal: AbortSignal): Promise<HookReply<CallAnswer>>;
  /** Runs before an approval question, even if no one can answer it. */
  permissionRequest(request: PermissionRequest, signal: AbortSignal): Promise<HookReply<PermissionAnswer>>;
  postToolUse(ended: EndedCall, signal: AbortSignal): Promise<HookReply<ResultAnswer>>;
  /** Runs after a call that failed or was interrupted while it ran, but not after a refused one. */
  postToolUseFailure(ended: EndedCall, signal: AbortSignal): Promise<HookReply<ContextAnswer>>;
  /** Runs before work on a prompt begins, even for one that joins a running prompt. */
  userPromptSubmit(prompt: SubmittedPrompt, signal: AbortSignal): Promise<HookReply<PromptAnswer>>;
  stop(ending: StopInput, signal: AbortSignal): Promise<HookReply<StopAnswer>>;
  sessionStart(source: SessionStartSource, signal: AbortSignal): Promise<HookReply<ContextAnswer>>;
  /** Runs before the conversation is compacted. */
  preCompact(compaction: BegunCompaction, signal: AbortSignal): Promise<HookReply<StopAnswer>>;
  /** Runs before the first turn of a sub-agent, which reads the context. */
  subagentStart(agent: Subagent, signal: AbortSignal): Promise<HookReply<ContextAnswer>>;
  subagentStop(ending: StopInput & Subagent, signal: AbortSignal): Promise<HookReply<StopAnswer>>;
  /** Tells hooks about something that they can't prevent. */
  notify(happening: HookNotification, signal: AbortSignal): Promise<HookReply<undefined>>;
  /** Gives the hooks access to the session, and the engine the events of every run. Called once. */
  attach(engine: HookEngine): void;
  /** Lists the hooks, for a person to look at. */
  list(): readonly HookRow[];
}

export interface HookEngine {
  readonly session: () => HookSession;
  readonly messages: () => readonly Message[];
  readonly publish: (event: HookRunEvent) => void;
  /** Await it before hooks run that may change files. Never throws. */
  readonly beforeChange: (changes: readonly HookChanges[], signal: AbortSignal) => Promise<void>;
}

/** The files that a hook may change: those that its shell command names, or any. */
export type HookChanges = {readonly command: string} | 'any';

/** The facts about the session that every hook gets. */
export interface HookSession {
  readonly sessionId: string;
  readonly directory: string;
  readonly mode: string;
  readonly model: string;
  /** Empty before the first prompt. */
  readonly promptId: string;
}

/** A compaction that is about to begin. `instructions` are the user's instructions for the summary, often empty. */
export interface BegunCompaction {
  readonly trigger: CompactionTrigger;
  readonly instructions: string;
}

export type SessionStartSource = 'startup' | 'resume' | 'clear' | 'compact';

export type HookNotification =
  | {readonly event: 'SessionEnd'; readonly reason: 'clear' | 'resume' | 'prompt_input_exit' | 'other'}
  | {
      readonly event: 'Notification';
      readonly type: 'permission_prompt' | 'elicitation_dialog' | 'idle_prompt';
      readonly message: string;
    }
  | {readonly event: 'PostCompact'; readonly trigger: CompactionTrigger; readonly summary: string}
  /** weft itself refused a call, because of the mode or because no one can be asked. No rule, hook or person refused it. */
  | {readonly event: 'PermissionDenied'; readonly call: ToolCallBlock; readonly reason: string};

/** A sub-agent, as hooks see it. Matchers match `agentType`, the name of its kind. */
export interface Subagent {
  readonly agentId: string;
  readonly agentType: string;
}

export interface HookRow extends Pick<Hook, 'event' | 'matcher' | 'text' | 'source'> {
  /** Whether the hook is called. Hooks of a project are called only if the user trusts the project. */
  readonly standing: 'in-use' | 'not-trusted';
  readonly runs: number;
  /** The outcome of the hook's last run. Empty before the first. */
  readonly last: string;
}

/** One hook, from any source: what to run, and how its failure counts. */
export interface Hook {
  readonly event: string;
  readonly matcher: string;
  readonly text: string;
  /** The hook's source: a settings file, a plugin, or the program that drives weft. */
  readonly source: string;
  /** Hooks of one event with the same key are called once. */
  readonly key: string;
  readonly timeoutMs: number;
  readonly wait: 'for-answer' | 'async';
  readonly onFailure: 'block' | 'allow';
  /** A permission rule that limits the hook to the calls it matches. Empty for all calls. */
  readonly condition: string;
  /** `nothing`: the hook only answers. */
  readonly changes: HookChanges | 'nothing';
  run(input: JsonObject, signal: AbortSignal): Promise<HookRun>;
}

export interface HookRun {
  readonly outcome:
    | {readonly kind: 'json'; readonly value: JsonObject}
    /** The hook succeeded and printed this text, usually empty. */
    | {readonly kind: 'text'; readonly text: string}
    /** The hook blocks by its exit code. */
    | {readonly kind: 'blocked'; readonly reason: string}
    /** `gone`: the program that would have answered is no longer there, so a call that the hook guards never runs. */
    | {readonly kind: 'failed'; readonly how: HookFailureKind; readonly why: string};
  readonly exitCode: number | 'unknown';
  readonly stdout: string;
  readonly stderr: string;
}

export type HookFailureKind = 'not-started' | 'crashed' | 'timed-out' | 'unreadable' | 'gone';

export interface PermissionRequest {
  readonly call: ToolCallBlock;
  /** Rules that would make the question unnecessary. */
  readonly rules: readonly string[];
  /** The changes of a call that ran in its own view of the workspace and needs an approval afterwards. Usually empty. */
  readonly changes: readonly Change[];
}

export interface PermissionAnswer {
  readonly verdict:
    | {readonly kind: 'none'}
    | {readonly kind: 'allow'; readonly input: JsonObject | 'unchanged'; readonly rules: readonly RuleChange[]}
    | {readonly kind: 'deny'; readonly reason: string; readonly next: 'go-on' | 'interrupt'};
}

export interface HookReply<Answer> {
  readonly answer: Answer;
  readonly failures: readonly HookFailure[];
  /** `stop` ends the prompt. `reason` is for the user and may be empty. */
  readonly flow: {readonly kind: 'go-on'} | {readonly kind: 'stop'; readonly reason: string};
  readonly messages: readonly string[];
}

/**
 * `notice`: whether to show the failure to the user. A hook that fails at every call is shown once.
 * `block`: the hooked action does not happen. If there is nothing to block, it means `go-on`.
 */
export interface HookFailure {
  readonly notice: 'show' | 'shown-before';
  readonly fault: Fault;
  readonly onFailure: 'go-on' | 'block';
}

export interface CallAnswer extends ContextAnswer {
  readonly verdict:
    | {readonly kind: 'none'}
    /** The user is not asked. A denial by a rule or the mode still holds. */
    | {readonly kind: 'allow'}
    | {readonly kind: 'deny'; readonly reason: string}
    /** The user is asked, even about a call that would have run without approval. */
    | {readonly kind: 'ask'; readonly reason: string};
  /** The input to decode, judge and run instead of the model's. */
  readonly input: JsonObject | 'unchanged';
}

export interface ContextAnswer {
  /** Text for the model. May be empty. */
  readonly context: string;
}

export interface ResultAnswer extends ContextAnswer {
  /** The text that the model reads instead of the result. */
  readonly modelText: {readonly kind: 'unchanged'} | {readonly kind: 'replaced'; readonly text: string};
}

export interface EndedCall {
  /** The call, with the input that the action ran with. */
  readonly call: ToolCallBlock;
  /** `elsewhere`: another program ran the call. */
  readonly result: SettledCall | 'elsewhere';
  readonly content: ToolResultBlock;
  readonly durationMs: number;
}

export interface SubmittedPrompt {
  readonly id: MessageId;
  readonly text: string;
}

export interface PromptAnswer extends ContextAnswer {
  readonly verdict: {readonly kind: 'none'} | {readonly kind: 'block'; readonly reason: string};
}

export interface StopInput {
  readonly answer: string;
  /** `again`: the model continued because of a stop hook. */
  readonly round: 'first' | 'again';
}

export interface StopAnswer {
  /** With `block`, the model reads the reason and continues. */
  readonly verdict: {readonly kind: 'none'} | {readonly kind: 'block'; readonly reason: string};
}

const none = {kind: 'none'} as const;
/** The answer of a hook that leaves a result unchanged. */
export const unchangedResult = {context: '', modelText: {kind: 'unchanged'}} as const;

const goOn = {failures: [], flow: {kind: 'go-on'}, messages: []} as const;

export const noopHooks: HooksPort = {
  preToolUse: async () => ({answer: {verdict: none, input: 'unchanged', context: ''}, ...goOn}),
  postToolUse: async () => ({answer: unchangedResult, ...goOn}),
  postToolUseFailure: async () => ({answer: {context: ''}, ...goOn}),
  userPromptSubmit: async () => ({answer: {verdict: none, context: ''}, ...goOn}),
  stop: async () => ({answer: {verdict: none}, ...goOn}),
  permissionRequest: async () => ({answer: {verdict: none}, ...goOn}),
  sessionStart: async () => ({answer: {context: ''}, ...goOn}),
  preCompact: async () => ({answer: {verdict: none}, ...goOn}),
  subagentStart: async () => ({answer: {context: ''}, ...goOn}),
  subagentStop: async () => ({answer: {verdict: none}, ...goOn}),
  notify: async () => ({answer: undefined, ...goOn}),
  attach: () => {},
  list: () => [],
};
