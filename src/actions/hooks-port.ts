import type {SettledCall} from './agent-event.ts';
import type {JsonObject} from '../base/json.ts';
import type {Change} from '../domain/change-set.ts';
import type {Message, ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';
import type {HookRunEvent} from '../domain/hook.ts';
import type {MessageId} from '../domain/ids.ts';
import type {RuleChange} from '../domain/risk.ts';

/**
 * Hooks: code of the user or of the host program that is asked at fixed moments of a session. Which hooks there are, what they match
 * and how long each may take is decided by the implementation; it joins the answers of several hooks: deny before ask before allow.
 * After an abort a promise settles soon, with any reply. A rejection is a bug; it blocks what the hook guards.
 */
export interface HooksPort {
  /** Before a call is judged and asked about. */
  preToolUse(call: ToolCallBlock, signal: AbortSignal): Promise<HookReply<CallAnswer>>;
  /** Before a person is asked about a call, also where there is nobody to ask. */
  permissionRequest(request: PermissionRequest, signal: AbortSignal): Promise<HookReply<PermissionAnswer>>;
  postToolUse(ended: EndedCall, signal: AbortSignal): Promise<HookReply<ResultAnswer>>;
  /** After a call that failed or was interrupted while it ran; not after one that was refused. */
  postToolUseFailure(ended: EndedCall, signal: AbortSignal): Promise<HookReply<ContextAnswer>>;
  /** Before a prompt, also one that joins a running one, is taken up. */
  userPromptSubmit(prompt: SubmittedPrompt, signal: AbortSignal): Promise<HookReply<PromptAnswer>>;
  stop(ending: Ending, signal: AbortSignal): Promise<HookReply<StopAnswer>>;
  sessionStart(source: SessionStartSource, signal: AbortSignal): Promise<HookReply<ContextAnswer>>;
  /** Before the conversation is compacted. */
  preCompact(instructions: string, signal: AbortSignal): Promise<HookReply<StopAnswer>>;
  /** Before a sub-agent takes its first turn; the context is for it. */
  subagentStart(agent: Subagent, signal: AbortSignal): Promise<HookReply<ContextAnswer>>;
  subagentStop(ending: Ending & Subagent, signal: AbortSignal): Promise<HookReply<StopAnswer>>;
  /** Something that hooks are told of and cannot prevent. */
  happened(happening: Happening, signal: AbortSignal): Promise<HookReply<undefined>>;
  /** The engine says once what hooks are told of the session, and hears of every run. */
  attach(engine: HookEngine): void;
  /** What there is, for a person to look at. */
  list(): readonly HookRow[];
}

export interface HookEngine {
  readonly session: () => HookSession;
  /** The conversation as it is now. */
  readonly messages: () => readonly Message[];
  readonly publish: (event: HookRunEvent) => void;
}

/** What every hook reads of the session. */
export interface HookSession {
  readonly sessionId: string;
  readonly directory: string;
  readonly mode: string;
  readonly model: string;
  /** Empty as long as there was none. */
  readonly promptId: string;
}

export type SessionStartSource = 'startup' | 'resume' | 'clear' | 'compact';

export type Happening =
  | {readonly event: 'SessionEnd'; readonly reason: 'clear' | 'resume' | 'prompt_input_exit' | 'other'}
  | {
      readonly event: 'Notification';
      readonly type: 'permission_prompt' | 'elicitation_dialog' | 'idle_prompt';
      readonly message: string;
    }
  | {readonly event: 'PostCompact'; readonly summary: string}
  /** weft itself refused a call: the mode, or that nobody can be asked; no rule, hook or person. */
  | {readonly event: 'PermissionDenied'; readonly call: ToolCallBlock; readonly reason: string};

/** A sub-agent, as hooks are told of it. `agentType` is what matchers look at: the name of its kind. */
export interface Subagent {
  readonly agentId: string;
  readonly agentType: string;
}

export interface HookRow extends Pick<Hook, 'event' | 'matcher' | 'text' | 'source'> {
  /** Whether it is called: hooks of a project only where the user trusts it. */
  readonly standing: 'in-use' | 'not-trusted';
  readonly runs: number;
  /** What its last run came to; empty before the first. */
  readonly last: string;
}

/** One hook, wherever it comes from: what is called, and how a broken one counts. */
export interface Hook {
  readonly event: string;
  readonly matcher: string;
  readonly text: string;
  /** Where it comes from: a settings file, a plugin, the program that drives weft. */
  readonly source: string;
  /** Hooks of one event with the same key are called once. */
  readonly key: string;
  readonly timeoutMs: number;
  readonly wait: 'for-answer' | 'async';
  readonly onFailure: 'block' | 'allow';
  /** A permission rule: it is called for the calls that the rule speaks of. Empty for all. */
  readonly condition: string;
  run(input: JsonObject, signal: AbortSignal): Promise<HookRun>;
}

export interface HookRun {
  readonly outcome:
    | {readonly kind: 'json'; readonly value: JsonObject}
    /** It ended well and printed this, mostly nothing. */
    | {readonly kind: 'text'; readonly text: string}
    /** It blocks by its exit code. */
    | {readonly kind: 'blocked'; readonly reason: string}
    /** `gone`: who would have answered is there no more, so a call that it guards never runs. */
    | {readonly kind: 'failed'; readonly how: HookFailureKind; readonly why: string};
  readonly exitCode: number | 'unknown';
  readonly stdout: string;
  readonly stderr: string;
}

export type HookFailureKind = 'not-started' | 'crashed' | 'timed-out' | 'unreadable' | 'gone';

export interface PermissionRequest {
  readonly call: ToolCallBlock;
  /** Rules that would spare the question. */
  readonly rules: readonly string[];
  /** What the call has changed, if it has run in a view of its own and is asked about afterwards; mostly none. */
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
  /** `stop` ends the prompt; `reason` is for the user and may be empty. */
  readonly flow: {readonly kind: 'go-on'} | {readonly kind: 'stop'; readonly reason: string};
  readonly messages: readonly string[];
}

/**
 * `notice`: whether the user hears of it, since one that fails at every call is told of once. `block`: what the hook was asked about
 * does not happen. Where there is nothing to block, it means `go-on`.
 */
export interface HookFailure {
  readonly notice: 'tell' | 'told';
  readonly fault: Fault;
  readonly onFailure: 'go-on' | 'block';
}

export interface CallAnswer extends ContextAnswer {
  readonly verdict:
    | {readonly kind: 'none'}
    /** The user is not asked; what a rule or the mode denies stays denied. */
    | {readonly kind: 'allow'}
    | {readonly kind: 'deny'; readonly reason: string}
    /** The user is asked, even about a call that would have run without approval. */
    | {readonly kind: 'ask'; readonly reason: string};
  /** The input that is decoded, judged and run in the place of the model's. */
  readonly input: JsonObject | 'unchanged';
}

export interface ContextAnswer {
  /** For the model; empty for none. */
  readonly context: string;
}

export interface ResultAnswer extends ContextAnswer {
  /** What the model reads in the place of the result. */
  readonly modelText: {readonly kind: 'unchanged'} | {readonly kind: 'replaced'; readonly text: string};
}

export interface EndedCall {
  /** With the input that the action ran with. */
  readonly call: ToolCallBlock;
  readonly result: SettledCall;
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

export interface Ending {
  readonly answer: string;
  /** `again`: the model went on because of a stop hook. */
  readonly round: 'first' | 'again';
}

export interface StopAnswer {
  /** `block` sends the model on, with the reason. */
  readonly verdict: {readonly kind: 'none'} | {readonly kind: 'block'; readonly reason: string};
}

const none = {kind: 'none'} as const;
/** The answer of a hook that leaves a result as it is. */
export const unchangedResult = {context: '', modelText: {kind: 'unchanged'}} as const;

const goOn = {failures: [], flow: {kind: 'go-on'}, messages: []} as const;

export const noHooks: HooksPort = {
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
  happened: async () => ({answer: undefined, ...goOn}),
  attach: () => {},
  list: () => [],
};
