import type {AgentEvent, Denial, PromptEnd, PromptSummary} from '../actions/agent-event.ts';
import {definitions} from '../actions/catalogue.ts';
import {
  messageText,
  toolCalls,
  type AssistantMessage,
  type Message,
  type StopReason,
  type TextBlock,
  type UserMessage,
} from '../domain/conversation.ts';
import {thrownFault} from '../domain/fault.ts';
import type {ModelRequest} from '../domain/model-stream.ts';
import {reminderBlock} from '../domain/reminder.ts';
import {addUsage, noUsage, type Usage} from '../domain/usage.ts';
import type {CallContext} from './call-context.ts';
import type {Ending} from './hooks-port.ts';
import type {IdPort, MemoryPort, ModelPort} from './ports.ts';
import type {PromptIntake} from './prompt-intake.ts';
import {readAnswer, type Answer, type AnswerContext} from './read-answer.ts';
import {runCalls} from './run-calls.ts';
import type {AnswerKeeper} from './structured-output.ts';
import type {UsageMeter} from './usage-meter.ts';
import type {WaitingPrompt} from './work-queue.ts';

/** When to stop before the model is done. */
export interface PromptLimits {
  /** Requests one prompt may send. */
  readonly maxTurns: number | 'unlimited';
  /** US dollars of the session; only known prices count. */
  readonly maxCostUsd: number | 'unlimited';
}

export interface PromptContext extends CallContext {
  readonly caughtUp: AnswerContext['caughtUp'];
  readonly prompt: WaitingPrompt;
  readonly intake: PromptIntake;
  readonly model: ModelPort;
  readonly memory: MemoryPort;
  readonly meter: UsageMeter;
  readonly limits: PromptLimits;
  readonly ids: IdPort;
  /** The conversation so far; what happens is added to it. */
  readonly messages: Message[];
  /** The request for the conversation as it stands. */
  readonly request: () => ModelRequest;
  /** Waits, a few seconds at most, for tools that are just coming. */
  readonly toolsReady: (signal: AbortSignal) => Promise<void>;
  readonly answer: AnswerKeeper;
}

/**
 * Runs one prompt to its end: request, answer, calls, results, and again until the model makes no more calls, a limit is
 * reached, something fails or the signal fires. Everything it started has settled when it returns. Never throws.
 */
export async function runPrompt(context: PromptContext, signal: AbortSignal): Promise<PromptSummary> {
  const tally = new Tally(context);
  try {
    const end = await context.intake.begin(context.prompt, signal);
    return tally.summary(end ?? (await takeTurns(context, tally, signal)));
  } catch (cause) {
    return tally.summary({kind: 'failed', fault: thrownFault('The prompt broke off', cause)});
  }
}

async function takeTurns(context: PromptContext, tally: Tally, signal: AbortSignal): Promise<PromptEnd> {
  const {hooks, intake} = context;
  let round: Ending['round'] = 'first';
  let blocks = 0;
  for (;;) {
    const limit = tally.limitReached();
    if (limit !== undefined) return limit;
    await context.toolsReady(signal);
    await intake.join(signal);
    if (signal.aborted) return {kind: 'interrupted'};
    if (hooks.stopped !== undefined) return {kind: 'stopped-by-hook', ...hooks.stopped};
    tally.turns += 1;
    context.publish([{event: 'turn-started', turn: tally.turns}]);
    warnOfMemory(context);
    const publish = (events: readonly AgentEvent[]): void => {
      context.publish(events);
      if (events.some(beginsEdit)) context.checkpoints.expectChange();
    };
    const answer = await tally.timed(readAnswer(context.request(), {...context, publish}, signal));
    keepAnswer(answer, context, tally);
    const calls = answer.message === undefined ? [] : toolCalls(answer.message);
    // The calls of a message that was cut off settle too, as cancelled: history needs a result for each.
    const report =
      answer.end === 'failed'
        ? await runCalls(calls, {...context, whyStopped: () => brokenOff}, AbortSignal.abort())
        : await runCalls(calls, context, signal);
    tally.results += report.results.length;
    tally.denials.push(...report.denials);
    if (report.results.length > 0) {
      context.messages.push({role: 'user', id: context.ids.message(), blocks: report.results});
    }
    if (report.lost.length > 0) throw report.lost[0];
    if (answer.end === 'failed') return {kind: 'failed', fault: answer.fault};
    if (signal.aborted) return {kind: 'interrupted'};
    const step = context.answer.afterTurn({text: textOf(answer), calls: calls.length});
    if (step.kind === 'ask-again') remind(reminderBlock(step.text), context);
    if (step.kind === 'ask-again' || (step.kind === 'go-on' && calls.length > 0)) continue;
    if (step.kind === 'end' && step.end.kind !== 'done') return step.end;
    const verdict = await hooks.atEnd({answer: textOf(answer), round}, signal);
    if (signal.aborted) return {kind: 'interrupted'};
    if (verdict.kind === 'none') return {kind: 'done'};
    blocks += 1;
    if (blocks > mostStopBlocks) {
      const text = `A hook has sent the model on ${mostStopBlocks} times; weft stops here.`;
      context.publish([{event: 'notice', level: 'warning', text}]);
      return {kind: 'done'};
    }
    remind({kind: 'text', text: `Stop hook feedback:\n${verdict.reason}`}, context);
    round = 'again';
  }
}

const editTools: ReadonlySet<string> = new Set(definitions['request-file-edits'].tools.map(({name}) => name));

/** Whether the model begins to write an edit: by its end there is time to look at the files. */
const beginsEdit = (event: AgentEvent): boolean =>
  event.event === 'block-started' && event.block.kind === 'tool-call' && editTools.has(event.block.name);

/** Before a request rather than by a timer: memory grows with what the model and its calls bring. */
function warnOfMemory({memory, publish}: PromptContext): void {
  const text = memory.trouble();
  if (text !== '') publish([{event: 'notice', level: 'warning', text}]);
}

/** A hook that is never content must not spend without end. */
const mostStopBlocks = 25;

const textOf = ({message}: Answer): string => (message === undefined ? '' : messageText(message));

/** Sends the model on with words that are nobody's prompt. */
function remind(block: TextBlock, {ids, keep, messages}: PromptContext): void {
  const message: UserMessage = {role: 'user', id: ids.message(), blocks: [block]};
  keep({kind: 'reminder', message});
  messages.push(message);
}

const brokenOff = {reason: 'not-run', message: 'This was not run: the answer that asked for it broke off.'} as const;

/** Kept before it joins the conversation: what the journal does not take must not be built upon. */
function keepAnswer(answer: Answer, context: PromptContext, tally: Tally): void {
  const {message, usage, stop} = answer;
  const model = message?.model ?? context.request().model;
  if (usage !== noUsage) tally.add(usage, model);
  if (message !== undefined) context.keep({kind: 'answer', message});
  else if (usage !== noUsage) context.keep({kind: 'usage', model, usage});
  if (message !== undefined) context.messages.push(message);
  if (answer.end === 'complete' || message !== undefined) tally.last = {message, stop};
  if (message !== undefined) context.publish([{event: 'message-finished', message}]);
  context.publish([{event: 'usage-changed', usage: context.meter.report()}]);
}

/** What one prompt has used and done so far. */
class Tally {
  turns = 0;
  results = 0;
  /** The answer that came last; a complete one may be empty. */
  last: {readonly message: AssistantMessage | undefined; readonly stop: StopReason} | undefined;
  readonly denials: Denial[] = [];
  readonly #startedAt: number;
  readonly #context: PromptContext;
  #modelMs = 0;
  #usage: Usage = noUsage;

  constructor(context: PromptContext) {
    this.#context = context;
    this.#startedAt = context.clock.now();
  }

  add(usage: Usage, model: string): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#context.meter.add(model, usage);
  }

  async timed<T>(request: Promise<T>): Promise<T> {
    const before = this.#context.clock.now();
    try {
      return await request;
    } finally {
      this.#modelMs += this.#context.clock.now() - before;
    }
  }

  limitReached(): PromptEnd | undefined {
    const {limits, meter, request} = this.#context;
    if (limits.maxTurns !== 'unlimited' && this.turns >= limits.maxTurns) {
      return {kind: 'max-turns', turns: limits.maxTurns};
    }
    const {maxCostUsd: usd} = limits;
    return usd !== 'unlimited' && meter.isSpent(usd, request().model) ? {kind: 'max-cost', usd} : undefined;
  }

  summary(end: PromptEnd): PromptSummary {
    const structured = this.#context.answer.value();
    const {message, stop} = this.last ?? {message: undefined, stop: 'interrupted'};
    return {
      end,
      answer:
        structured.kind === 'value'
          ? JSON.stringify(structured.value)
          : message === undefined
            ? ''
            : messageText(message),
      stop,
      turns: this.turns,
      results: this.results,
      durationMs: this.#context.clock.now() - this.#startedAt,
      modelMs: this.#modelMs,
      usage: this.#usage,
      sessionUsage: this.#context.meter.report(),
      denials: this.denials,
      structured,
    };
  }
}
