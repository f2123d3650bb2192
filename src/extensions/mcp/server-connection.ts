import {
  isDeeperThan,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  maxJsonDepth,
} from '../../base/json.ts';
import {Client, SdkError, SdkErrorCode} from '@modelcontextprotocol/client';
import * as z from 'zod/mini';
import type {Elicitation, ElicitationReply, McpResource, McpResult} from '../../actions/mcp-port.ts';
import {clip, firstLine} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {blockTexts, type ImageBlock, type TextBlock} from '../../domain/conversation.ts';
import {causeText, type Fault, rejected} from '../../domain/fault.ts';
import type {ExchangeTransport} from './exchange-transport.ts';

/** What a server offers under one name, bounded; which name models know it by is decided for all servers together. */
export interface ServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly effect: 'claims-read-only' | 'claims-destructive' | 'unsaid';
}

interface ConnectionOptions {
  readonly server: string;
  readonly transport: ExchangeTransport;
  /** Asks the user what the server wants to know. */
  readonly elicit: (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;
  /** One line that may help to find out why a server does not work. */
  readonly log: (line: string) => void;
  /** weft's own version. */
  readonly version: string;
  /** Milliseconds for the server to begin, and without any sign of life during a call. */
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** The server says that its tools are others now. */
  readonly toolsChanged: () => void;
}

/** One MCP server, from its greeting on. */
export interface ServerConnection {
  readonly title: string;
  readonly version: string;
  readonly resources: 'offered' | 'none';
  listTools(signal: AbortSignal): Promise<readonly ServerTool[]>;
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<Outcome<McpResult, Fault>>;
  listResources(signal: AbortSignal): Promise<Outcome<readonly McpResource[], Fault>>;
  readResource(uri: string, signal: AbortSignal): Promise<Outcome<McpResult, Fault>>;
  close(): Promise<void>;
}

const mostTools = 1000;
const mostResources = 1000;
const mostPages = 100;
const longestDescription = 4000;
const longestSchema = 50_000;

/** Greets the server; rejects with a reason for people when it does not answer as one. */
export async function connectServer(options: ConnectionOptions, signal: AbortSignal): Promise<ServerConnection> {
  const {server, transport} = options;
  const client = new Client(
    {name: 'weft', version: options.version},
    {
      capabilities: {elicitation: {form: {}, url: {}}},
    },
  );
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of the protocol is no event target
  client.onerror = error => options.log(`MCP server ${server}: ${firstLine(error.message, 300)}`);
  client.setRequestHandler('elicitation/create', {params: loose, result: loose}, async (params, context) =>
    answerTo(params, options, context.mcpReq.signal),
  );
  client.setNotificationHandler('notifications/tools/list_changed', {params: z.optional(loose)}, () =>
    options.toolsChanged(),
  );
  try {
    await client.connect(transport, {timeout: options.startTimeoutMs, signal});
  } catch (cause) {
    await transport.close();
    throw cause;
  }
  return new Connection(client, options);
}

class Connection implements ServerConnection {
  readonly title: string;
  readonly version: string;
  readonly resources: 'offered' | 'none';
  readonly #client: Client;
  readonly #options: ConnectionOptions;

  constructor(client: Client, options: ConnectionOptions) {
    this.#client = client;
    this.#options = options;
    const {name = '', version = ''} = client.getServerVersion() ?? {};
    this.title = clip(name, 200);
    this.version = clip(version, 100);
    this.resources = client.getServerCapabilities()?.resources === undefined ? 'none' : 'offered';
  }

  async listTools(signal: AbortSignal): Promise<readonly ServerTool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const given = await this.#pages({method: 'tools/list', member: 'tools', most: mostTools}, signal);
    return given.flatMap(tool => {
      const read = readTool(tool);
      if (read === undefined)
        this.#options.log(`MCP server ${this.#options.server}: a tool without a name is left out`);
      return read === undefined ? [] : [read];
    });
  }

  async call(tool: string, input: JsonObject, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    const who = `${tool} of ${this.#options.server}`;
    const answer = await this.#ask('tools/call', {name: tool, arguments: input}, signal);
    return answer.tag === 'ok'
      ? readToolResult(answer.value, who)
      : failed(rejected(`${who} could not be called: ${answer.error}`));
  }

  async listResources(signal: AbortSignal): Promise<Outcome<readonly McpResource[], Fault>> {
    const {server} = this.#options;
    try {
      const given = await this.#pages({method: 'resources/list', member: 'resources', most: mostResources}, signal);
      return ok(given.flatMap(resource => readResource(resource, server)));
    } catch (cause) {
      return failed(rejected(`The resources of ${server} could not be listed: ${this.#troubleText(cause)}`));
    }
  }

  async readResource(uri: string, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    const who = `${clip(uri, 200)} of ${this.#options.server}`;
    const answer = await this.#ask('resources/read', {uri}, signal);
    return answer.tag === 'ok'
      ? readResourceResult(answer.value, who)
      : failed(rejected(`${who} could not be read: ${answer.error}`));
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Progress is a sign of life: the server then has its time again. */
  async #ask(
    method: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Outcome<JsonObject, string>> {
    try {
      return ok(
        asJson(
          await this.#client.request({method, params}, loose, {
            signal,
            timeout: this.#options.callTimeoutMs,
            onprogress: () => {},
            resetTimeoutOnProgress: true,
          }),
        ),
      );
    } catch (cause) {
      return failed(this.#troubleText(cause));
    }
  }

  async #pages(
    {method, member, most}: {readonly method: string; readonly member: string; readonly most: number},
    signal: AbortSignal,
  ): Promise<readonly Json[]> {
    const found: Json[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const answer = asJson(
        await this.#client.request({method, params: cursor === undefined ? {} : {cursor}}, loose, {
          signal,
          timeout: this.#options.startTimeoutMs,
        }),
      );
      const {[member]: items, nextCursor} = answer;
      if (isJsonList(items)) found.push(...items.slice(0, most + 1 - found.length));
      if (found.length > most) {
        this.#options.log(
          `MCP server ${this.#options.server}: it has more than ${most} ${member}; the others are left out`,
        );
        return found.slice(0, most);
      }
      if (typeof nextCursor !== 'string' || nextCursor === cursor) return found;
      cursor = nextCursor;
    }
    return found;
  }

  #troubleText(cause: unknown): string {
    if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout) {
      return `it gave no sign of life for ${Math.round(this.#options.callTimeoutMs / 1000)} s`;
    }
    return clip(causeText(cause).replace(/^MCP error -?\d+: /u, ''), 10_000);
  }
}

function readTool(given: Json): ServerTool | undefined {
  if (!isJsonObject(given) || typeof given['name'] !== 'string' || given['name'] === '') return undefined;
  const {name, description, title, inputSchema} = given;
  const annotations = isJsonObject(given['annotations']) ? given['annotations'] : {};
  return {
    name: clip(name, 1000),
    description: clip([description, title, annotations['title']].find(isText) ?? '', longestDescription),
    inputSchema: boundedSchema(inputSchema),
    effect:
      annotations['readOnlyHint'] === true
        ? 'claims-read-only'
        : annotations['destructiveHint'] === true
          ? 'claims-destructive'
          : 'unsaid',
  };
}

/** Providers refuse a whole request for one bad schema: what is none, or too long, says nothing of its arguments. */
function boundedSchema(given: Json | undefined): JsonObject {
  if (!isJsonObject(given)) return anyObject;
  if (isDeeperThan(given, maxJsonDepth)) return anyObject;
  const schema = Object.fromEntries(Object.entries(given).filter(([keyword]) => !refusedKeywords.has(keyword)));
  if (schema['type'] !== 'object' || JSON.stringify(schema).length > longestSchema) return anyObject;
  return isJsonObject(schema['properties']) ? schema : {...schema, properties: {}};
}

/** Not taken at the top of a tool's schema; the server still checks what they say. */
const refusedKeywords: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
]);

const anyObject: JsonObject = {type: 'object', properties: {}};

function readResource(given: Json, server: string): readonly McpResource[] {
  if (!isJsonObject(given) || !isText(given['uri'])) return [];
  const {uri, name, description, mimeType} = given;
  return [
    {
      server,
      uri: clip(uri, 2000),
      name: isText(name) ? clip(name, 200) : '',
      description: isText(description) ? firstLine(description, 300) : '',
      mediaType: isText(mimeType) ? clip(mimeType, 100) : '',
    },
  ];
}

/** A server that asks in no form that weft knows is declined, as is one that asks where nobody can answer. */
async function answerTo(
  params: z.output<typeof loose>,
  {server, elicit}: ConnectionOptions,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const {message, mode, url, elicitationId, requestedSchema} = asJson(params);
  const {action, content} = await elicit(
    {
      server,
      message: isText(message) ? clip(message, 10_000) : '',
      mode: mode === 'url' ? 'url' : 'form',
      url: isText(url) ? url : '',
      elicitationId: isText(elicitationId) ? elicitationId : '',
      requestedSchema: isJsonObject(requestedSchema) ? requestedSchema : undefined,
    },
    signal,
  );
  return content === undefined ? {action} : {action, content};
}

const loose = z.record(z.string(), z.unknown());

/** What came as JSON is JSON. */
function asJson(value: Record<string, unknown>): JsonObject {
  return isJsonObject(value) ? value : {};
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

/** Characters of text, and of all images in base64, that a model reads of one answer. */
const mostText = 100_000;
const mostImageData = 7_000_000;
const mostImages = 20;

type Block = TextBlock | ImageBlock;

/** What a model reads of the result of a tool; the tool's own error is a fault. */
function readToolResult(result: JsonObject, who: string): Outcome<McpResult, Fault> {
  const given = [...listOf(result['content']), ...oldForm(result)];
  const blocks = given.flatMap(blocksOf);
  const structured = result['structuredContent'];
  // A server should say the same in words beside it; not all do.
  if (isJsonObject(structured) && !blocks.some(block => block.kind === 'text' && block.text.trim() !== '')) {
    blocks.push({kind: 'text', text: jsonText(structured)});
  }
  const shown = bounded(blocks);
  if (result['isError'] === true) {
    const words = blockTexts(shown).join('\n');
    return failed(rejected(words.trim() === '' ? `${who} says that it failed, and nothing more.` : words));
  }
  return ok({blocks: shown.length === 0 ? [{kind: 'text', text: '(no content)'}] : shown});
}

/** What a model reads of a resource. */
function readResourceResult(result: JsonObject, who: string): Outcome<McpResult, Fault> {
  const contents = listOf(result['contents']);
  if (contents.length === 0) return failed(rejected(`${who} has no content.`));
  return ok({blocks: bounded(contents.flatMap(resourceBlocks))});
}

function blocksOf(content: Json): readonly Block[] {
  if (typeof content === 'string') return text(content);
  if (!isJsonObject(content)) return [];
  switch (content['type']) {
    case 'text':
      return text(textOf(content['text']));
    case 'image':
      return image(content['data'], content['mimeType']);
    case 'audio':
      return text(`[audio (${textOf(content['mimeType'])}), which cannot be shown]`);
    case 'resource':
      return resourceBlocks(content['resource'] ?? null);
    case 'resource_link':
      return text(
        `[resource ${textOf(content['uri'])}${textOf(content['name']) === '' ? '' : ` (${textOf(content['name'])})`}]`,
      );
    default:
      return text(`[content of the unknown type ${clip(textOf(content['type']), 100)}]`);
  }
}

function resourceBlocks(resource: Json): readonly Block[] {
  if (!isJsonObject(resource)) return [];
  const uri = textOf(resource['uri']);
  if (typeof resource['text'] === 'string')
    return text(uri === '' ? resource['text'] : `[${uri}]\n${resource['text']}`);
  const media = textOf(resource['mimeType']);
  const shown = image(resource['blob'], media);
  return shown[0]?.kind === 'image'
    ? shown
    : text(`[${uri}: binary content (${media === '' ? 'of unknown type' : media})]`);
}

/** Before 2024-11 a result was `{toolResult}`. */
const oldForm = ({content, toolResult}: JsonObject): readonly Json[] =>
  content !== undefined || toolResult === undefined
    ? []
    : [typeof toolResult === 'string' ? toolResult : JSON.stringify(toolResult)];

function image(data: Json | undefined, media: Json | undefined): readonly Block[] {
  const mediaType = mediaTypes.find(known => known === media);
  if (mediaType === undefined || typeof data !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/u.test(data)) {
    return text(`[an image (${clip(textOf(media), 100)}) that cannot be shown]`);
  }
  return [{kind: 'image', mediaType, data}];
}

const mediaTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

function bounded(blocks: readonly Block[]): Block[] {
  let room = mostText;
  let imageRoom = mostImageData;
  let images = 0;
  let left = 0;
  const shown: Block[] = [];
  for (const block of blocks) {
    if (block.kind === 'image') {
      images += 1;
      imageRoom -= block.data.length;
      if (images <= mostImages && imageRoom >= 0) shown.push(block);
      else shown.push({kind: 'text', text: '[an image is left out: too much at once]'});
      continue;
    }
    if (block.text.length <= room) shown.push(block);
    else if (room > 0) shown.push({...block, text: clip(block.text, room)});
    left += Math.max(0, block.text.length - Math.max(0, room));
    room -= block.text.length;
  }
  if (left > 0) shown.push({kind: 'text', text: `[${left} more characters are left out]`});
  return shown;
}

const text = (value: string): readonly Block[] => [{kind: 'text', text: value}];
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const listOf = (value: Json | undefined): readonly Json[] => (isJsonList(value) ? value : []);
