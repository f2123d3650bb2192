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
import {blockTexts, type ImageBlock, imageTypes, maxImageData, type TextBlock} from '../../domain/conversation.ts';
import {type Fault, rejected} from '../../domain/fault.ts';

/*
 * What servers say, read into what weft works on: bounded, and whatever does not fit left out. Nothing here trusts a server.
 */

/** What a server offers under one name, bounded; which name models know it by is decided for all servers together. */
export type ServerTool = Pick<McpTool, 'name' | 'description' | 'inputSchema' | 'effect'>;

const longestDescription = 4000;
const longestSchema = 50_000;

export function readTool(given: Json): ServerTool | undefined {
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

/** A schema as the server gave it; what is none, or too long, says nothing of its arguments. */
function boundedSchema(given: Json | undefined): JsonObject {
  if (!isJsonObject(given) || isDeeperThan(given, maxJsonDepth)) return anyObject;
  return JSON.stringify(given).length > longestSchema ? anyObject : given;
}

/** The schema as models are given it: providers refuse a whole request for one that they do not like. */
export function offeredSchema(given: JsonObject): JsonObject {
  const schema = Object.fromEntries(Object.entries(given).filter(([keyword]) => !refusedKeywords.has(keyword)));
  if (schema['type'] !== 'object') return anyObject;
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

/** Characters of text that are taken of one answer (what a model reads of it at once is less), of an error and a prompt. */
const maxText = 10_000_000;
const maxWords = 100_000;
const maxImages = 20;

type Block = TextBlock | ImageBlock;

/** What a model reads of the result of a tool; the tool's own error is a fault. */
export function readToolResult(result: JsonObject, who: string): Outcome<McpResult, Fault> {
  const given = [...listOf(result['content']), ...oldForm(result)];
  const blocks = given.flatMap(blocksOf);
  const structured = result['structuredContent'];
  // A server should say the same in words beside it; not all do.
  if (isJsonObject(structured) && !blocks.some(block => block.kind === 'text' && block.text.trim() !== '')) {
    blocks.push({kind: 'text', text: jsonText(structured)});
  }
  const shown = bounded(blocks);
  if (result['isError'] === true) {
    const words = blockTexts(bounded(blocks, maxWords)).join('\n');
    return failed(rejected(words.trim() === '' ? `${who} says that it failed, and nothing more.` : words));
  }
  return ok({blocks: shown.length === 0 ? [{kind: 'text', text: '(no content)'}] : shown});
}

export function readResourceResult(result: JsonObject, who: string): Outcome<McpResult, Fault> {
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
  const mediaType = imageTypes.find(known => known === media);
  if (mediaType === undefined || typeof data !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/u.test(data)) {
    return text(`[an image (${clip(textOf(media), 100)}) that cannot be shown]`);
  }
  return [{kind: 'image', mediaType, data}];
}

function bounded(blocks: readonly Block[], most = maxText): Block[] {
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

export function readPromptResult(result: JsonObject, who: string): Outcome<McpResult, Fault> {
  const messages = listOf(result['messages']);
  const blocks = messages.flatMap(message => {
    if (!isJsonObject(message)) return [];
    const content = message['content'] ?? null;
    const shown = (isJsonList(content) ? content : [content]).flatMap(blocksOf);
    // A prompt is what the user says; words that it puts into the mouth of the model are marked.
    return message['role'] === 'assistant' ? [...text('[assistant]'), ...shown] : shown;
  });
  return blocks.length === 0 ? failed(rejected(`${who} is empty.`)) : ok({blocks: bounded(blocks, maxWords)});
}

/** A prompt of a server, bounded; none for what has no name. */
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
