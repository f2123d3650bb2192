import type {AskedMessage, SamplingPort} from '../actions/sampling-port.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {blockTexts, type Message} from '../domain/conversation.ts';
import {causeText, faultText} from '../domain/fault.ts';
import type {ModelRequest} from '../domain/model-stream.ts';
import {noUsage} from '../domain/usage.ts';
import {readAnswer} from './answer.ts';
import {countAgentUsage, type SessionContext} from './session-context.ts';

/** Asks the session's model outside the conversation. The cost counts like that of sub-agents. */
export const samplingPort = (context: () => SessionContext): SamplingPort => ({
  model: () => modelOf(context()),
  refusalReason() {
    const {mode, budget} = context();
    if (mode === 'dontAsk') return "Sampling needs the user's approval, and the user wants no questions.";
    return budget.limitExceededBy(0) === undefined ? '' : limitReached;
  },
  async answer({system, messages, maxTokens}, signal) {
    const session = context();
    const {ports} = session;
    const model = modelOf(session);
    const request = {
      model,
      system,
      tools: [],
      messages: messages.map(message => toMessage(message, {id: ports.ids.message(), model})),
      thinking: {kind: 'default'},
      maxTokens,
    } as const;
    return askOutside({request, of: 'text'}, session, signal);
  },
});

interface OutsideAnswer {
  readonly text: string;
  readonly model: string;
  readonly end: 'cut-off' | 'whole';
}

/** Sends a request whose answer is not part of the conversation, within the cost limit, and counts its cost. */
export async function askOutside(
  {request, of}: {readonly request: ModelRequest; readonly of: 'conversation' | 'text'},
  session: SessionContext,
  signal: AbortSignal,
): Promise<Outcome<OutsideAnswer, string>> {
  const {ports} = session;
  const reserved = await session.budget.reserve(async () => {
    const {expectedCost} = await import('./context/context-usage.ts');
    return expectedCost(request, of, session);
  }, signal);
  if (reserved.kind === 'aborted') return failed("The model's answer was interrupted.");
  if (reserved.kind === 'spent') return failed(limitReached);
  try {
    const answer = await readAnswer(request, {model: ports.model, onBatch: () => undefined}, signal);
    // Another model may have answered instead.
    const answering = answer.message?.model ?? request.model;
    const {usage} = answer;
    const costUsd = ports.model.facts(answering).costOf(usage);
    if (usage !== noUsage) countAgentUsage({model: answering, usage, costUsd}, session);
    reserved.settle(costUsd);
    if (answer.end === 'failed') return failed(`The model did not answer: ${faultText(answer.fault)}`);
    if (answer.end === 'interrupted') return failed("The model's answer was interrupted.");
    if (answer.stop === 'refusal') return failed('The model declined to answer.');
    const text = blockTexts(answer.message?.blocks ?? []).join('');
    return ok({text, model: answering, end: answer.stop === 'max-tokens' ? 'cut-off' : 'whole'});
  } catch (cause) {
    return failed(`The model did not answer: ${causeText(cause)}`);
  } finally {
    reserved.settle('unknown');
  }
}

const limitReached = 'The session has reached its cost limit.';

const modelOf = ({promptModel, model}: Pick<SessionContext, 'promptModel' | 'model'>): string => promptModel ?? model;

function toMessage(
  {role, blocks}: AskedMessage,
  {id, model}: {readonly id: Message['id']; readonly model: string},
): Message {
  if (role === 'user') return {role, id, blocks};
  const texts = blocks.filter(block => block.kind === 'text');
  return {role, id, model, blocks: texts, stop: 'end-turn', usage: noUsage};
}
