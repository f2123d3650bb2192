import * as z from 'zod/mini';
import type {Elicitation, ElicitationReply} from '../../actions/mcp-port.ts';
import type {Question, QuestionAnswer} from '../../actions/ports.ts';
import type {QuestionResponse} from '../../agent/client.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import type {ActionId} from '../../domain/ids.ts';
import type {CanUseToolRequest} from '../../protocol/rpc/control-message.ts';
import type {ControlChannel} from './control-channel.ts';

/** The tool whose call a client is asked to complete, whichever action asks. */
export const questionTool = 'AskUserQuestion';

/** What a call of that tool would hold, where another action asks. */
export const questionsInput = (questions: readonly Question[]): Json => ({
  questions: questions.map(({question, header, options, choice}) => ({
    question,
    header,
    multiSelect: choice === 'many',
    options: options.map(({label, description}) => ({label, description})),
  })),
});

/** The agent's questions, as the client is asked them: as a call whose input it completes. */
export const askQuestions = (id: ActionId, input: Json): CanUseToolRequest => ({
  subtype: 'can_use_tool',
  tool_name: questionTool,
  display_name: questionTool,
  input,
  tool_use_id: id,
  requires_user_interaction: true,
});

/** The client puts its answers into `updatedInput.answers`, by question; without any answer the questions are dismissed. */
export function questionResponse(payload: JsonObject, questions: readonly Question[]): QuestionResponse {
  const {behavior, updatedInput} = payload;
  const given = isJsonObject(updatedInput) ? updatedInput['answers'] : undefined;
  if (behavior !== 'allow' || !isJsonObject(given)) return {kind: 'dismissed'};
  const answers = questions.map(question => answerFrom(question, given[question.question]));
  return answers.every(({selected, other}) => selected.length === 0 && other === '')
    ? {kind: 'dismissed'}
    : {kind: 'answered', answers};
}

/** Several choices come as a list, or as one text with commas between them; the user's own words come as they are. */
function answerFrom({options, choice}: Question, given: Json | undefined): QuestionAnswer {
  const labels = options.map(({label}) => label);
  if (Array.isArray(given)) return sorted(given.map(String), labels);
  if (typeof given !== 'string' || given.trim() === '') return {selected: [], other: ''};
  if (labels.includes(given) || choice === 'one') return sorted([given], labels);
  const parts = given.split(',').map(part => part.trim());
  return parts.some(part => labels.includes(part)) ? sorted(parts, labels) : {selected: [], other: given};
}

const sorted = (parts: readonly string[], labels: readonly string[]): QuestionAnswer => ({
  selected: parts.filter(part => labels.includes(part)),
  other: parts.filter(part => !labels.includes(part)).join(', '),
});

const reply = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.optional(z.nullable(z.custom<JsonObject>(isJsonObject))),
});

/** Passes an MCP server's elicitation on to the client, without empty fields; an answer that cannot be read declines it. */
export const elicitBy =
  (channel: ControlChannel) =>
  async (
    {server, message, mode, url, elicitationId, requestedSchema}: Elicitation,
    signal: AbortSignal,
  ): Promise<ElicitationReply> => {
    const answer = await channel.request(
      {
        subtype: 'elicitation',
        mcp_server_name: server,
        message,
        mode,
        ...(url === '' ? {} : {url}),
        ...(elicitationId === '' ? {} : {elicitation_id: elicitationId}),
        ...(requestedSchema === undefined ? {} : {requested_schema: requestedSchema}),
      },
      signal,
    );
    if (answer.tag === 'failed') {
      return {action: answer.error.kind === 'aborted' ? 'cancel' : 'decline', content: undefined};
    }
    const read = z.safeParse(reply, answer.value);
    return read.success
      ? {action: read.data.action, content: read.data.content ?? undefined}
      : {action: 'decline', content: undefined};
  };
