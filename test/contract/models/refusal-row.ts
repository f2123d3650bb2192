import type {Json, JsonObject} from '../../../src/base/json.ts';
import type {
  AssistantBlock,
  AssistantMessage,
  ImageBlock,
  Message,
  ResultContent,
  UserBlock,
} from '../../../src/domain/conversation.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {Effort, ModelRequest} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import type {ReceivedBody} from '../../support/model-server.ts';

/** The connection by which a row is played. */
type Wire = 'anthropic' | 'chat' | 'responses' | 'gemini';

/** What a provider refuses, as it was recorded, and how the request has to end. */
export interface Row {
  readonly provider: string;
  readonly what: string;
  readonly wire: Wire;
  readonly request?: Partial<ModelRequest>;
  readonly effort?: Effort;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the refusal; a string as it is. */
  readonly body: object | string;
  readonly end: End;
}

type End =
  /** The server refuses exactly while `refuses` holds. `shows` is the changed part of both requests. */
  | {
      readonly repair: string;
      readonly refuses: (body: ReceivedBody) => boolean;
      readonly shows: (body: ReceivedBody) => unknown;
      readonly sent: readonly [unknown, unknown];
    }
  /** The engine makes room and repeats. */
  | {readonly tooLong: readonly [tokens: number, window: number]}
  /** The same request is sent again after a wait. */
  | {readonly waits: number}
  /** One request, and this advice. */
  | {readonly final: string};

export const error = (message: string, more: JsonObject = {}): object => ({error: {message, ...more}});
export const invalid = (message: string): object => ({type: 'error', error: {type: 'invalid_request_error', message}});
export const google = (message: string, code = 400): object => [{error: {code, message, status: 'INVALID_ARGUMENT'}}];

// Conversations that provoke refusals.

export const image = (data: string): ImageBlock => ({kind: 'image', mediaType: 'image/png', data});
export const pdf = {kind: 'document', mediaType: 'application/pdf', name: 'a.pdf', data: 'UERG'} as const;
export const user = (id: string, ...blocks: readonly UserBlock[]): Message => ({
  role: 'user',
  id: messageId(id),
  blocks,
});
export const text = (value: string) => ({kind: 'text', text: value}) as const;
export const answer = (...blocks: readonly AssistantBlock[]): AssistantMessage => ({
  role: 'assistant',
  id: messageId('a'),
  model: 'small-model',
  blocks,
  stop: 'tool-use',
  usage: noUsage,
});
export const toolCall = {kind: 'tool-call', id: actionId('call_1'), name: 'Bash', input: {command: 'ls'}} as const;
export const result = (...content: readonly ResultContent[]): UserBlock => ({
  kind: 'tool-result',
  id: toolCall.id,
  content,
  outcome: 'success',
});

export const images = (...data: readonly string[]): Partial<ModelRequest> => ({
  messages: [user('p', text('Look.'), ...data.map(image))],
});
export const results = (...content: readonly ResultContent[]): Partial<ModelRequest> => ({
  messages: [user('p', text('Go.')), answer(toolCall), user('r', result(...content))],
});
export const calls = (...before: readonly AssistantBlock[]): Partial<ModelRequest> => ({
  messages: [user('p', text('Go.')), answer(...before, toolCall), user('r', result(text('done')))],
});
export const thinking = (block: AssistantBlock): Partial<ModelRequest> => ({
  messages: [user('p', text('One?')), {...answer(block, text('1')), stop: 'end-turn'}, user('q', text('Two?'))],
});
export const schema = (inputSchema: JsonObject): Partial<ModelRequest> => ({
  tools: [{name: 'Pick', description: 'Picks.', inputSchema, offered: 'from-the-start'}],
});

// Parts of bodies.

const kinds = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map((part: {readonly type: string}) => part.type) : ['text'];
export const lastContent = ({messages}: ReceivedBody): unknown => messages.at(-1)?.content;
export const lastKinds = (body: ReceivedBody): readonly string[] => kinds(lastContent(body));
export const has = (value: unknown, part: string): boolean => JSON.stringify(value ?? null).includes(part);
export const roles = ({messages}: ReceivedBody): readonly string[] => messages.map(({role}) => role);
export const field =
  (name: string) =>
  (body: ReceivedBody): unknown =>
    body[name];
export const count =
  (part: string) =>
  (body: ReceivedBody): number =>
    JSON.stringify(body).split(part).length - 1;

/** The server takes no such field, wherever it is. */
export const without = (repair: string, name: string, sent: Json): End => ({
  repair,
  refuses: body => has(body, `"${name}":`),
  shows: field(name),
  sent: [sent, undefined],
});

const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0);
export const atMost = (
  name: string,
  {bound, sent}: {readonly bound: number; readonly sent: readonly [number, number]},
): End => ({
  repair: 'max-tokens',
  refuses: body => numberIn(body[name]) > bound || body[name] === undefined,
  shows: field(name),
  sent,
});

export const withoutThinking: End = {
  repair: 'thinking-signature',
  refuses: body => has(body, 'thinking"'),
  shows: count('thinking"'),
  sent: [2, 0],
};
export const noImages = (part: string): End => ({
  repair: 'no-images',
  refuses: body => has(body, `"${part}"`),
  shows: lastKinds,
  sent: [
    ['text', part],
    ['text', 'text'],
  ],
});

export const billing = 'Add credit with the provider, or use another key.';
export const rephrase = 'Rephrase the prompt, or use another model (/model, --fallback-model).';
export const choice = {
  type: 'object',
  properties: {kind: {anyOf: [{type: 'string', const: 'a'}, {type: 'null'}]}},
  $schema: 'x',
} as const;
const simple = {type: 'object', properties: {kind: {type: 'string', enum: ['a']}}};
const parameters = ({tools = []}: ReceivedBody): unknown => {
  const [tool] = tools;
  const inner = tool?.['function'];
  return typeof inner === 'object' && inner !== null && 'parameters' in inner ? inner.parameters : undefined;
};
export const simpler = (part: string, sent: Json): End => ({
  repair: 'schema',
  refuses: body => has(body['tools'], part),
  shows: parameters,
  sent: [sent, simple],
});
export const streamOptions = without('parameter', 'stream_options', {include_usage: true});
