import type {ThinkingConfigParam} from '@anthropic-ai/sdk/resources/messages/messages';
import {unreachable} from '../base/unreachable.ts';
import type {Message} from '../domain/conversation.ts';
import type {ModelRequest} from '../domain/model-stream.ts';

interface ThinkingParams {
  readonly max_tokens: number;
  readonly thinking?: ThinkingConfigParam;
}

/** Tokens the API demands at the least for thinking. */
const leastBudget = 1024;

/** Tokens left for the answer behind the longest thinking. */
const answerRoom = 4096;

/** How much may be thought, and the bound for thinking and answer together, which the API wants to lie above it. */
export function thinkingParams(
  {thinking, messages}: Pick<ModelRequest, 'thinking' | 'messages'>,
  maxOutputTokens: number,
): ThinkingParams {
  switch (thinking.kind) {
    case 'default':
      return {max_tokens: maxOutputTokens};
    case 'disabled':
      return {max_tokens: maxOutputTokens, thinking: {type: 'disabled'}};
    case 'adaptive':
      return {max_tokens: maxOutputTokens, thinking: {type: 'adaptive'}};
    case 'budget': {
      if (thinking.tokens <= 0) return {max_tokens: maxOutputTokens, thinking: {type: 'disabled'}};
      if (goesOnWithoutThinking(messages)) return {max_tokens: maxOutputTokens};
      const budget = Math.max(leastBudget, Math.floor(thinking.tokens));
      return {
        max_tokens: Math.max(maxOutputTokens, budget + answerRoom),
        thinking: {type: 'enabled', budget_tokens: budget},
      };
    }
    default:
      return unreachable(thinking);
  }
}

/** Results that answer calls made without thinking: the API then refuses to begin with it before the next prompt. */
function goesOnWithoutThinking(messages: readonly Message[]): boolean {
  const at = messages.findLastIndex(({role}) => role === 'assistant');
  const results = messages.slice(at + 1).some(({blocks}) => blocks.some(({kind}) => kind === 'tool-result'));
  if (at < 0 || !results) return false;
  const first = messages[at]?.blocks[0];
  const isThinking = first?.kind === 'sealed-thinking' || (first?.kind === 'thinking' && first.signature !== '');
  return !isThinking;
}
