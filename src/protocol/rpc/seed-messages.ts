import {type Json, type JsonObject, jsonText} from '../../base/json.ts';
import {type ModelFamily, modelFamily} from '../../domain/model-family.ts';
import type {ControlMessage} from './control-message.ts';
import {jsonLine, type RpcMessage, type RpcResult, type WireBlock} from './rpc-message.ts';

/**
 * Returns a function that writes one session's messages in an older form, which the Agent SDK's types do not allow. `provider` is the
 * maker of the model, blocks of calls and unknown blocks have other fields, and an `error` message comes before the result of a failure.
 */
export function seedLines(): (message: RpcMessage | ControlMessage) => string {
  let main = '';
  return message => {
    if (!('provider' in message)) return jsonLine(message);
    const model = modelOf(message);
    if (model !== '' && !('parent_tool_use_id' in message && message.parent_tool_use_id !== null)) main = model;
    const provider = makerOf(model || main, message.provider);
    const error = message.type === 'result' ? errorText(message) : '';
    const {session_id} = message;
    return [
      ...(error === '' ? [] : [{type: 'error', message: error, session_id, provider}]),
      {...message, ...changedFields(message), provider},
    ]
      .map(each => `${jsonText(each)}\n`)
      .join('');
  };
}

/** Returns the model that a message names. Empty if it names none. */
function modelOf(message: RpcMessage): string {
  if (message.type === 'system' && message.subtype === 'init') return message.model;
  if (message.type === 'stream_event') return message.event.type === 'message_start' ? message.event.message.model : '';
  return message.type === 'assistant' && message.error === undefined ? message.message.model : '';
}

const makers = {'claude-5': 'claude', 'claude-4': 'claude', gpt: 'openai', gemini: 'google'} as const satisfies Record<
  Exclude<ModelFamily, 'open'>,
  string
>;

/** Returns the maker of a model. For an open model, its provider. */
function makerOf(model: string, provider: string): string {
  const family = modelFamily(model, provider);
  return family === 'open' ? provider : makers[family];
}

/** Returns why a prompt failed. Empty if it did not fail. A cancelled prompt did not. */
function errorText(result: RpcResult): string {
  if (!result.is_error || result.outcome === 'cancelled') return '';
  return result.subtype === 'success' ? result.result : result.errors.join('; ');
}

function changedFields(message: RpcMessage): JsonObject | object {
  if (message.type === 'assistant')
    return {message: {...message.message, content: message.message.content.map(block => seedBlock(block, 'whole'))}};
  if (message.type !== 'stream_event' || message.event.type !== 'content_block_start') return {};
  return {event: {...message.event, content_block: seedBlock(message.event.content_block, 'begun')}};
}

const knownBlocks: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

function seedBlock(block: WireBlock, extent: 'begun' | 'whole'): object {
  if (!knownBlocks.has(block.type)) return {type: 'unknown', originalType: block.type, data: block};
  return isCall(block)
    ? {
        type: 'tool_use',
        id: block.id,
        toolName: block.name,
        toolType: toolType(block.name),
        input: extent === 'begun' ? null : block.input,
        status: 'in_progress',
      }
    : block;
}

const isCall = (block: WireBlock): block is {type: 'tool_use'; id: string; name: string; input: Json} =>
  block.type === 'tool_use';

/** Returns the type of a tool, such as `CLAUDE_WEB_FETCH` for `WebFetch`. */
const toolType = (name: string): string =>
  name.startsWith('mcp__') ? 'MCP' : `CLAUDE_${name.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, '_').toUpperCase()}`;
