import type {AgentEvent} from '../actions/agent-event.ts';
import {raceAbort} from '../base/race.ts';
import {causeText, faultText} from '../domain/fault.ts';
import type {ToolCallBlock} from '../domain/conversation.ts';
import {
  unchangedResult,
  type BegunCompaction,
  type CallAnswer,
  type EndedCall,
  type StopInput,
  type HookNotification,
  type HookReply,
  type HooksPort,
  type PermissionAnswer,
  type PermissionRequest,
  type PromptAnswer,
  type ResultAnswer,
  type SessionStartSource,
  type StopAnswer,
  type SubmittedPrompt,
} from '../actions/hooks-port.ts';

/**
 * The hooks of one prompt. A hook that fails causes a warning, and blocks or not as configured. No method throws, and none waits for a hook
 * after an abort.
 */
export class PromptHooks {
  readonly #port: HooksPort;
  readonly #publish: (events: readonly AgentEvent[]) => void;
  /** Why a hook has ended the prompt. `undefined` if no hook has ended it. */
  stopped: {readonly reason: string} | undefined;
  #brokenEnds = 0;

  constructor(port: HooksPort, publish: (events: readonly AgentEvent[]) => void) {
    this.#port = port;
    this.#publish = publish;
  }

  async beforeCall(call: ToolCallBlock, signal: AbortSignal): Promise<CallAnswer> {
    if (this.stopped !== undefined) return denied(emptyCallAnswer, this.stopped.reason);
    const {answer, blockedBy} = await this.#ask(() => this.#port.preToolUse(call, signal), emptyCallAnswer, signal);
    const reason = blockedBy ?? this.#stopReason();
    return reason === undefined || answer.verdict.kind === 'deny' ? answer : denied(answer, reason);
  }

  /** Returns what the model reads besides the result, or instead of it. Usually nothing. */
  async afterCall(ended: EndedCall, signal: AbortSignal): Promise<ResultAnswer> {
    const {result} = ended;
    if (signal.aborted) return unchangedResult;
    if (result !== 'elsewhere' && (result.tag === 'undecodable' || result.result.settled.state === 'cancelled'))
      return unchangedResult;
    if (ended.content.outcome !== 'error')
      return (await this.#ask(() => this.#port.postToolUse(ended, signal), unchangedResult, signal)).answer;
    const {answer} = await this.#ask(() => this.#port.postToolUseFailure(ended, signal), emptyContext, signal);
    return {...unchangedResult, ...answer};
  }

  async beforePrompt(prompt: SubmittedPrompt, signal: AbortSignal): Promise<PromptAnswer> {
    const {answer, blockedBy} = await this.#ask(
      () => this.#port.userPromptSubmit(prompt, signal),
      emptyPromptAnswer,
      signal,
    );
    const reason = blockedBy ?? this.#stopReason();
    return reason === undefined || answer.verdict.kind === 'block'
      ? answer
      : {...answer, verdict: {kind: 'block', reason}};
  }

  /** A broken hook also blocks the end of the prompt, at most `maxBroken` times. */
  async beforeStop(ending: StopInput, signal: AbortSignal): Promise<StopAnswer['verdict']> {
    const {answer, blockedBy} = await this.#ask(() => this.#port.stop(ending, signal), emptyStopAnswer, signal);
    if (this.stopped !== undefined) return none;
    if (blockedBy === undefined || answer.verdict.kind === 'block') return answer.verdict;
    this.#brokenEnds += 1;
    if (this.#brokenEnds <= maxBroken) return {kind: 'block', reason: blockedBy};
    this.#warn(`The prompt ended although its stop hook failed ${maxBroken + 1} times: ${blockedBy}`);
    return none;
  }

  /** Asks hooks whether a call may run that needs a question. A broken hook says no. */
  async beforeAsking(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer['verdict']> {
    const {answer, blockedBy} = await this.#ask(
      () => this.#port.permissionRequest(request, signal),
      {verdict: none},
      signal,
    );
    const reason = blockedBy ?? this.#stopReason();
    return reason === undefined || answer.verdict.kind === 'deny'
      ? answer.verdict
      : {kind: 'deny', reason, next: 'go-on'};
  }

  /** Returns context for the first prompt of a session. */
  async atSessionStart(source: SessionStartSource, signal: AbortSignal): Promise<string> {
    const asked = await this.#ask(() => this.#port.sessionStart(source, signal), {context: ''}, signal);
    return asked.answer.context;
  }

  async beforeCompaction(compaction: BegunCompaction, signal: AbortSignal): Promise<StopAnswer['verdict']> {
    const {answer} = await this.#ask(() => this.#port.preCompact(compaction, signal), emptyStopAnswer, signal);
    return this.stopped === undefined ? answer.verdict : {kind: 'block', reason: this.stopped.reason};
  }

  async notify(happening: HookNotification, signal: AbortSignal): Promise<void> {
    await this.#ask(() => this.#port.notify(happening, signal), undefined, signal);
  }

  async #ask<Answer>(
    hook: () => Promise<HookReply<Answer>>,
    nothing: Answer,
    signal: AbortSignal,
  ): Promise<{readonly answer: Answer; readonly blockedBy: string | undefined}> {
    if (signal.aborted) return {answer: nothing, blockedBy: undefined};
    const reply = await raceAbort((async () => hook())(), signal).catch((cause: unknown) => {
      const broken = `A hook failed: ${causeText(cause)} (a bug in weft)`;
      this.#warn(broken);
      return {broken};
    });
    if (reply === 'aborted' || signal.aborted) return {answer: nothing, blockedBy: undefined};
    if ('broken' in reply) return {answer: nothing, blockedBy: reply.broken};
    for (const {fault, notice} of reply.failures)
      if (notice === 'show') this.#warn(`A hook failed: ${faultText(fault)}`);
    if (reply.messages.length > 0) this.#publish(reply.messages.map(text => ({event: 'notice', level: 'info', text})));
    if (reply.flow.kind === 'stop') this.stopped ??= {reason: reply.flow.reason};
    const blocking = reply.failures.find(({onFailure: follow}) => follow === 'block');
    return {answer: reply.answer, blockedBy: blocking === undefined ? undefined : faultText(blocking.fault)};
  }

  #stopReason(): string | undefined {
    return this.stopped?.reason;
  }

  #warn(text: string): void {
    this.#publish([{event: 'notice', level: 'warning', text}]);
  }
}

/** How often a broken hook may make the model continue instead of ending the prompt. */
const maxBroken = 2;

const denied = (answer: CallAnswer, reason: string): CallAnswer => ({
  ...answer,
  verdict: {kind: 'deny', reason: reason === '' ? 'a hook stopped this prompt' : reason},
});

const none = {kind: 'none'} as const;
const emptyCallAnswer: CallAnswer = {verdict: none, input: 'unchanged', context: ''};
const emptyContext = {context: ''};
const emptyPromptAnswer: PromptAnswer = {verdict: none, context: ''};
const emptyStopAnswer: StopAnswer = {verdict: none};
