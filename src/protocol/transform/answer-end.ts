import {unreachable} from '../../base/unreachable.ts';
import type {FinishReason, TokenUsage} from '../task/response-event.ts';
import type {AnswerEnd, AnswerFailure, AnswerUsage} from './answer-piece.ts';

/** The piece with which an answer ends. */
export function endOf(reason: FinishReason, usage: readonly TokenUsage[]): AnswerEnd {
  const failure = failureOf(reason);
  if (failure !== undefined) return {kind: 'failed', failure};
  return {kind: 'finished', stop: reason.kind === 'max-token-limit' ? 'length' : 'end', usage: usageOf(usage)};
}

function usageOf(usage: readonly TokenUsage[]): AnswerUsage | undefined {
  if (usage.length === 0) return undefined;
  const sum = (count: (tokens: TokenUsage) => number) => usage.reduce((total, tokens) => total + count(tokens), 0);
  return {
    input: sum(tokens => tokens.input),
    output: sum(tokens => tokens.output),
    cacheRead: sum(tokens => tokens.cacheRead),
    cacheWrite: sum(tokens => tokens.cacheWrite),
  };
}

function failureOf(reason: FinishReason): AnswerFailure | undefined {
  switch (reason.kind) {
    case 'done':
    case 'other':
    case 'max-token-limit':
      return undefined;
    case 'quota-limit':
      return {reason: reason.kind, message: 'The quota of this account is used up.'};
    case 'context-window-exceeded':
      return {reason: reason.kind, message: 'The conversation is longer than the context window of the model.'};
    case 'llm-unavailable':
      return {reason: reason.kind, message: 'The model is unavailable at the moment; try again later.'};
    case 'internal-error':
      return {
        reason: reason.kind,
        message: reason.message === '' ? 'The server had an internal error.' : reason.message,
      };
    case 'invalid-api-key':
      return {reason: reason.kind, message: invalidKeyText(reason)};
    default:
      return unreachable(reason);
  }
}

function invalidKeyText({provider, model}: {provider: string; model: string}): string {
  const whose = provider === '' ? 'The API key' : `The API key for ${provider}`;
  return `${whose} is not valid${model === '' ? '' : ` (model ${model})`}.`;
}
