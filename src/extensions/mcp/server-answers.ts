import {
  isDeeperThan,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  maxJsonDepth,
  textOf,
  listOf,
} from '../../base/json.ts';
import type {McpPrompt, McpResource, McpResult, McpTool} from '../../actions/mcp-port.ts';
import {clip, firstLine} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {blockTexts, type ImageBlock, maxImageData, type TextBlock} from '../../domain/conversation.ts';
import {imageFrom} from '../../domain/image-facts.ts';
import {type Fault, rejected} from '../../domain/fault.ts';

/*
 * Converts servers' answers to weft's types. Texts are bounded and invalid parts are dropped. Nothing here trusts a
 * server.
 */

/** One tool of a server, with bounded texts. Names for the model are chosen later, for all servers together. */
export type ServerTool = Pick<McpTool, 'name' | 'description' | 'inputSchema' | 'effect'>;

const maxDescription = 4000;
const maxSchema = 50_000;

export function readTool(given: Json): ServerTool | undefined {
  if (!isJsonObject(given) || typeof given['name'] !== 'string' || given['name'] === '') return undefined;
  const {name, description, title, inputSchema} = given;
  const annotations = isJsonObject(given['annotations']) ? given['annotations'] : {};
  return {
    name: clip(name, 1000),
    description: clip([description, title, annotations['title']].find(isText) ?? '', maxDescription),
    inputSchema: limitSchema(inputSchema),
    effect:
      annotations['readOnlyHint'] === true
        ? 'claims-read-only'
        : annotations['destructiveHint'] === true
          ? 'claims-destructive'
          : 'unsaid',
  };
}

/** Returns the server's schema. A schema that is invalid or too long becomes one that accepts any object. */
function limitSchema(given: Json | undefined): JsonObject {
  if (!isJsonObject(given) || isDeeperThan(given, maxJsonDepth)) return anyObject;
  return JSON.stringify(given).length > maxSchema ? anyObject : given;
}

/** Returns the schema for the model. Providers reject a whole request over one schema that they don't support. */
export function toModelSchema(given: JsonObject): JsonObject {
  const schema = Object.fromEntries(Object.entries(given).filter(([keyword]) => !refusedKeywords.has(keyword)));
  if (schema['type'] !== 'object') return anyObject;
  return isJsonObject(schema['properties']) ? schema : {...schema, properties: {}};
}

/** Keywords that providers reject at the top level of a tool's schema. The server still checks them. */
const refusedKeywords: ReadonlySet<string> = new Set('$schema $id anyOf oneOf allOf not if then else'.split(' '));

const anyObject: JsonObject = {type: 'object', properties: {}};

export function readResource(given: Json, server: string): readonly McpResource[] {
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

export const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

/** The maximum number of characters read from one answer, and from an error or a prompt. The model gets less of it at a time. */
const maxText = 10_000_000;
const maxErrorText = 100_000;
const maxImages = 20;

type Block = TextBlock | ImageBlock;

/** Converts a tool's result for the model. The tool's own error becomes a fault. */
export function readToolResult(result: JsonObject, who: string): Outcome<McpResult, Fault> {
  const given = [...listOf(result['content']), ...legacyContentOf(result)];
  const blocks = given.flatMap(blocksOf);
  const structured = result['structuredContent'];
  // A server should also send the structured content as text, but not all do.
  if (isJsonObject(structured) && !blocks.some(block => block.kind === 'text' && block.text.trim() !== '')) {
    blocks.push({kind: 'text', text: jsonText(structured)});
  }
  const shown = limitBlocks(blocks);
  if (result['isError'] === true) {
    const words = blockTexts(limitBlocks(blocks, maxErrorText)).join('\n');
    return failed(rejected(words.trim() === '' ? `${who} failed without a reason.` : words));
  }
  return ok({blocks: shown.length === 0 ? [{kind: 'text', text: '(no content)'}] : shown});
}

export function readResourceResult(result: JsonObject, who: string): Outcome<McpResult, Fault> {
  const contents = listOf(result['contents']);
  if (contents.length === 0) return failed(rejected(`${who} has no content.`));
  return ok({blocks: limitBlocks(contents.flatMap(resourceBlocks))});
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
      return text(`[audio (${textOf(content['mimeType'])}), not shown]`);
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

/** Before protocol version 2024-11, a result was `{toolResult}`. */
const legacyContentOf = ({content, toolResult}: JsonObject): readonly Json[] =>
  content !== undefined || toolResult === undefined
    ? []
    : [typeof toolResult === 'string' ? toolResult : JSON.stringify(toolResult)];

function image(data: Json | undefined, media: Json | undefined): readonly Block[] {
  const read = imageFrom(textOf(data), textOf(media));
  return read.tag === 'ok'
    ? [read.value]
    : text(`[image (${clip(textOf(media), 100)}), not shown: the data ${read.error}]`);
}

function limitBlocks(blocks: readonly Block[], most = maxText): Block[] {
  let room = most;
  let imageRoom = maxImageData;
  let images = 0;
  let left = 0;
  const shown: Block[] = [];
  for (const block of blocks) {
    if (block.kind === 'image') {
      images += 1;
      imageRoom -= block.data.length;
      if (images <= maxImages && imageRoom >= 0) shown.push(block);
      else shown.push({kind: 'text', text: '[image left out: too much at once]'});
      continue;
    }
    if (block.text.length <= room) shown.push(block);
    else if (room > 0) shown.push({...block, text: clip(block.text, room)});
    left += Math.max(0, block.text.length - Math.max(0, room));
    room -= block.text.length;
  }
  if (left > 0) shown.push({kind: 'text', text: `[${left} more characters left out]`});
  return shown;
}

const text = (value: string): readonly Block[] => [{kind: 'text', text: value}];

export function readPromptResult(result: JsonObject, who: string): Outcome<McpResult, Fault> {
  const messages = listOf(result['messages']);
  const blocks = messages.flatMap(message => {
    if (!isJsonObject(message)) return [];
    const content = message['content'] ?? null;
    const shown = (isJsonList(content) ? content : [content]).flatMap(blocksOf);
    // A prompt counts as the user's text, so text that it attributes to the model is marked.
    return message['role'] === 'assistant' ? [...text('[assistant]'), ...shown] : shown;
  });
  return blocks.length === 0 ? failed(rejected(`${who} is empty.`)) : ok({blocks: limitBlocks(blocks, maxErrorText)});
}

/** Reads a server's prompt, with bounded texts. Returns none if it has no name. */
export function readPrompt(given: Json, server: string): readonly McpPrompt[] {
  if (!isJsonObject(given) || !isText(given['name'])) return [];
  const {name, description, title} = given;
  return [
    {
      server,
      name: clip(name, 200),
      description: firstLine([description, title].find(isText) ?? '', 300),
      arguments: listOf(given['arguments'])
        .slice(0, 50)
        .flatMap(argument =>
          isJsonObject(argument) && isText(argument['name'])
            ? [
                {
                  name: clip(argument['name'], 200),
                  description: isText(argument['description']) ? firstLine(argument['description'], 300) : '',
                  need: argument['required'] === true ? ('required' as const) : ('optional' as const),
                },
              ]
            : [],
        ),
    },
  ];
}
