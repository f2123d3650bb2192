import * as z from 'zod/mini';
import {tryOr} from '../../base/outcome.ts';
import type {ImageBlock} from '../../domain/conversation.ts';
import {imageFrom} from '../../domain/image-facts.ts';

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

const resource = z.looseObject({uri: z.string(), text: z.optional(z.string())});
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

/** Converts a prompt to weft's form. Linked files become paths, and embedded texts follow their paths. */
export function promptOf(blocks: Prompt): {readonly text: string; readonly images: readonly ImageBlock[]} {
  const images: ImageBlock[] = [];
  const texts = blocks.map(block => {
    switch (block.type) {
      case 'text':
        return block.text;
      case 'resource_link':
        return pathOf(block.uri);
      case 'resource':
        return `\n${pathOf(block.resource.uri)}:\n${block.resource.text ?? ''}\n`;
      case 'image':
        images.push(block.image);
        return '';
      default:
        return block satisfies never;
    }
  });
  return {text: texts.join(''), images};
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
