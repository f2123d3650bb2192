import type {OutputConfig, ThinkingConfigParam} from '@anthropic-ai/sdk/resources/messages/messages';
import {unreachable} from '../base/unreachable.ts';
import type {Message} from '../domain/conversation.ts';
import type {Effort, ModelRequest} from '../domain/model-stream.ts';
import {type ModelInfo, nearestEffort} from './model-facts.ts';

type Control = ModelInfo['thinking'];

/** Returns the effort in Anthropic's form. If thinking is disabled, the effort is at most `high`. */
export function effortParams(
  {efforts: taken}: Pick<ModelInfo, 'efforts'>,
  {effort, thinks}: {readonly effort: Effort | 'default'; readonly thinks: boolean},
): {readonly output_config?: OutputConfig} {
  const level = claudeEffort(
    thinks || (effort !== 'xhigh' && effort !== 'max') ? effort : nearestEffort(taken, 'high'),
  );
  return level === undefined ? {} : {output_config: {effort: level}};
}

/** Anthropic's API knows no level below `low`. */
const claudeEffort = (effort: Effort | 'default' = 'default'): OutputConfig['effort'] | undefined =>
  effort === 'default' ? undefined : effort === 'none' || effort === 'minimal' ? 'low' : effort;

interface ThinkingOptions {
  readonly maxOutputTokens: number;
  readonly control: Control;
}

interface ThinkingParams {
  readonly max_tokens: number;
  readonly thinking?: ThinkingConfigParam;
}

/** The lowest number of thinking tokens that the API accepts. */
const minBudget = 1024;

/** The tokens that a budget of the user leaves for the answer. */
const answerRoom = 4096;

/** The largest budget that weft chooses itself, and the tokens that it leaves for the answer. */
const usualBudget = {most: 31_999, answerRoom: 8000};

/**
 * Returns how a Claude model thinks, and the output limit for thinking and answer together. By default, a model that
 * can choose its amount of thinking does so. Other models think within a budget. Models of Claude 4.7 and later refuse
 * a number of tokens. Models of 5.5 refuse to disable thinking, or have another parameter for it
 * (platform.claude.com/docs, "Migrating to Claude Sonnet 5.5"). A request for adaptive thinking also asks for a
 * summary. Otherwise Claude 5 shows no thinking, and Claude 5.5 also writes no text between tool calls ("What's new in
 * Claude Sonnet 5.5", "Text between tool calls").
 */
export function thinkingParams(
  {thinking, messages}: Pick<ModelRequest, 'thinking' | 'messages'>,
  {maxOutputTokens, control}: ThinkingOptions,
): ThinkingParams {
  const adaptive = {max_tokens: maxOutputTokens, thinking: {type: 'adaptive', display: 'summarized'}} as const;
  const without = {max_tokens: maxOutputTokens, ...minThinking(control)};
  const budgeted = (tokens: number): ThinkingParams =>
    thinkingParams({thinking: {kind: 'budget', tokens}, messages}, {maxOutputTokens, control});
  switch (thinking.kind) {
    case 'default':
    case 'brief': {
      if (isAdaptive(control)) return adaptive;
      const {most, answerRoom: room} = usualBudget;
      const budget = thinking.kind === 'brief' ? minBudget : Math.min(most, maxOutputTokens - room);
      return control === 'budget' && budget >= minBudget ? budgeted(budget) : {max_tokens: maxOutputTokens};
    }
    case 'disabled':
      return without;
    case 'adaptive':
      return adaptive;
    case 'budget': {
      if (thinking.tokens <= 0) return without;
      if (isAdaptive(control) && control !== 'adaptive-or-budget') return adaptive;
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

const isAdaptive = (control: Control): boolean =>
  control === 'adaptive-or-budget' || control === 'adaptive' || control === 'between-tools' || control === 'always';

/** Returns the parameters for the minimum thinking that the model supports. */
function minThinking(control: Control): {readonly thinking?: ThinkingConfigParam} {
  if (control === 'always') return {};
  return {thinking: {type: control === 'between-tools' ? 'between_tools' : 'disabled'}};
}

/** True if the messages end with results of calls that were made without thinking. The API then refuses thinking until the next prompt. */
function goesOnWithoutThinking(messages: readonly Message[]): boolean {
  const at = messages.findLastIndex(({role}) => role === 'assistant');
  const results = messages.slice(at + 1).some(({blocks}) => blocks.some(({kind}) => kind === 'tool-result'));
  if (at < 0 || !results) return false;
  const first = messages[at]?.blocks[0];
  const isThinking = first?.kind === 'sealed-thinking' || (first?.kind === 'thinking' && first.signature !== '');
  return !isThinking;
}
