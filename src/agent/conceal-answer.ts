import {amendmentWith} from '../actions/edit-texts.ts';
import {isJsonObject, type Json, type JsonObject} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import type {ApprovalAnswer, QuestionResponse} from './engine.ts';
import type {SecretsPort} from './ports.ts';

/** What a person types may hold a secret: the model is told it, and the journal keeps it. */
export function concealApproval(answer: ApprovalAnswer, {conceal}: SecretsPort): ApprovalAnswer {
  switch (answer.decision) {
    case 'allow':
    case 'allow-rule':
      return answer;
    case 'allow-updated':
      return answer.input === 'unchanged' ? answer : {...answer, input: concealObject(answer.input, conceal)};
    case 'allow-edited':
      return {...answer, command: conceal(answer.command)};
    case 'allow-amended':
      return {...answer, amendment: amendmentWith(answer.amendment, conceal)};
    case 'refuse':
      return {...answer, message: conceal(answer.message)};
    default:
      return unreachable(answer);
  }
}

export function concealReply(reply: QuestionResponse, {conceal}: SecretsPort): QuestionResponse {
  switch (reply.kind) {
    case 'answered':
      return {...reply, answers: reply.answers.map(answer => ({...answer, other: conceal(answer.other)}))};
    case 'dismissed':
      return reply;
    default:
      return unreachable(reply);
  }
}

function concealObject(object: JsonObject, conceal: SecretsPort['conceal']): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, concealJson(value, conceal)]));
}

function concealJson(value: Json, conceal: SecretsPort['conceal']): Json {
  if (typeof value === 'string') return conceal(value);
  if (isJsonObject(value)) return concealObject(value, conceal);
  return Array.isArray(value) ? value.map((entry: Json) => concealJson(entry, conceal)) : value;
}
