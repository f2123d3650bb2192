import type {SettledCall} from './agent-event.ts';
import type {JsonObject} from '../base/json.ts';
import type {ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';

/**
 * Hooks: code of the user or of the host program that is asked at fixed moments of a prompt. Which hooks there are, what they match
 * and how long each may take is decided by the implementation; it joins the answers of several hooks: deny before ask before allow.
 * After an abort a promise settles soon, with any reply. A rejection is a bug and counts as a failure that blocks nothing.
 */
export interface HooksPort {
  /** Before a call is judged and asked about. */
  preToolUse(call: ToolCallBlock, signal: AbortSignal): Promise<HookReply<CallAnswer>>;
  /** After a call that succeeded. */
  postToolUse(ended: EndedCall, signal: AbortSignal): Promise<HookReply<ResultAnswer>>;
  /** After a call that failed or was interrupted while it ran; not after one that was refused. */
  postToolUseFailure(ended: EndedCall, signal: AbortSignal): Promise<HookReply<ContextAnswer>>;
  /** Before a prompt, also one that joins a running one, is taken up. */
  userPromptSubmit(prompt: SubmittedPrompt, signal: AbortSignal): Promise<HookReply<PromptAnswer>>;
  /** When the model has ended on its own. */
  stop(ending: Ending, signal: AbortSignal): Promise<HookReply<StopAnswer>>;
}

export interface HookReply<Answer> {
  readonly answer: Answer;
  /** The user gets a warning for each. */
  readonly failures: readonly HookFailure[];
  /** `stop` ends the prompt; `reason` is for the user and may be empty. */
  readonly flow: {readonly kind: 'go-on'} | {readonly kind: 'stop'; readonly reason: string};
}

/** `block`: the call or prompt that the hook was asked about does not happen. Where there is nothing to block, it means `go-on`. */
export interface HookFailure {
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
  /** The text of the model's last answer. */
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

const goOn = {failures: [], flow: {kind: 'go-on'}} as const;

/** The port where no hooks are configured. */
export const noHooks: HooksPort = {
  preToolUse: async () => ({answer: {verdict: none, input: 'unchanged', context: ''}, ...goOn}),
  postToolUse: async () => ({answer: unchangedResult, ...goOn}),
  postToolUseFailure: async () => ({answer: {context: ''}, ...goOn}),
  userPromptSubmit: async () => ({answer: {verdict: none, context: ''}, ...goOn}),
  stop: async () => ({answer: {verdict: none}, ...goOn}),
};
