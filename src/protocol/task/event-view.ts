import type {JsonObject} from '../../base/json.ts';
import {actionNames, actionOf} from './action-view.ts';
import {chosen, childOf, childrenOf, numberOf, oneOf, textOf} from './record-fields.ts';
import {unknownFields} from './schema-json.ts';
import type {ClientAction, FinishReason, ResponseEvent, TokenUsage, UnknownFields} from './response-event.ts';

/** The typed form of a ResponseEvent, from a decoded message or from JSON. Throws a `FieldTrouble` where a field is not its kind. */
export function eventOf(record: JsonObject, unknown: UnknownFields): ResponseEvent {
  const name = chosen(record, eventNames);
  const body = name === undefined ? undefined : childOf(record, name);
  if (body === undefined) return {kind: 'other', unknown};
  switch (name) {
    case 'init':
      return {
        kind: 'init',
        conversationId: textOf(body, 'conversation_id'),
        requestId: textOf(body, 'request_id'),
        runId: textOf(body, 'run_id'),
        unknown,
      };
    case 'client_actions':
      return {kind: 'client-actions', actions: actionsOf(body, unknown.source), unknown};
    default:
      return {
        kind: 'finished',
        reason: reasonOf(body),
        usage: childrenOf(body, 'token_usage').map(usageOf),
        contextUsage: numberOf(conversationUsage(body) ?? {}, 'context_window_usage'),
        unknown,
      };
  }
}

/** In JSON one object may hold several actions, one after the other; in bytes the last one counts, as of every oneof. */
const actionsOf = (body: JsonObject, source: UnknownFields['source']): readonly ClientAction[] =>
  childrenOf(body, 'actions').flatMap(action => {
    const keys = source === 'json' ? Object.keys(action).filter(key => actionNames.has(key)) : [];
    return keys.length < 2 ? actionOf(action) : keys.map(key => actionOf({[key]: action[key] ?? null}));
  });

export const eventNames = oneOf(['init', 'client_actions', 'finished']);

/** Older writers of JSON have another name for the field. */
const conversationUsage = (body: JsonObject): JsonObject | undefined =>
  childOf(body, 'conversation_usage_metadata') ?? childOf(body, 'context_window_info');

/** A stream that says no reason is done. */
function reasonOf(body: JsonObject): FinishReason {
  const name = chosen(body, reasonNames);
  switch (name) {
    case 'internal_error':
      return {kind: 'internal-error', message: textOf(childOf(body, name) ?? {}, 'message')};
    case 'invalid_api_key': {
      const key = childOf(body, name) ?? {};
      return {kind: 'invalid-api-key', provider: providerIn(key), model: textOf(key, 'model_name')};
    }
    case 'max_token_limit':
      return {kind: 'max-token-limit'};
    case 'quota_limit':
      return {kind: 'quota-limit'};
    case 'context_window_exceeded':
      return {kind: 'context-window-exceeded'};
    case 'llm_unavailable':
      return {kind: 'llm-unavailable'};
    case 'other':
      return {kind: 'other'};
    default:
      return {kind: 'done'};
  }
}

const reasonNames = oneOf([
  'other',
  'done',
  'max_token_limit',
  'quota_limit',
  'context_window_exceeded',
  'llm_unavailable',
  'internal_error',
  'invalid_api_key',
]);

/** Writers differ in whether the provider is a number or text; as text it is a field that the schema does not know. */
function providerIn(key: JsonObject): string {
  const kept = unknownFields(key)['1'];
  return providerOf(typeof kept === 'string' ? kept : textOf(key, 'provider'));
}

/** `anthropic` of 1 and of `LLM_PROVIDER_ANTHROPIC`; a provider that is not known as it stands. */
const providerOf = (provider: string): string =>
  providers[Number(provider)] ?? provider.replace(/^LLM_PROVIDER_/u, '').toLowerCase();

const providers: readonly string[] = ['', 'anthropic', 'openai', 'google'];

const usageOf = (usage: JsonObject): TokenUsage => ({
  model: textOf(usage, 'model_id'),
  input: numberOf(usage, 'total_input'),
  output: numberOf(usage, 'output'),
  cacheRead: numberOf(usage, 'input_cache_read'),
  cacheWrite: numberOf(usage, 'input_cache_write'),
  costInCents: numberOf(usage, 'cost_in_cents'),
});
