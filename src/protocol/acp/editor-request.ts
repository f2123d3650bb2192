import * as z from 'zod/mini';
import {tryOr} from '../../base/outcome.ts';
import type {DocumentBlock, ImageBlock} from '../../domain/conversation.ts';
import {imageFrom} from '../../domain/image-facts.ts';
import {joinAttachedTexts, readSlashCommand} from '../../domain/slash-command.ts';

/*
 * The requests that an editor sends to weft over ACP, version 1. Unknown fields are ignored.
 */

const absolutePath = z.string().check(z.regex(/^(?:\/|[A-Za-z]:[\\/])/u));
const named = z.object({name: z.string(), value: z.string()});

const server = z.looseObject({
  name: z.string(),
  type: z.optional(z.string()),
  command: z.optional(z.string()),
  args: z.optional(z.array(z.string())),
  env: z.optional(z.array(named)),
  url: z.optional(z.string()),
  headers: z.optional(z.array(named)),
});

export const initializeRequest = z.looseObject({
  clientCapabilities: z.looseObject({
    auth: z.nullish(z.looseObject({terminal: z.nullish(z.boolean())})),
    fs: z.nullish(z.looseObject({readTextFile: z.nullish(z.boolean())})),
  }),
});
export const newSessionRequest = z.looseObject({cwd: absolutePath, mcpServers: z.optional(z.array(server))});
export const loadSessionRequest = z.extend(newSessionRequest, {sessionId: z.string()});
export const listSessionsRequest = z.looseObject({
  cwd: z.nullish(absolutePath),
  // The number of sessions that earlier pages had.
  cursor: z.nullish(z.string().check(z.regex(/^\d{1,9}$/u))),
});
export const sessionRequest = z.looseObject({sessionId: z.string()});
export const setOptionRequest = z.looseObject({sessionId: z.string(), configId: z.string(), value: z.string()});
export const setModeRequest = z.looseObject({sessionId: z.string(), modeId: z.string()});

const resource = z.looseObject({
  uri: z.string(),
  text: z.nullish(z.string()),
  blob: z.nullish(z.base64()),
  mimeType: z.nullish(z.string()),
});
const contentBlock = z.discriminatedUnion('type', [
  z.looseObject({type: z.literal('text'), text: z.string()}),
  z.looseObject({type: z.literal('resource_link'), uri: z.string()}),
  z.looseObject({type: z.literal('resource'), resource}),
  z.pipe(
    z.looseObject({type: z.literal('image'), data: z.string(), mimeType: z.string()}),
    z.transform(({type, data, mimeType}, context) => {
      const read = imageFrom(data, mimeType);
      if (read.tag === 'ok') return {type, image: read.value};
      context.issues.push({code: 'custom', path: ['data'], message: read.error, input: type});
      return z.NEVER;
    }),
  ),
]);
export const promptRequest = z.looseObject({sessionId: z.string(), prompt: z.array(contentBlock)});

type Prompt = z.infer<typeof promptRequest>['prompt'];
type Resource = z.infer<typeof resource>;
type Attachment = ImageBlock | DocumentBlock;

/**
 * Converts a prompt to weft's form. Linked files become paths, and embedded texts follow their paths. Only a text at the start can be a
 * command: a path there gets a word before it.
 */
export function promptOf(blocks: Prompt): {readonly text: string; readonly images: readonly Attachment[]} {
  const images: Attachment[] = [];
  const [first] = blocks;
  const isCommand = first?.type === 'text' && readSlashCommand(first.text) !== undefined;
  const attached: string[] = [];
  const embed = (path: string, text: string): string => {
    if (!isCommand) return `\n${path}:\n${text}\n`;
    attached.push(`${path}:\n${text}`);
    return path;
  };
  const parts = blocks
    .map(block => ({type: block.type, text: textOf(block, {images, embed})}))
    .filter(({text}) => text.trim() !== '');
  const text = parts.reduce((before, {type, text: next}, at) => {
    const isApart = before === '' || /[\s([{"'`]$/u.test(before) || /^[\s.,;:!?)\]}"'`]/u.test(next);
    return `${before}${isApart ? '' : type === 'text' && parts[at - 1]?.type === 'text' ? '\n' : ' '}${next}`;
  }, '');
  const isPathFirst = parts[0]?.type !== 'text' && text.trimStart().startsWith('/');
  if (attached.length > 0) return {text: joinAttachedTexts(text, attached), images};
  return {text: isPathFirst ? `File ${text.trimStart()}` : text, images};
}

interface Parts {
  readonly images: Attachment[];
  /** Returns the text that stands in the prompt for an embedded text. */
  readonly embed: (path: string, text: string) => string;
}

/** Returns the text of a block. An image has none. */
function textOf(block: Prompt[number], parts: Parts): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return pathOf(block.uri);
    case 'resource':
      return embeddedText(block.resource, parts);
    case 'image':
      parts.images.push(block.image);
      return '';
    default:
      return block satisfies never;
  }
}

function embeddedText({uri, text, blob, mimeType}: Resource, {images, embed}: Parts): string {
  const path = pathOf(uri);
  if (typeof text === 'string') return embed(path, text);
  const bytes = Buffer.from(blob ?? '', 'base64');
  if (bytes.length === 0) return path;
  const data = bytes.toString('base64');
  const image = imageFrom(data, mimeType ?? undefined);
  if (image.tag === 'ok') images.push(image.value);
  if (mimeType === 'application/pdf') images.push({kind: 'document', mediaType: mimeType, name: path, data});
  if (image.tag === 'ok' || mimeType === 'application/pdf') return path;
  const decoded = tryOr(() => new TextDecoder('utf-8', {fatal: true}).decode(bytes), undefined);
  if (decoded !== undefined) return embed(path, decoded);
  return `${path} (${mimeType ?? 'unknown type'}, ${bytes.length} bytes; the editor attached it, but weft can't read it)`;
}

/** Converts `file:///a%20b` to the path `/a b`. Returns any other address unchanged. */
function pathOf(uri: string): string {
  if (!uri.startsWith('file://')) return uri;
  return tryOr(() => decodeURIComponent(new URL(uri).pathname), uri);
}

/** Converts an editor's servers to the form of `mcpServers`. */
export const givenServers = (servers: z.infer<typeof newSessionRequest>['mcpServers'] = []) =>
  Object.fromEntries(
    servers.map(({name, type, command, args = [], env = [], url, headers = []}) => [
      name,
      command === undefined
        ? {type: type ?? 'http', url: url ?? '', headers: pairs(headers)}
        : {command, args, env: pairs(env)},
    ]),
  );

const pairs = (list: readonly {readonly name: string; readonly value: string}[]) =>
  Object.fromEntries(list.map(({name, value}) => [name, value]));
