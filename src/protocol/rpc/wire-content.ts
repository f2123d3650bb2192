import {unreachable} from '../../base/unreachable.ts';
import {
  type AssistantBlock,
  type CallOutcome,
  outcomeFields,
  type ResultContent,
  type StopReason,
  type ToolResultBlock,
} from '../../domain/conversation.ts';
import type {BlockDelta, BlockStart, Repaired} from '../../domain/model-stream.ts';
import {type FallbackTrigger, fallbackText, type ModelFallback} from '../../domain/model-fallback.ts';
import type {Usage} from '../../domain/usage.ts';
import type {
  ApiErrorKind,
  RpcModelFallback,
  WireBlock,
  WireDelta,
  WireDocument,
  WireImage,
  WireMessage,
  WireStopReason,
  WireText,
  WireToolResult,
  WireUsage,
} from './rpc-message.ts';

/** Builds a message from the model before it has ended. Its stop reason is not known yet. */
export const wireMessage = (
  {id, model, usage}: {readonly id: string; readonly model: string; readonly usage: Usage},
  content: readonly WireBlock[],
): WireMessage => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  content,
  stop_reason: null,
  stop_sequence: null,
  usage: wireUsage(usage),
});

/** Converts a finished block to the wire format. */
export function wireBlock(block: AssistantBlock): WireBlock {
  switch (block.kind) {
    case 'text':
      return {type: 'text', text: block.text};
    case 'thinking':
      return {type: 'thinking', thinking: block.text, signature: block.signature};
    case 'sealed-thinking':
      return {type: 'redacted_thinking', data: block.data};
    case 'tool-call':
      return {type: 'tool_use', id: block.id, name: block.name, input: block.input};
    case 'other':
      return {...block.data, type: block.type};
    default:
      return unreachable(block);
  }
}

/** Returns the empty start of a block, which deltas then fill. */
export function wireBlockStart(block: BlockStart): WireBlock {
  switch (block.kind) {
    case 'text':
      return wireBlock({...block, text: ''});
    case 'thinking':
      return wireBlock({...block, text: '', signature: ''});
    case 'tool-call':
      return wireBlock({...block, input: {}});
    case 'sealed-thinking':
    case 'other':
      return wireBlock(block);
    default:
      return unreachable(block);
  }
}

export function wireDelta(delta: BlockDelta): WireDelta {
  switch (delta.kind) {
    case 'text':
      return {type: 'text_delta', text: delta.text};
    case 'thinking':
      return {type: 'thinking_delta', thinking: delta.text};
    case 'signature':
      return {type: 'signature_delta', signature: delta.signature};
    case 'tool-input':
      return {type: 'input_json_delta', partial_json: delta.json};
    case 'other':
      return {...delta.data, type: delta.type};
    default:
      return unreachable(delta);
  }
}

/** Converts a tool result. In the Agent SDK, a cancelled call is an error; weft's own fields add the details. */
export function wireToolResult(block: ToolResultBlock): WireToolResult {
  const {id, content} = block;
  const [first] = content;
  const wireContent =
    first === undefined ? '' : content.length === 1 && first.kind === 'text' ? first.text : content.map(wirePart);
  return {type: 'tool_result', tool_use_id: id, content: wireContent, ...wireOutcome(block)};
}

/** Returns how a call ended, as fields of its result. */
export function wireOutcome(end: CallOutcome): Pick<WireToolResult, 'is_error' | 'outcome' | 'reason'> {
  const {outcome} = end;
  return {is_error: outcome !== 'success', ...outcomeFields(end)};
}

/** Converts a text, an image or a document. */
export function wirePart(part: ResultContent): WireText | WireImage | WireDocument {
  switch (part.kind) {
    case 'text':
      return {type: 'text', text: part.text};
    case 'image':
      return {type: 'image', source: {type: 'base64', media_type: part.mediaType, data: part.data}};
    case 'document':
      return {
        type: 'document',
        title: part.name,
        source: {type: 'base64', media_type: part.mediaType, data: part.data},
      };
    default:
      return unreachable(part);
  }
}

const stops = {
  'end-turn': 'end_turn',
  'tool-use': 'tool_use',
  'max-tokens': 'max_tokens',
  refusal: 'refusal',
  'context-full': 'model_context_window_exceeded',
  paused: 'pause_turn',
  interrupted: null,
} as const satisfies Record<StopReason, WireStopReason | null>;

export const wireStop = (stop: StopReason): WireStopReason | null => stops[stop];

export const wireUsage = (usage: Usage): WireUsage => ({
  input_tokens: usage.inputTokens,
  cache_creation_input_tokens: usage.cacheWriteTokens,
  cache_read_input_tokens: usage.cacheReadTokens,
  output_tokens: usage.outputTokens,
});

const fallbackTriggers = {
  overloaded: 'overloaded',
  'server-error': 'server_error',
  'model-not-found': 'model_not_found',
  'not-allowed': 'permission_denied',
} as const satisfies Record<FallbackTrigger, RpcModelFallback['trigger']>;

/** Returns the fields of a model fallback message, without those that identify the session. */
export const wireFallback = (event: ModelFallback) =>
  ({
    type: 'system',
    subtype: 'model_fallback',
    trigger: fallbackTriggers[event.trigger],
    original_model: event.model,
    fallback_model: event.fallback,
    content: fallbackText(event),
  }) as const;

/** Returns the fields of a message about a repaired request, without those that identify the session. */
export const wireRepair = ({repair, text}: Repaired) =>
  ({type: 'system', subtype: 'repair', reason: repair, action: text}) as const;

/** Returns the Agent SDK's error kind for an HTTP status. Status 0 means that no answer came. */
export function apiErrorKind(status: number): ApiErrorKind {
  if (status === 401 || status === 403) return 'authentication_failed';
  if (status === 402) return 'billing_error';
  if (status === 404) return 'model_not_found';
  if (status === 429) return 'rate_limit';
  if (status === 529) return 'overloaded';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'invalid_request' : 'unknown';
}
