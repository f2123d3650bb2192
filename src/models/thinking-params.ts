import type {OutputConfig, ThinkingConfigParam} from '@anthropic-ai/sdk/resources/messages/messages';
import {unreachable} from '../base/unreachable.ts';
import type {Message} from '../domain/conversation.ts';
import {type Effort, efforts, type ModelRequest} from '../domain/model-stream.ts';
import type {ModelInfo} from './model-facts.ts';

type Control = ModelInfo['thinking'];

/** Returns the supported effort nearest to the wanted one, and not above it if possible. */
export function nearestEffort(taken: readonly Effort[], wanted: Effort): Effort | undefined {
  return taken.findLast(effort => efforts.indexOf(effort) <= efforts.indexOf(wanted)) ?? taken[0];
}

/**
 * Returns the effort, for models that are known to accept the parameter. Others refuse it. If thinking is disabled, the effort
 * is at most `high`.
 */
export function effortParams(
  {efforts: taken}: Pick<ModelInfo, 'efforts'>,
  {effort, thinks}: {readonly effort: Effort | 'default'; readonly thinks: boolean},
): {readonly output_config?: OutputConfig} {
  if (effort === 'default') return {};
  const nearest = nearestEffort(taken, !thinks && (effort === 'xhigh' || effort === 'max') ? 'high' : effort);
  return nearest === undefined ? {} : {output_config: {effort: nearest}};
}

interface ThinkingOptions {
  readonly maxOutputTokens: number;
  readonly control: Control;
  /**
   * `asked-for`: the request asks for a summary of the thinking. Otherwise Claude 5 shows none of it, and Claude 5.5
   * also writes no text between tool calls (platform.claude.com/docs, "What's new in Claude Sonnet 5.5", "Text between
   * tool calls").
   */
  readonly display: 'asked-for' | 'as-usual';
}

interface ThinkingParams {
  readonly max_tokens: number;
  readonly thinking?: ThinkingConfigParam;
}

/** The lowest number of thinking tokens that the API accepts. */
const minBudget = 1024;

/** The tokens that the longest thinking leaves for the answer. */
const answerRoom = 4096;

/**
 * Returns the thinking budget and the output limit for thinking and answer together, which the API requires to be larger.
 * Models of Claude 4.7 and later refuse a number of tokens. Models of 5.5 refuse to disable thinking, or have another parameter
 * for it (platform.claude.com/docs, "Migrating to Claude Sonnet 5.5").
 */
export function thinkingParams(
  {thinking, messages}: Pick<ModelRequest, 'thinking' | 'messages'>,
  {maxOutputTokens, control, display}: ThinkingOptions,
): ThinkingParams {
  const tells = display === 'asked-for' && takesNoBudget(control);
  const adaptive = {
    max_tokens: maxOutputTokens,
    thinking: {type: 'adaptive', ...(tells ? {display: 'summarized' as const} : {})},
  } as const;
  const without = {max_tokens: maxOutputTokens, ...minThinking(control)};
  switch (thinking.kind) {
    case 'default':
      return tells && control !== 'on-request' ? adaptive : {max_tokens: maxOutputTokens};
    case 'disabled':
      return without;
    case 'brief':
      return control === 'budget'
        ? thinkingParams({thinking: {kind: 'budget', tokens: minBudget}, messages}, {maxOutputTokens, control, display})
        : thinkingParams({thinking: {kind: 'default'}, messages}, {maxOutputTokens, control, display});
    case 'adaptive':
      return adaptive;
    case 'budget': {
      if (thinking.tokens <= 0) return without;
      if (takesNoBudget(control)) return adaptive;
      if (goesOnWithoutThinking(messages)) return {max_tokens: maxOutputTokens};
      const budget = Math.max(minBudget, Math.floor(thinking.tokens));
      return {
        max_tokens: Math.max(maxOutputTokens, budget + answerRoom),
        thinking: {type: 'enabled', budget_tokens: budget},
      };
    }
    default:
      return unreachable(thinking);
  }
}

const takesNoBudget = (control: Control): boolean =>
  control === 'on-request' || control === 'adaptive' || control === 'between-tools' || control === 'always';

/** Returns the parameters for the least thinking that the model supports. */
function minThinking(control: Control): {readonly thinking?: ThinkingConfigParam} {
  if (control === 'always') return {};
  return {thinking: {type: control === 'between-tools' ? 'between_tools' : 'disabled'}};
}

/**
 * True if the messages end with results of calls that were made without thinking. The API then refuses thinking until
 * the next prompt.
 */
function goesOnWithoutThinking(messages: readonly Message[]): boolean {
  const at = messages.findLastIndex(({role}) => role === 'assistant');
  const results = messages.slice(at + 1).some(({blocks}) => blocks.some(({kind}) => kind === 'tool-result'));
  if (at < 0 || !results) return false;
  const first = messages[at]?.blocks[0];
  const isThinking = first?.kind === 'sealed-thinking' || (first?.kind === 'thinking' && first.signature !== '');
  return !isThinking;
}
