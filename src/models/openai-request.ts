import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions/completions';
import type {ReasoningEffort} from 'openai/resources/shared';
import {isJsonObject, type JsonObject} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import {
  type AssistantMessage,
  blockTexts,
  isCallExtras,
  type Message,
  messageText,
  type ResultContent,
  toolCalls,
  type ToolResultBlock,
  type UserMessage,
} from '../domain/conversation.ts';
import type {ModelRequest, ToolSpec} from '../domain/model-stream.ts';
import {toInputObject} from './block-builder.ts';
import type {ProviderRow, ThinkingEcho} from './provider-rows.ts';
import {type ModelInfo, nearestEffort} from './model-facts.ts';
import {keepForms} from './sendable-request.ts';

interface RequestOptions {
  readonly info: ModelInfo;
  readonly signatures: Signatures;
  readonly server: ChatServer;
}

/** The server that receives a request. `echo` comes from the table of providers, or from a refusal. */
export interface ChatServer {
  readonly host: string;
  readonly provider: Pick<ProviderRow, 'outputLimit' | 'thinking' | 'roleOrder' | 'extra' | 'claudeExtra'>;
  readonly echo: ThinkingEcho;
}

/** `wanted`: the first call of every answer carries a signature, even if the model that made the call gave none. */
type Signatures = 'wanted' | 'as-given';

/** Returns the request in the form of chat completions. A longer conversation's request begins with the shorter one's. */
export function openAiRequest(
  request: ModelRequest,
  {info, signatures, server}: RequestOptions,
): ChatCompletionCreateParamsStreaming {
  const system: readonly ChatCompletionMessageParam[] =
    request.system === '' ? [] : [{role: 'system', content: request.system}];
  const reasoning = effortOf(info, request.thinking);
  const {outputLimit, roleOrder, extra, claudeExtra} = server.provider;
  const most = maxTokensOf(request, info.wantedOutput);
  const kept = keptFor([signatures, request.model, server.host, server.echo].join(' '));
  // Chat completions have no provider tools. Tools that the model finds later would change the beginning of the request.
  const tools = request.tools.flatMap(tool => ('provided' in tool || tool.offered === 'since-found' ? [] : [tool]));
  const messages = (roleOrder === 'strict' ? joinedPrompts(request.messages) : request.messages).flatMap(message =>
    kept(message, () =>
      message.role === 'user'
        ? userParams(message)
        : assistantParams(message, {signatures, thinking: thinkingFieldsOf(message, request.model, server)}),
    ),
  );
  return {
    model: request.model,
    messages: [...system, ...(roleOrder === 'strict' ? inStrictOrder(messages) : messages)],
    ...(tools.length === 0 ? {} : {tools: tools.map(toolParam)}),
    ...(most === 'default' ? {} : {[outputLimit]: most}),
    ...extra,
    ...(request.model.includes('claude') ? claudeExtra : {}),
    ...thinkingParams(server.provider.thinking, {effort: reasoning, off: isOff(request.thinking)}),
    stream: true,
    stream_options: {include_usage: true},
  };
}

const keptFor = keepForms<ChatCompletionMessageParam>();

function joinedPrompts(messages: readonly Message[]): readonly Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user')
      joined[joined.length - 1] = {...last, blocks: [...last.blocks, ...message.blocks]};
    else joined.push(message);
  }
  return joined;
}

/** The answer between results and the user's next message, for servers that require one. */
export const answerBetween = 'Done.';

const inStrictOrder = (params: readonly ChatCompletionMessageParam[]): readonly ChatCompletionMessageParam[] =>
  params.flatMap((param, at): readonly ChatCompletionMessageParam[] =>
    param.role === 'user' && params[at - 1]?.role === 'tool'
      ? [{role: 'assistant', content: answerBetween}, param]
      : [param],
  );

/** Returns the output limit of an answer, if there is one. `allowed` is the limit of the settings. */
export function maxTokensOf({maxTokens}: ModelRequest, allowed: number | 'default'): number | 'default' {
  if (maxTokens === 'default') return allowed;
  return allowed === 'default' ? maxTokens : Math.min(maxTokens, allowed);
}

const toolParam = ({name, description, inputSchema}: ToolSpec): ChatCompletionFunctionTool => ({
  type: 'function',
  function: {name, description, parameters: {...inputSchema}},
});

const isOff = (thinking: ModelRequest['thinking']): boolean =>
  thinking.kind === 'disabled' || (thinking.kind === 'budget' && thinking.tokens <= 0);

/** Returns the amount of thinking in the provider's own parameters. */
function thinkingParams(
  style: ProviderRow['thinking'],
  {effort, off}: {readonly effort: ReasoningEffort | undefined; readonly off: boolean},
): object {
  switch (style) {
    case 'effort':
      return effort === undefined ? {} : {reasoning_effort: effort};
    case 'type':
      return off ? {thinking: {type: 'disabled'}} : thinkingParams('effort', {effort, off});
    case 'switch':
      return off ? {enable_thinking: false} : {};
    case 'object':
      if (off) return {reasoning: {enabled: false}};
      return effort === undefined ? {} : {reasoning: {effort}};
    case 'enabled':
      return off ? {reasoning: {enabled: false}} : thinkingParams('effort', {effort, off});
    default:
      return unreachable(style);
  }
}

/** Returns an answer's thinking in the field in which it came, for the server and the model that sent it. */
function thinkingFieldsOf(
  {blocks}: AssistantMessage,
  model: string,
  {host, echo}: Pick<ChatServer, 'host' | 'echo'>,
): object {
  if (echo === 'none') return {};
  const own = blocks
    .filter(block => block.kind === 'thinking' && 'source' in block)
    .filter(({source}) => source.host === host && source.model === model);
  const details = own.flatMap(({source}) => source.details);
  const [first] = own;
  if (first === undefined) return echo === 'always' ? {reasoning_content: ''} : {};
  return details.length > 0 ? {reasoning_details: details} : {[first.source.field]: own.map(({text}) => text).join('')};
}

/** Content is always a string. Ollama refuses null beside thinking, and DeepSeek's models imitate lists that they read. */
function assistantParams(
  message: AssistantMessage,
  {signatures, thinking}: {readonly signatures: Signatures; readonly thinking: object},
): readonly ChatCompletionAssistantMessageParam[] {
  const text = messageText(message);
  const extras = callExtras(message);
  const calls = toolCalls(message).map((call, at) => {
    const extra = extras[at] ?? (at === 0 && signatures === 'wanted' ? missingSignature : undefined);
    return {
      id: call.id,
      type: 'function' as const,
      function: {name: call.name, arguments: JSON.stringify(toInputObject(call.input))},
      ...(extra === undefined ? {} : {extra_content: extra}),
    };
  });
  if (calls.length > 0) return [{role: 'assistant', content: text, ...thinking, tool_calls: calls}];
  return text === '' ? [] : [{role: 'assistant', content: text, ...thinking}];
}

/** Returns the extra content that the server sent with each call and wants back. */
function callExtras({blocks}: AssistantMessage): readonly (JsonObject | undefined)[] {
  const block = blocks.find(each => each.kind === 'other' && isCallExtras(each));
  const calls = block?.kind === 'other' ? block.data['calls'] : undefined;
  return Array.isArray(calls) ? calls.map(extra => (isJsonObject(extra) ? extra : undefined)) : [];
}

/** The signature that Google accepts for another model's call (ai.google.dev/gemini-api/docs/thought-signatures). */
export const missingSignature = {google: {thought_signature: 'skip_thought_signature_validator'}};

/** Puts results first, as the protocol requires. Results can't contain images and documents, so these follow with the user's text. */
function userParams(message: UserMessage): readonly ChatCompletionMessageParam[] {
  const results = message.blocks.filter(block => block.kind === 'tool-result');
  const own = message.blocks.filter(block => block.kind !== 'tool-result');
  const blocks = [...results.flatMap(resultMedia), ...own];
  return [...results.map(resultParam), ...(blocks.length === 0 ? [] : [userParam(blocks)])];
}

function userParam(blocks: readonly ResultContent[]): ChatCompletionMessageParam {
  const texts = blocks.filter(block => block.kind === 'text');
  if (texts.length === blocks.length) return {role: 'user', content: texts.map(block => block.text).join('\n\n')};
  return {role: 'user', content: blocks.map(part)};
}

function part(block: ResultContent): ChatCompletionContentPart {
  switch (block.kind) {
    case 'text':
      return {type: 'text', text: block.text};
    case 'image':
      return {type: 'image_url', image_url: {url: dataUrl(block)}};
    case 'document':
      return {type: 'file', file: {filename: block.name, file_data: dataUrl(block)}};
    default:
      return unreachable(block);
  }
}

export const dataUrl = ({mediaType, data}: {readonly mediaType: string; readonly data: string}): string =>
  `data:${mediaType};base64,${data}`;

/** The result of a call whose images come after it. */
export const imageFollowsText = 'The image follows.';

function resultParam(result: ToolResultBlock): ChatCompletionMessageParam {
  const text = blockTexts(result.content).join('\n\n');
  const hasImages = result.content.some(block => block.kind === 'image');
  const content = text === '' && hasImages ? imageFollowsText : text;
  return {role: 'tool', tool_call_id: result.id, content};
}

function resultMedia(result: ToolResultBlock): readonly ResultContent[] {
  const media = result.content.filter(block => block.kind !== 'text');
  return media.length === 0 ? [] : [{kind: 'text', text: `From the result of ${result.id}:`}, ...media];
}

/** Returns the effort to send; `undefined` lets the server decide, because models without efforts refuse the parameter. */
export function effortOf(
  {efforts, effort}: Pick<ModelInfo, 'efforts' | 'effort'>,
  thinking: ModelRequest['thinking'],
): Exclude<ReasoningEffort, null> | undefined {
  const [least] = efforts;
  if (thinking.kind === 'brief') return nearestEffort(efforts, 'low');
  if (thinking.kind === 'disabled' || (thinking.kind === 'budget' && thinking.tokens <= 0)) return least;
  if (effort !== 'default') return effort;
  if (thinking.kind !== 'budget') return undefined;
  return nearestEffort(efforts, thinking.tokens < 4096 ? 'low' : thinking.tokens < 16_384 ? 'medium' : 'high');
}
