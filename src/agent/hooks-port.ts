import type {SettledCall} from '../actions/agent-event.ts';
import type {JsonObject} from '../base/json.ts';
import type {ToolCallBlock, ToolResultBlock} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';

/**
 * What the user's or the host program's own code says at fixed moments of a prompt. Which hooks there are, what they match and
 * how long each may take is the implementation's; where several answer, it joins their answers: deny before ask before allow.
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
  /** The user is told of each. */
  readonly failures: readonly HookFailure[];
  /** `stop` ends the prompt; `reason` is for the user and may be empty. */
  readonly flow: {readonly kind: 'go-on'} | {readonly kind: 'stop'; readonly reason: string};
}

/** `block`: what the hook stands before does not happen. Where there is nothing to block it says the same as `go-on`. */
export interface HookFailure {
  readonly fault: Fault;
  readonly follow: 'go-on' | 'block';
}

export interface CallAnswer extends ContextAnswer {
  readonly verdict:
    | {readonly kind: 'none'}
    /** Nobody is asked; what a rule or the mode denies stays denied. */
    | {readonly kind: 'allow'}
    | {readonly kind: 'deny'; readonly reason: string}
    /** Somebody is asked, even about what would have run without. */
    | {readonly kind: 'ask'; readonly reason: string};
  /** What is decoded, judged and run in the place of what the model wrote. */
  readonly input: JsonObject | 'unchanged';
}

export interface ContextAnswer {
  /** For the model; empty for none. */
  readonly context: string;
}

export interface ResultAnswer extends ContextAnswer {
  /** What the model is told in the place of the result. */
  readonly told: {readonly kind: 'unchanged'} | {readonly kind: 'replaced'; readonly text: string};
}

export interface EndedCall {
  /** With the input that ran. */
  readonly call: ToolCallBlock;
  readonly result: SettledCall;
  readonly told: ToolResultBlock;
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
  /** What the model said last. */
  readonly answer: string;
  /** `again`: the model went on because of a stop hook. */
  readonly round: 'first' | 'again';
}

export interface StopAnswer {
  /** `block` sends the model on, with the reason. */
  readonly verdict: {readonly kind: 'none'} | {readonly kind: 'block'; readonly reason: string};
}

const none = {kind: 'none'} as const;
/** Of a hook that has nothing to say of a result. */
export const asItWas = {context: '', told: {kind: 'unchanged'}} as const;

const goOn = {failures: [], flow: {kind: 'go-on'}} as const;

/** Where nobody has hooks. */
export const noHooks: HooksPort = {
  preToolUse: async () => ({answer: {verdict: none, input: 'unchanged', context: ''}, ...goOn}),
  postToolUse: async () => ({answer: asItWas, ...goOn}),
  postToolUseFailure: async () => ({answer: {context: ''}, ...goOn}),
  userPromptSubmit: async () => ({answer: {verdict: none, context: ''}, ...goOn}),
  stop: async () => ({answer: {verdict: none}, ...goOn}),
};
