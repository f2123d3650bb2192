import type {
  CacheControlEphemeral,
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  OutputConfig,
  TextBlockParam,
  TextCitationParam,
  Tool,
  WebSearchTool20250305,
} from '@anthropic-ai/sdk/resources/messages/messages';
import {isJsonObject, type JsonObject, listOf, objectOf} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import {
  type AssistantBlock,
  type CitedTextBlock,
  isCallExtras,
  isResponsesItem,
  type Message,
  type ResultContent,
  type ToolResultBlock,
  type UserBlock,
} from '../domain/conversation.ts';
import type {Effort, ModelRequest, ProviderTool, ToolSpec} from '../domain/model-stream.ts';
import type {CacheTtl} from '../config/model-settings.ts';
import {effortChangeIn} from '../domain/reminder.ts';
import {toInputObject} from './block-builder.ts';
import {type ModelInfo, outputLimit} from './model-facts.ts';
import {keepForms} from './sendable-request.ts';
import {effortParams, thinkingParams} from './thinking-params.ts';

interface RequestOptions {
  readonly info: ModelInfo;
  readonly cacheTtl: CacheTtl;
  /**
   * `taken`: a tool that the model finds is defined with `defer_loading`, and the result of the search refers to it.
   * The provider leaves such a tool out of the beginning of a request, and puts its definition where the result refers
   * to it. So the cached prefix holds. Sources: platform.claude.com/docs/en/agents-and-tools/tool-use/tool-use-with-prompt-caching,
   * which says that adding tools in this way does not break the cache, and the SDK's types at `Tool.defer_loading`.
   */
  readonly toolReferences: 'taken' | 'refused';
  /** `other`: a server that may refuse fields which only Anthropic knows. */
  readonly host: 'official' | 'other';
}

/**
 * Returns the request in the form of the Messages API. A longer conversation's request begins with the shorter one's, except
 * for the cache marks. There are four marks, the allowed maximum: on the system prompt, on the last tool, and on the last two
 * user messages.
 */
export function anthropicRequest(
  request: ModelRequest,
  {info, cacheTtl, toolReferences, host}: RequestOptions,
): AnthropicBody {
  const marked = marks[cacheTtl];
  const deferred = toolReferences === 'taken' ? referredTools(request) : noTools;
  const tools = request.tools.filter(
    tool => 'provided' in tool || tool.offered === 'from-the-start' || deferred.has(tool.name),
  );
  const lastTool = tools.findLastIndex(tool => !('provided' in tool) && !deferred.has(tool.name));
  // Some gateways refuse the mark on a tool. The one on the system prompt covers the tools, too.
  const marksTools = host === 'official' || request.system === '';
  const wanted = request.thinking.kind === 'brief' ? 'low' : info.effort;
  const changes = host === 'official' && appendsEffort(request.model) ? effortChanges(request.messages) : [];
  // If the last change is not to this effort, the notes are about another model's.
  const isAppended = changes.length > 0 && changes.at(-1)?.to === wanted;
  const messages = request.messages
    .flatMap((message, at): readonly WireMessage[] => {
      const change = isAppended ? changes.find(each => each.message === message.id) : undefined;
      const forms = messageParams(message, {next: request.messages[at + 1], deferred});
      return change === undefined ? forms : [...forms, effortMessage(change.to, request.model)];
    })
    .filter(message => message.content.length > 0 || message.role === 'system');
  const params = thinkingParams(request, {maxOutputTokens: outputLimit(info, request), control: info.thinking});
  const lastOfUser = messages.flatMap((message, at) => (message.role === 'user' ? [at] : [])).slice(-2);
  return {
    model: request.model,
    ...params,
    ...effortParams(info, {
      effort: isAppended ? (changes[0]?.from ?? wanted) : wanted,
      thinks: request.thinking.kind === 'default' || params.thinking?.type === 'adaptive',
    }),
    stream: true,
    ...(request.system === '' ? {} : {system: [{type: 'text', text: request.system, ...marked}]}),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool, at) =>
            toolParam(tool, {deferred, mark: at === lastTool && marksTools ? marked : {}}),
          ),
        }),
    messages: messages.map((message, at) =>
      message.role !== 'system' && lastOfUser.includes(at)
        ? {...message, content: withMark(message.content, marked)}
        : message,
    ),
  };
}

export interface AnthropicBody extends Omit<MessageCreateParamsStreaming, 'messages'> {
  messages: (WireMessage | EffortMessage)[];
}

type WireMessage = {role: 'user' | 'assistant'; content: ContentBlockParam[]} | EffortMessage;

/** Changes the effort from the user's message before it (platform.claude.com/docs/build-with-claude/effort-per-message). */
interface EffortMessage {
  role: 'system';
  content: [];
  output_config: Pick<OutputConfig, 'effort'>;
}

function effortMessage(effort: Effort | 'default', model: string): EffortMessage {
  const level = effort === 'default' ? (/(?:opus|haiku)-5-5/u.test(model) ? 'medium' : 'high') : effort;
  const {output_config: config = {}} = effortParams({efforts: []}, {effort: level, thinks: true});
  return {role: 'system', content: [], output_config: config};
}

/** True for models that take a change of the effort as a message. */
export const appendsEffort = (model: string): boolean =>
  /^claude-(?:(?:fable|mythos)-5|opus-5|sonnet-5-5|haiku-5-5)(?!\d)/u.test(model);

/** The changes of the effort that the conversation holds, in order. */
const effortChanges = (messages: readonly Message[]) =>
  messages.flatMap(({role, id, blocks}) => {
    const change = role === 'user' ? blocks.map(effortChangeIn).find(each => each !== undefined) : undefined;
    return change === undefined ? [] : [{...change, message: id}];
  });

type Mark = {cache_control?: CacheControlEphemeral};
/** Five minutes are the default. */
const marks: Readonly<Record<CacheTtl, Mark>> = {
  '5m': {cache_control: {type: 'ephemeral'}},
  '1h': {cache_control: {type: 'ephemeral', ttl: '1h'}},
};

const noTools: ReadonlySet<string> = new Set();

/** Returns the tools that the model found, if the search result is still in the conversation. */
function referredTools({tools, messages}: ModelRequest): ReadonlySet<string> {
  const late = new Set(
    tools.flatMap(tool => ('provided' in tool || tool.offered === 'from-the-start' ? [] : [tool.name])),
  );
  if (late.size === 0) return noTools;
  const results = messages.flatMap(({blocks}) => blocks.filter(block => block.kind === 'tool-result'));
  return new Set(results.flatMap(result => foundTools(result, late) ?? []));
}

/**
 * Returns the tools that a search result refers to; `undefined` if it is another kind of result, or if not all tools
 * can be referred to.
 */
function foundTools({content, outcome}: ToolResultBlock, late: ReadonlySet<string>): readonly string[] | undefined {
  const names = content.flatMap(block => ('foundTool' in block && late.has(block.foundTool) ? [block.foundTool] : []));
  return outcome === 'success' && names.length > 0 && names.length === content.length ? names : undefined;
}

function toolParam(
  tool: ToolSpec | ProviderTool,
  {deferred, mark}: {readonly deferred: ReadonlySet<string>; readonly mark: Mark},
): Tool | WebSearchTool20250305 {
  if ('provided' in tool) return {type: 'web_search_20250305', name: 'web_search', max_uses: maxSearches};
  const param: Tool = {
    name: tool.name,
    description: tool.description,
    input_schema: {...withoutRootChoice(tool.inputSchema), type: 'object'},
  };
  // The API refuses a tool with both.
  if (deferred.has(tool.name)) return {...param, defer_loading: true};
  return {...param, ...mark};
}

const choices = ['anyOf', 'oneOf', 'allOf'];

/** Makes the properties of all alternatives optional, because the API refuses a choice at the root. */
function withoutRootChoice(schema: JsonObject): JsonObject {
  const alternatives = choices.flatMap(key => listOf(schema[key])).filter(isJsonObject);
  if (alternatives.length === 0) return schema;
  const properties = [...alternatives, schema].map(each => objectOf(each['properties']));
  const rest = Object.entries(schema).filter(([key]) => !choices.includes(key));
  return {...Object.fromEntries(rest), properties: Object.assign({}, ...properties)};
}

/** The maximum number of web searches by the provider in one answer. */
const maxSearches = 8;

function withMark(content: readonly ContentBlockParam[], mark: Mark): ContentBlockParam[] {
  return content.map((block, at) => {
    const last = at === content.length - 1;
    return last && block.type !== 'thinking' && block.type !== 'redacted_thinking' ? {...block, ...mark} : block;
  });
}

const kept = keepForms<ReturnType<typeof messageParam>>()('');

/** Keeps the form of a message that depends on nothing else. */
const messageParams = (
  message: Message,
  context: Parameters<typeof messageParam>[1],
): readonly ReturnType<typeof messageParam>[] =>
  context.deferred !== noTools || (message.role === 'assistant' && message.stop === 'paused')
    ? [messageParam(message, context)]
    : kept(message, () => [messageParam(message, context)]);

/**
 * Converts a message. `next` may contain the results of the provider's own tools if the provider continues an answer
 * that it had paused.
 */
function messageParam(
  message: Message,
  {next, deferred}: {readonly next: Message | undefined; readonly deferred: ReadonlySet<string>},
): {role: 'user' | 'assistant'; content: ContentBlockParam[]} {
  return message.role === 'user'
    ? {role: 'user', content: message.blocks.flatMap(block => userBlock(block, deferred))}
    : {
        role: 'assistant',
        content: (message.stop === 'paused' && next?.role !== 'user'
          ? message.blocks
          : withoutUnanswered(message.blocks)
        ).flatMap(assistantBlock),
      };
}

function userBlock(block: UserBlock, deferred: ReadonlySet<string>): readonly ContentBlockParam[] {
  switch (block.kind) {
    case 'text':
      return effortChangeIn(block) === undefined ? contentBlock(block) : [];
    case 'image':
    case 'document':
      return contentBlock(block);
    case 'tool-result': {
      const content =
        foundTools(block, deferred)?.map(name => ({type: 'tool_reference', tool_name: name}) as const) ??
        block.content.flatMap(contentBlock);
      return [
        {
          type: 'tool_result',
          tool_use_id: block.id,
          ...(content.length === 0 ? {} : {content}),
          // The API has no third state, so a cancelled call counts as an error.
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
      // The API refuses texts that contain only white space.
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

/** The maximum number of characters of a document's title that the API accepts. */
const longestTitle = 500;

function assistantBlock(block: AssistantBlock): readonly ContentBlockParam[] {
  switch (block.kind) {
    case 'text':
      if ('cited' in block) return citedBlock(block);
      return block.text.trim() === '' ? [] : [{type: 'text', text: block.text}];
    case 'thinking':
      // The API refuses thinking without a signature, which was cut off or comes from another provider.
      return block.signature === '' ? [] : [{type: 'thinking', thinking: block.text, signature: block.signature}];
    case 'sealed-thinking':
      return [{type: 'redacted_thinking', data: block.data}];
    case 'tool-call':
      return [{type: 'tool_use', id: block.id, name: block.name, input: toInputObject(block.input)}];
    case 'other':
      if (isResponsesItem(block) || isCallExtras(block)) return [];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it came from this API, which takes its own blocks back
      return [{...block.data, type: block.type} as unknown as ContentBlockParam];
    default:
      return unreachable(block);
  }
}

/** Sends the text as the provider wrote it, because its citations contain the results in encrypted form. */
function citedBlock({cited: {text, citations}}: CitedTextBlock): readonly ContentBlockParam[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- they came from this API, which takes them back
  return text.trim() === '' ? [] : [{type: 'text', text, citations: citations as unknown as TextCitationParam[]}];
}

/** Leaves out calls of the provider's own tools without a result. They were cut off, and the API would refuse the whole conversation. */
function withoutUnanswered(blocks: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const others = blocks.filter(block => block.kind === 'other');
  const answered = new Set(others.map(({data}) => data['tool_use_id']));
  const unanswered = others.filter(({type, data}) => type.endsWith('_tool_use') && !answered.has(data['id']));
  return unanswered.length === 0 ? blocks : blocks.filter(block => !unanswered.some(other => other === block));
}
