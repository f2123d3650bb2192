import type {
  CustomTool,
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseFunctionCallOutputItem,
  ResponseInputContent,
  ResponseInputItem,
  WebSearchTool,
} from 'openai/resources/responses/responses';
import {unreachable} from '../base/unreachable.ts';
import {
  type AssistantBlock,
  type AssistantMessage,
  isResponsesItem,
  type Message,
  type ResultContent,
  type ToolCallBlock,
  toolCalls,
  type ToolResultBlock,
  type UserMessage,
} from '../domain/conversation.ts';
import type {ModelRequest, ProviderTool, ToolSpec} from '../domain/model-stream.ts';
import {toInputObject} from './block-builder.ts';
import {type ModelInfo, nearestEffort} from './model-facts.ts';
import {dataUrl, effortOf, maxTokensOf} from './openai-request.ts';
import {keepForms} from './sendable-request.ts';

interface ResponsesOptions {
  readonly info: ModelInfo;
}

/**
 * Returns the request in the form of OpenAI's Responses API. Nothing is stored at OpenAI: weft sends the whole
 * conversation each time, with the model's encrypted reasoning, so that the model can continue its thinking. A longer
 * conversation's request begins with the shorter one's. (developers.openai.com/api/docs/guides/reasoning, "Encrypted
 * reasoning items".)
 */
export function responsesRequest(request: ModelRequest, {info}: ResponsesOptions): ResponseCreateParamsStreaming {
  const [first] = request.messages;
  const reasons = reasoningModel.test(request.model);
  const texts = new TextTools(request);
  // No model has an empty name, so `''` sends no reasoning back.
  const model = info.reasoning === 'strip' ? '' : request.model;
  const kept = keptFor(`${model} ${texts.names}`);
  const tools = request.tools.filter(tool => 'provided' in tool || tool.offered === 'from-the-start');
  const effort = effortOf(info, request.thinking) ?? nearestEffort(info.efforts, 'medium');
  const most = maxTokensOf(request, info.wantedOutput);
  return {
    model: request.model,
    ...(request.system === '' ? {} : {instructions: request.system}),
    input: request.messages.flatMap((message, at) =>
      kept(message, () =>
        message.role === 'user'
          ? userItems(message, {texts, answer: request.messages[at - 1]})
          : assistantItems(message, {model, texts}),
      ),
    ),
    ...(tools.length === 0 ? {} : {tools: tools.map(tool => toolParam(tool, texts))}),
    ...(most === 'default' ? {} : {max_output_tokens: most}),
    ...(reasons
      ? {
          reasoning: {
            ...(effort === undefined ? {} : {effort}),
            // Only verified organizations get summaries. `repairs.ts` drops the field for others. Grok has no summaries.
            ...(request.model.startsWith('grok-') ? {} : {summary: 'auto' as const}),
          },
          include: ['reasoning.encrypted_content' as const],
        }
      : {}),
    ...(briefModel.test(request.model) ? {text: {verbosity: 'low' as const}} : {}),
    // `prompt_cache_key` sends all requests of a conversation to the same cache.
    ...(first === undefined ? {} : {prompt_cache_key: first.id}),
    store: false,
    stream: true,
  };
}

const keptFor = keepForms<ResponseInputItem>();

/** Matches the names of models that reason. The others refuse the parameter. */
const reasoningModel = /^(?:gpt-[5-9]|o[1-9]|codex-|grok-)(?!.*-chat)/u;
/** Matches the names of models that can be asked for short answers. */
const briefModel = /^gpt-[5-9](?!.*-(?:chat|codex))/u;

/** Matches the names of models that take tools whose input is a text. */
const textToolModel = /^(?:gpt-(?:[5-9]|\d\d)|codex-)(?!.*-chat)/u;

/** The tools whose input is a text (type `custom`). */
class TextTools {
  readonly #names: ReadonlySet<string>;

  constructor({model, tools}: ModelRequest) {
    const named = tools.flatMap(tool => ('provided' in tool || tool.grammar === undefined ? [] : [tool.name]));
    this.#names = new Set(textToolModel.test(model) ? named : []);
  }

  get names(): string {
    return [...this.#names].join(' ');
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Returns the text of a call; `undefined` for a call of another tool. */
  textOf({name, input}: ToolCallBlock): string | undefined {
    if (!this.#names.has(name)) return undefined;
    const [text] = Object.values(toInputObject(input));
    return typeof text === 'string' ? text : JSON.stringify(input);
  }
}

/** weft's schemas have optional fields, which OpenAI's strict form does not allow. */
function toolParam(tool: ToolSpec | ProviderTool, texts: TextTools): FunctionTool | CustomTool | WebSearchTool {
  if ('provided' in tool) return {type: 'web_search'};
  const {name, description, inputSchema, grammar} = tool;
  if (grammar !== undefined && texts.has(name))
    return {type: 'custom', name, description, format: {type: 'grammar', syntax: 'lark', definition: grammar}};
  return {type: 'function', name, description, parameters: {...inputSchema}, strict: false};
}

interface ItemsFor {
  readonly model: string;
  readonly texts: TextTools;
}

/** `answer`: the message with the calls whose results these are. */
function userItems(
  message: UserMessage,
  {texts, answer}: {readonly texts: TextTools; readonly answer: Message | undefined},
): readonly ResponseInputItem[] {
  const calls = answer?.role === 'assistant' ? toolCalls(answer) : [];
  const textCalls = new Set(calls.filter(call => texts.textOf(call) !== undefined).map(({id}) => id));
  const results = message.blocks.flatMap(block => (block.kind === 'tool-result' ? [resultItem(block, textCalls)] : []));
  const content = message.blocks.flatMap(block => (block.kind === 'tool-result' ? [] : inputContent(block)));
  const [first] = content;
  if (first === undefined) return results;
  const isText = content.length === 1 && first.type === 'input_text';
  return [...results, {role: 'user', content: isText ? first.text : content}];
}

function resultItem({id, content}: ToolResultBlock, textCalls: ReadonlySet<string>): ResponseInputItem {
  const parts = content.flatMap(inputContent);
  const plain = parts.flatMap(part => (part.type === 'input_text' ? [part.text] : []));
  // Every model of this API accepts plain text. Only media need the list.
  const output = plain.length === parts.length ? plain.join('\n\n') : parts;
  return textCalls.has(id)
    ? {type: 'custom_tool_call_output', call_id: id, output}
    : {type: 'function_call_output', call_id: id, output};
}

function inputContent(block: ResultContent): (ResponseInputContent & ResponseFunctionCallOutputItem)[] {
  switch (block.kind) {
    case 'text':
      return [{type: 'input_text', text: block.text}];
    case 'image':
      return [{type: 'input_image', image_url: dataUrl(block), detail: 'auto'}];
    case 'document':
      return [{type: 'input_file', filename: block.name, file_data: dataUrl(block)}];
    default:
      return unreachable(block);
  }
}

/**
 * Reasoning goes back only to the model that wrote it, and only with the items that followed it. The API would refuse a
 * request with reasoning alone.
 */
function assistantItems(
  {blocks, model}: AssistantMessage,
  {model: asked, texts}: ItemsFor,
): readonly ResponseInputItem[] {
  const last = blocks.findLastIndex(block => assistantItem(block, texts).length > 0 && !isReasoning(block));
  const own = withoutDate(model) === withoutDate(asked);
  return blocks.slice(0, last + 1).flatMap(block => (isReasoning(block) && !own ? [] : assistantItem(block, texts)));
}

function assistantItem(block: AssistantBlock, texts: TextTools): readonly ResponseInputItem[] {
  switch (block.kind) {
    case 'text': {
      const text = 'cited' in block ? block.cited.text : block.text;
      return text === '' ? [] : [{role: 'assistant', content: text}];
    }
    case 'thinking':
    case 'sealed-thinking':
      // Thinking is for people. The model gets its reasoning item back.
      return [];
    case 'tool-call': {
      const {id, name, input} = block;
      const text = texts.textOf(block);
      return [
        text === undefined
          ? {type: 'function_call', call_id: id, name, arguments: JSON.stringify(toInputObject(input))}
          : {type: 'custom_tool_call', call_id: id, name, input: text},
      ];
    }
    case 'other':
      if (!isResponsesItem(block)) return [];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it came from this API, which takes its own items back
      return [{...block.data, type: block.type} as unknown as ResponseInputItem];
    default:
      return unreachable(block);
  }
}

const isReasoning = (block: AssistantBlock): boolean => block.kind === 'other' && block.type === 'reasoning';

/** OpenAI answers with the dated name of the requested model. */
const withoutDate = (model: string): string => model.replace(/-20\d\d-\d\d-\d\d$/u, '');
