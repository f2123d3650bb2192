import {failed, ok, type Outcome} from '../base/outcome.ts';
import {type Message, toolCalls, type UserBlock} from '../domain/conversation.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import {reminderBlock} from '../domain/reminder.ts';
import {askOutside} from './sampling.ts';
import {nextRequest, type SessionContext} from './session-context.ts';

/**
 * Asks the model a question about the conversation, which stays as it is. The request begins like the next one of the conversation, so
 * that it reads the provider's cache. It may run while a prompt runs. Its cost counts like that of sub-agents.
 */
export async function answerAside(
  question: string,
  session: SessionContext,
  signal: AbortSignal,
): Promise<Outcome<string, Fault>> {
  const {ids, secrets} = session.ports;
  const request = nextRequest(session);
  const asked = [reminderBlock(aboutAside), {kind: 'text', text: secrets.redact(question)}] as const;
  const messages = [
    ...request.messages,
    {role: 'user', id: ids.message(), blocks: [...openResults(request.messages), ...asked]} as const,
  ];
  const answer = await askOutside({request: {...request, messages}, of: 'conversation'}, session, signal);
  if (answer.tag === 'failed') return failed(rejected(answer.error));
  const text = answer.value.text.trim();
  return text === '' ? failed(rejected('The model gave no answer in words. Ask it as a prompt instead.')) : ok(text);
}

const aboutAside =
  'The user asks this beside the conversation, while its work goes on. Answer now, in words, from what you know. ' +
  'Call no tools: nothing runs for this answer. Neither the question nor the answer becomes part of the conversation.';

/** Returns results for the calls that still run, because providers refuse calls without results. */
const openResults = (messages: readonly Message[]): readonly UserBlock[] => {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  return toolCalls(last).map(({id}) => ({
    kind: 'tool-result',
    id,
    content: [{kind: 'text', text: 'This call has not ended yet.'}],
    outcome: 'success',
  }));
};
