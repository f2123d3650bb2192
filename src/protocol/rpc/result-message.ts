import {changeEntry} from '../../domain/change-set.ts';
import type {PromptEnd, PromptSummary, SessionUsage} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import {stopText, toSentence} from '../../domain/stop-text.ts';
import type {CheckStatus} from '../../domain/receipt.ts';
import type {Repaired} from '../../domain/model-stream.ts';
import {estimatedCosts, knownCost, type ModelUsage, unknownCosts} from '../../domain/usage.ts';
import type {
  MessageEnvelope,
  RpcFailure,
  RpcResult,
  RpcSuccess,
  WireCheck,
  WireModelUsage,
  WireTurnUsage,
} from './rpc-message.ts';
import {wireStop, wireUsage} from './wire-content.ts';

/** The parts of the result message that the summary does not contain. */
export interface ResultContext {
  readonly address: MessageEnvelope;
  /** The model of the last answer, whose context window is known. */
  readonly model: string;
  /** The phase in which an interrupt would have stopped the prompt. */
  readonly phase: 'streaming' | 'tools';
  /** The cause of the turn: a prompt, or the end of a sub-agent. */
  readonly of: 'prompt' | 'sub-agent';
  readonly repairs: readonly Repaired[];
}

/**
 * Builds the last message of a prompt. Errors have a `result` too: the model's last text, or the reason. Like the Agent SDK, an API
 * failure is a `success` with `is_error`.
 */
export function makeResultMessage(summary: PromptSummary, setting: ResultContext): RpcResult {
  const {end, answer} = summary;
  const figures = figuresOf(summary, setting);
  type Reason = Pick<RpcResult, 'terminal_reason'>;
  const succeeded = (text: Pick<RpcSuccess, 'result' | 'structured_output'>, reason: Reason): RpcSuccess => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    ...text,
    ...figures,
    ...reason,
  });
  const failed = (subtype: RpcFailure['subtype'], errors: readonly string[], reason: Reason = {}): RpcFailure => ({
    type: 'result',
    subtype,
    is_error: true,
    result: answer,
    errors,
    ...figures,
    ...reason,
  });
  switch (end.kind) {
    case 'done': {
      const isTurn = setting.of === 'prompt' && summary.command === undefined;
      const note = answer.trim() === '' && isTurn ? stopText(summary) : undefined;
      if (note !== undefined && summary.structured.kind === 'none')
        return {...failed('error_during_execution', [toSentence(note)]), outcome: 'error'};
      return succeeded(answerOf(summary), {terminal_reason: 'completed'});
    }
    case 'stopped-by-hook':
      return succeeded({result: end.reason === '' ? answer : end.reason}, {terminal_reason: 'hook_stopped'});
    case 'interrupted':
      return failed('error_during_execution', ['The request was interrupted.'], {
        terminal_reason: setting.phase === 'streaming' ? 'aborted_streaming' : 'aborted_tools',
      });
    case 'failed':
      if (end.fault.kind === 'needs-user') {
        const reason = faultText(end.fault);
        const isCut = summary.stop === 'max-tokens' && answer !== '';
        return {...failed('error_during_execution', [reason]), result: isCut ? answer : reason};
      }
      if (end.fault.kind !== 'provider') return failed('error_during_execution', [faultText(end.fault)]);
      return {
        ...succeeded({result: faultText(end.fault)}, {terminal_reason: 'api_error'}),
        is_error: true,
        api_error_status: end.fault.status === 0 ? null : end.fault.status,
      };
    case 'max-turns':
      return failed('error_max_turns', [`Reached maximum number of turns (${end.turns})`], {
        terminal_reason: 'max_turns',
      });
    case 'max-cost':
      return failed('error_max_budget_usd', [`Reached maximum budget ($${end.usd})`], {
        terminal_reason: 'budget_exhausted',
      });
    case 'invalid-output':
      return failed('error_max_structured_output_retries', end.errors);
    case 'not-sent':
      return failed('error_during_execution', [faultText(end.fault)]);
    default:
      return unreachable(end);
  }
}

/**
 * Returns the result of a one-shot run. The result is an error if and only if the exit code is not 0. `notes` explain
 * why if the prompt itself did not fail.
 */
export function toOneShotResult(
  result: RpcResult,
  {exitCode, notes}: {readonly exitCode: number; readonly notes: readonly string[]},
): RpcResult {
  const ended = {...result, exit_code: exitCode};
  if (exitCode === 0 || result.is_error) return ended;
  const outcome = result.outcome === 'success' ? 'error' : result.outcome;
  return {...ended, subtype: 'error_during_execution', is_error: true, outcome, errors: notes};
}

/** Returns an answer that had to match a schema as a value and as its text. */
const answerOf = ({answer, structured}: PromptSummary): Pick<RpcSuccess, 'result' | 'structured_output'> =>
  structured.kind === 'none'
    ? {result: answer}
    : {result: JSON.stringify(structured.value), structured_output: structured.value};

const figuresOf = (summary: PromptSummary, {address, model, of, repairs}: ResultContext) => ({
  outcome: outcomeOf(summary.end),
  duration_ms: summary.durationMs,
  duration_api_ms: summary.modelMs,
  num_turns: countTurns(summary),
  ...(summary.command === undefined ? {} : {local_command: summary.command}),
  stop_reason: wireStop(summary.stop),
  total_cost_usd: dollars(knownCost(Object.values(summary.sessionUsage.models)) ?? 0),
  usage: turnUsage(summary),
  modelUsage: modelUsage(summary.sessionUsage, model),
  ...(unknownCosts(summary.sessionUsage.models).length === 0
    ? {}
    : {unknown_costs: unknownCosts(summary.sessionUsage.models)}),
  ...(estimatedCosts(summary.sessionUsage.models).length === 0
    ? {}
    : {estimated_costs: estimatedCosts(summary.sessionUsage.models)}),
  ...(repairs.length === 0 ? {} : {repairs: repairs.map(({repair, text}) => ({reason: repair, action: text}))}),
  permission_denials: summary.denials.map(({call, of: what}) => ({
    tool_name: call.name,
    tool_use_id: call.id,
    tool_input: call.input,
    ...(what.kind === 'call' && what.reasons.length > 0 ? {reasons: what.reasons} : {}),
    ...(what.kind === 'changes' ? {changes: what.changes.map(changeEntry)} : {}),
    ...(what.kind === 'changes' && what.total > what.changes.length ? {changes_total: what.total} : {}),
  })),
  checks: summary.checks.map(wireCheck),
  ...(of === 'sub-agent' ? {origin: {kind: 'task-notification'} as const} : {}),
  ...address,
});

/** Returns a check as programs read it. `exit_code` is `null` if the command hid it or was stopped. */
export const wireCheck = ({receipt, isFresh}: CheckStatus): WireCheck => ({
  name: receipt.name,
  command: receipt.command,
  directory: receipt.directory,
  exit_code: receipt.end.kind === 'exited' ? receipt.end.code : null,
  fresh: isFresh,
  ...receipt.counts,
  at: new Date(receipt.at).toISOString(),
  tree: receipt.tree,
});

/** A prompt that a person or a hook stopped did not fail. */
function outcomeOf({kind}: PromptEnd): RpcResult['outcome'] {
  if (kind === 'done') return 'success';
  return kind === 'interrupted' || kind === 'stopped-by-hook' ? 'cancelled' : 'error';
}

/** Counts turns like the Agent SDK: the prompt, every tool result, and the note of an interrupt. Never fewer than requests. */
const countTurns = ({command, end, results, turns}: PromptSummary): number =>
  (command === undefined ? Math.max(turns, 1 + results) : 0) + (end.kind === 'interrupted' ? 1 : 0);

/** Returns the usage with every field of the Agent SDK's type. Providers don't report all of them to weft. */
const turnUsage = ({usage, webSearches}: PromptSummary): WireTurnUsage => ({
  ...wireUsage(usage),
  server_tool_use: {web_search_requests: webSearches, web_fetch_requests: 0},
  service_tier: 'standard',
  cache_creation: {ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: usage.cacheWriteTokens},
  output_tokens_details: {thinking_tokens: 0},
  inference_geo: '',
  iterations: [],
  speed: 'standard',
  fallback_credit: null,
});

/** Rounds off the digits that binary fractions add. */
const dollars = (usd: number): number => Number(usd.toFixed(10));

const modelUsage = ({models, contextWindow}: SessionUsage, current: string): Record<string, WireModelUsage> =>
  Object.fromEntries(
    Object.entries(models).map(([model, usage]) => [
      model,
      wireModelUsage(usage, model === current ? contextWindow : 0),
    ]),
  );

const wireModelUsage = ({usage, costUsd, webSearches}: ModelUsage, contextWindow: number): WireModelUsage => ({
  inputTokens: usage.inputTokens,
  outputTokens: usage.outputTokens,
  cacheReadInputTokens: usage.cacheReadTokens,
  cacheCreationInputTokens: usage.cacheWriteTokens,
  webSearchRequests: webSearches,
  costUSD: costUsd === 'unknown' ? 0 : dollars(costUsd),
  contextWindow,
  maxOutputTokens: 0,
});
