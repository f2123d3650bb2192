import type {
  CacheControlEphemeral,
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages/messages';
import {unreachable} from '../base/unreachable.ts';
import type {AssistantBlock, Message, ResultContent, UserBlock} from '../domain/conversation.ts';
import type {Effort, ModelRequest, ToolSpec} from '../domain/model-stream.ts';
import {effortParams} from './anthropic-effort.ts';
import {thinkingParams} from './anthropic-thinking.ts';
import {inputObject} from './input-object.ts';

/**
 * The request in the form of the Messages API. A longer conversation's request begins with the shorter one's, but for the cache
 * marks: on the system prompt, on the last tool, and on the last two messages of the user, four being the most that is allowed.
 */
export function anthropicRequest(
  request: ModelRequest,
  {maxOutputTokens, effort}: {readonly maxOutputTokens: number; readonly effort: Effort | 'default'},
): MessageCreateParamsStreaming {
  const messages = request.messages.map(messageParam).filter(message => message.content.length > 0);
  const lastOfUser = messages.flatMap((message, at) => (message.role === 'user' ? [at] : [])).slice(-2);
  return {
    model: request.model,
    ...thinkingParams(request, maxOutputTokens),
    ...effortParams(request.model, effort),
    stream: true,
    ...(request.system === '' ? {} : {system: [{type: 'text', text: request.system, ...marked}]}),
    ...(request.tools.length === 0 ? {} : {tools: request.tools.map(toolParam)}),
    messages: messages.map(({role, content}, at): MessageParam => {
      return {role, content: lastOfUser.includes(at) ? withMark(content) : content};
    }),
  };
}

const marked: {cache_control: CacheControlEphemeral} = {cache_control: {type: 'ephemeral'}};

function toolParam(tool: ToolSpec, at: number, tools: readonly ToolSpec[]): Tool {
  const param: Tool = {
    name: tool.name,
    description: tool.description,
    input_schema: {...tool.inputSchema, type: 'object'},
  };
  return at === tools.length - 1 ? {...param, ...marked} : param;
}

function withMark(content: readonly ContentBlockParam[]): ContentBlockParam[] {
  return content.map((block, at) => {
    const last = at === content.length - 1;
    return last && block.type !== 'thinking' && block.type !== 'redacted_thinking' ? {...block, ...marked} : block;
  });
}

function messageParam(message: Message): {role: 'user' | 'assistant'; content: ContentBlockParam[]} {
  return message.role === 'user'
    ? {role: 'user', content: message.blocks.flatMap(userBlock)}
    : {role: 'assistant', content: withoutUnanswered(message.blocks).flatMap(assistantBlock)};
}

function userBlock(block: UserBlock): readonly ContentBlockParam[] {
  switch (block.kind) {
    case 'text':
    case 'image':
      return contentBlock(block);
    case 'tool-result': {
      const content = block.content.flatMap(contentBlock);
      return [
        {
          type: 'tool_result',
          tool_use_id: toolUseId(block.id),
          ...(content.length === 0 ? {} : {content}),
          // The API knows no third state: what was cancelled was not done.
          ...(block.outcome === 'success' ? {} : {is_error: true}),
        },
      ];
    }
    default:
      return unreachable(block);
  }
}

function contentBlock(block: ResultContent): readonly (TextBlockParam | ImageBlockParam | DocumentBlockParam)[] {
  switch (block.kind) {
    case 'text':
      // The API refuses texts of nothing but white space.
      return block.text.trim() === '' ? [] : [{type: 'text', text: block.text}];
    case 'image':
      return [{type: 'image', source: {type: 'base64', media_type: block.mediaType, data: block.data}}];
    case 'document': {
      const source = {type: 'base64', media_type: block.mediaType, data: block.data} as const;
      return [{type: 'document', title: block.name.slice(0, longestTitle), source}];
    }
    default:
      return unreachable(block);
  }
}

/** Characters of a document's title that the API takes. */
const longestTitle = 500;

function assistantBlock(block: AssistantBlock): readonly ContentBlockParam[] {
  switch (block.kind) {
    case 'text':
      return block.text.trim() === '' ? [] : [{type: 'text', text: block.text}];
    case 'thinking':
      // Without the provider's seal it is not taken back: it was cut off, or another provider's.
      return block.signature === '' ? [] : [{type: 'thinking', thinking: block.text, signature: block.signature}];
    case 'sealed-thinking':
      return [{type: 'redacted_thinking', data: block.data}];
    case 'tool-call':
      return [{type: 'tool_use', id: toolUseId(block.id), name: block.name, input: inputObject(block.input)}];
    case 'other':
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it came from this API, which takes its own blocks back
      return [{...block.data, type: block.type} as unknown as ContentBlockParam];
    default:
      return unreachable(block);
  }
}

/** A call of the provider's own tools that was cut off before its result came would have the whole conversation refused. */
function withoutUnanswered(blocks: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const others = blocks.filter(block => block.kind === 'other');
  const answered = new Set(others.map(({data}) => data['tool_use_id']));
  const unanswered = others.filter(({type, data}) => type.endsWith('_tool_use') && !answered.has(data['id']));
  return unanswered.length === 0 ? blocks : blocks.filter(block => !unanswered.some(other => other === block));
}

/** Other providers' ids, in a session that changed between them, may hold characters this one refuses. */
const toolUseId = (id: string): string => id.replaceAll(/[^\w-]/gu, '_');
