import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions/completions';
import {
  messageText,
  toolCalls,
  type AssistantMessage,
  type ImageBlock,
  type Message,
  type TextBlock,
  type ToolResultBlock,
  type UserMessage,
} from '../domain/conversation.ts';
import type {ModelRequest, ToolSpec} from '../domain/model-stream.ts';
import {inputObject} from './input-object.ts';

/** The request in the form of chat completions. A longer conversation's request begins with the shorter one's. */
export function openAiRequest(
  request: ModelRequest,
  maxOutputTokens: number | 'default',
): ChatCompletionCreateParamsStreaming {
  const system: readonly ChatCompletionMessageParam[] =
    request.system === '' ? [] : [{role: 'system', content: request.system}];
  return {
    model: request.model,
    messages: [...system, ...request.messages.flatMap(messageParams)],
    ...(request.tools.length === 0 ? {} : {tools: request.tools.map(toolParam)}),
    ...(maxOutputTokens === 'default' ? {} : {max_completion_tokens: maxOutputTokens}),
    stream: true,
    stream_options: {include_usage: true},
  };
}

const toolParam = ({name, description, inputSchema}: ToolSpec): ChatCompletionFunctionTool => ({
  type: 'function',
  function: {name, description, parameters: {...inputSchema}},
});

const messageParams = (message: Message): readonly ChatCompletionMessageParam[] =>
  message.role === 'user' ? userParams(message) : assistantParams(message);

/** Thinking does not go back: most servers of this protocol refuse or ignore it. */
function assistantParams(message: AssistantMessage): readonly ChatCompletionAssistantMessageParam[] {
  const text = messageText(message);
  const calls = toolCalls(message).map(call => ({
    id: call.id,
    type: 'function' as const,
    function: {name: call.name, arguments: JSON.stringify(inputObject(call.input))},
  }));
  if (calls.length > 0) return [{role: 'assistant', content: text === '' ? null : text, tool_calls: calls}];
  return text === '' ? [] : [{role: 'assistant', content: text}];
}

/** Results come first, as the protocol demands; their images, which it does not let them hold, follow with the user's words. */
function userParams(message: UserMessage): readonly ChatCompletionMessageParam[] {
  const results = message.blocks.filter(block => block.kind === 'tool-result');
  const own = message.blocks.filter(block => block.kind !== 'tool-result');
  const blocks = [...results.flatMap(resultImages), ...own];
  return [...results.map(resultParam), ...(blocks.length === 0 ? [] : [userParam(blocks)])];
}

function userParam(blocks: readonly (TextBlock | ImageBlock)[]): ChatCompletionMessageParam {
  const texts = blocks.filter(block => block.kind === 'text');
  if (texts.length === blocks.length) return {role: 'user', content: texts.map(block => block.text).join('\n\n')};
  return {role: 'user', content: blocks.map(part)};
}

function part(block: TextBlock | ImageBlock): ChatCompletionContentPart {
  return block.kind === 'text'
    ? {type: 'text', text: block.text}
    : {type: 'image_url', image_url: {url: `data:${block.mediaType};base64,${block.data}`}};
}

function resultParam(result: ToolResultBlock): ChatCompletionMessageParam {
  const text = result.content.flatMap(block => (block.kind === 'text' ? [block.text] : [])).join('\n\n');
  const hasImages = result.content.some(block => block.kind === 'image');
  const content = text === '' && hasImages ? 'The image follows.' : text;
  return {role: 'tool', tool_call_id: result.id, content};
}

function resultImages(result: ToolResultBlock): readonly (TextBlock | ImageBlock)[] {
  const images = result.content.filter(block => block.kind === 'image');
  return images.length === 0 ? [] : [{kind: 'text', text: `From the result of ${result.id}:`}, ...images];
}
