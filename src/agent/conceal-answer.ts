import {unreachable} from '../base/unreachable.ts';
import type {ApprovalAnswer, QuestionResponse} from './engine.ts';
import type {SecretsPort} from './ports.ts';

/** What a person types may hold a secret: the model is told it, and the journal keeps it. */
export function concealApproval(answer: ApprovalAnswer, {conceal}: SecretsPort): ApprovalAnswer {
  switch (answer.decision) {
    case 'allow':
    case 'allow-rule':
      return answer;
    case 'allow-edited':
      return {...answer, command: conceal(answer.command)};
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
