import {createHash} from 'node:crypto';
import {unreachable} from '../base/unreachable.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf} from '../base/json.ts';
import type {
  AssistantBlock,
  BlockAddress,
  DocumentBlock,
  ImageBlock,
  Message,
  ResultContent,
  UserBlock,
} from '../domain/conversation.ts';
import {withoutMedia} from '../domain/history.ts';
import type {MessageId} from '../domain/ids.ts';
import type {ModelRequest, Repaired} from '../domain/model-stream.ts';
import type {JudgedRefusal, RefusalClass} from './refusals.ts';
import type {BodyChange, SessionRefusalChanges, RequestChange} from './send-request.ts';
import {simplifiedSchema} from './simplified-schema.ts';
import {missingSignature, imageFollowsText} from './openai-request.ts';
import {unseenImage} from './unseen-media.ts';

/**
 * The repair of one refusal, or `undefined` if nothing in the request can be repaired. Lessons for later requests go
 * into `learned`.
 */
export interface Repair {
  /** Identifies the refusal. If the same refusal comes again, it is final. */
  readonly key: string;
  readonly event: Repaired;
  /** The request to send again. */
  readonly request: ModelRequest;
  /** Changes only this request's body. */
  readonly once: BodyChange | undefined;
  /** Takes the lessons back. */
  readonly undo: () => void;
}

interface RefusedRequest {
  readonly request: ModelRequest;
  /** The body that was sent. */
  readonly body: JsonObject;
  readonly learned: SessionRefusalChanges;
  /** The name of the server, for people. */
  readonly server: string;
  /** The keys of the repairs of this request so far. */
  readonly tried: ReadonlySet<string>;
  readonly refusedBetas: Set<string> | undefined;
}

interface Step {
  readonly text: string;
  readonly key?: string;
  readonly leftOut?: readonly BlockAddress[];
  /** Applies to all later requests too. */
  readonly body?: BodyChange;
  readonly conversation?: RequestChange;
  readonly once?: BodyChange;
  readonly learn?: Partial<Pick<SessionRefusalChanges, 'thinkingEcho' | 'toolReferences'>>;
  readonly betas?: readonly string[];
}

export function repairOf({is, said}: JudgedRefusal, refused: RefusedRequest): Repair | undefined {
  const step = stepFor(is, said, refused);
  if (step === undefined) return undefined;
  const {request, learned, refusedBetas} = refused;
  const {text, leftOut = [], body, conversation, once, learn = {}, betas = [], key = is.kind} = step;
  if (refused.tried.has(key)) return undefined;
  // An unchanged body would only be refused again.
  const change = body ?? once;
  if (change !== undefined && JSON.stringify(change(refused.body)) === JSON.stringify(refused.body)) return undefined;
  if (body !== undefined) learned.bodyChanges.push(body);
  if (conversation !== undefined) learned.requestChanges.push(conversation);
  const {thinkingEcho, toolReferences} = learned;
  Object.assign(learned, learn);
  for (const name of betas) refusedBetas?.add(name);
  const undo = (): void => {
    if (body !== undefined) remove(learned.bodyChanges, body);
    if (conversation !== undefined) remove(learned.requestChanges, conversation);
    Object.assign(learned, {thinkingEcho, toolReferences});
    for (const name of betas) refusedBetas?.delete(name);
  };
  const messages = leftOut.length === 0 ? request.messages : withoutMedia(request.messages, leftOut);
  return {key, event: {event: 'repaired', repair: is.kind, text, leftOut}, request: {...request, messages}, once, undo};
}

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}

function stepFor(is: RefusalClass, said: string, refused: RefusedRequest): Step | undefined {
  const {request, body, server} = refused;
  const {model} = request;
  switch (is.kind) {
    case 'system-role':
      return {
        body: withoutRole,
        text: `${model} doesn't support this role for instructions, so weft sent them in another role.`,
      };
    case 'beta':
      return refused.refusedBetas === undefined
        ? undefined
        : {
            betas: is.names.length === 0 ? ['all'] : is.names,
            text: `${server} doesn't support ${is.names.length === 0 ? 'betas' : `the beta ${is.names.join(', ')}`}, so weft left ${is.names.length > 1 ? 'them' : 'it'} out.`,
          };
    case 'cache-control':
      return {
        body: without('cache_control'),
        text: `${server} doesn't support prompt caching marks, so weft left them out.`,
      };
    case 'tool-references':
      return refused.learned.toolReferences === 'refused'
        ? undefined
        : {
            learn: {toolReferences: 'refused'},
            text: `${server} doesn't load tools on demand, so weft sent all of them.`,
          };
    case 'thinking-first':
      return {
        once: without('thinking'),
        text: `${model} can't start thinking in the middle of a turn. It continues without thinking.`,
      };
    case 'thinking-signature': {
      const ids = thoughtful(request.messages);
      if (ids.size === 0) return undefined;
      return {
        conversation: withoutThinking(ids),
        text: `${server} rejected ${model}'s earlier thinking, so weft sent the request without it.`,
      };
    }
    case 'thinking-echo':
      return {
        body: withReasoning,
        learn: {thinkingEcho: 'required'},
        text: `${model} requires its earlier thinking, so weft sent it.`,
      };
    case 'thinking-type':
      return {
        body: withOtherThinking(said),
        text: `${model} doesn't support this thinking mode, so weft chose another.`,
      };
    case 'effort':
      return {
        body: inTurn(without('output_config'), without('reasoning_effort'), without('reasoning.effort')),
        text: `${model} doesn't support this effort level, so weft left it out.`,
      };
    case 'call-signature':
      return {
        body: withCallSignatures,
        text: `Earlier tool calls had no signatures from ${model}, so weft added placeholders.`,
      };
    case 'call-id':
      return {body: withShortIds(is.most), text: `${server} accepts only short tool call IDs, so weft shortened them.`};
    case 'schema':
      return {
        body: withSimpleSchemas,
        text: `${server} rejected the full tool schemas, so weft sent simpler ones.`,
      };
    case 'text-tools':
      return {
        body: withFunctionTools,
        text: `${server} supports only tools with JSON inputs, so weft sent such tools.`,
      };
    case 'result-media':
      return mediaOf(request).some(({result}) => result)
        ? {
            conversation: mediaAfterResults,
            text: `${server} doesn't support images in tool results, so weft sent the images after the results.`,
          }
        : undefined;
    case 'no-images':
      return {body: imagesInWords, text: `${model} can't see images, so weft replaced them with text.`};
    case 'max-tokens':
      return is.input === 0
        ? {
            body: withMaxTokens(is.most),
            text: `${model} writes at most ${numeral(is.most)} tokens, so weft lowered the limit.`,
          }
        : {
            once: withMaxTokens(is.most),
            text: `The conversation leaves ${numeral(is.most)} tokens for the answer, so weft lowered the limit.`,
          };
    case 'image':
    case 'document': {
      const leftOut = namedMedia(said, body, request) ?? newest(is.kind, request);
      if (leftOut.length === 0 || refused.tried.size >= maxRepairs) return undefined;
      const what = is.kind === 'image' ? 'an image' : 'a document';
      return {
        leftOut,
        // The next refusal is about another block.
        key: `${is.kind} ${JSON.stringify(leftOut)}`,
        text: `${model} could not read ${leftOut.length === 1 ? what : `${leftOut.length} images`}; ${leftOut.length === 1 ? 'it was' : 'they were'} left out.`,
      };
    }
    case 'too-many-media':
    case 'too-many-bytes': {
      const leftOut = is.kind === 'too-many-media' ? oldestOver(said, request) : heaviest(request);
      if (leftOut.length === 0) return undefined;
      return {
        leftOut,
        text: `The request held too many images or documents; ${leftOut.length === 1 ? 'the oldest one was' : `the oldest ${leftOut.length} were`} left out.`,
      };
    }
    case 'parameter': {
      const name = is.names.find(each => isDroppable(each, body));
      if (name === undefined) return undefined;
      // A server may refuse several parameters, one after the other. If it sends the same message again, weft gives up.
      const key = `parameter: ${said}`;
      const other = otherNames[name];
      return other === undefined
        ? {key, body: without(name), text: `${server} doesn't support "${name}", so weft left it out.`}
        : {
            key,
            body: renamed(name, other),
            text: `${server} expects "${other}" instead of "${name}", so weft sent that.`,
          };
    }
    case 'too-long':
    case 'other':
      return undefined;
    default:
      return unreachable(is);
  }
}

/** The maximum number of repairs of one request, if each of them is about another image. */
const maxRepairs = 8;

const numeral = (count: number): string => count.toLocaleString('en-US');

const inTurn =
  (...changes: readonly BodyChange[]): BodyChange =>
  body =>
    changes.reduce((done, change) => change(done), body);

// Parameters.

/** Removes a field: at this path, or everywhere if the body itself has no field with this name. */
const without =
  (path: string): BodyChange =>
  body => {
    const names = path.split(/[.[\]]+/u).filter(name => name !== '');
    const [first = '', second] = names;
    if (names.length === 1 && body[first] !== undefined) return omit(body, first);
    if (names.length === 2 && second !== undefined && isJsonObject(body[first])) {
      return {...body, [first]: omit(body[first], second)};
    }
    return objectOf(deep(body, value => (isJsonObject(value) ? omit(value, names.at(-1) ?? '') : value)));
  };

const omit = (value: JsonObject, name: string): JsonObject =>
  Object.hasOwn(value, name) ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)) : value;

/**
 * Applies `change` to every value inside, outermost first. Skips the properties of a schema, whose names belong to the
 * tool.
 */
function deep(value: Json, change: (value: Json) => Json, key = ''): Json {
  if (key === 'properties' || key === 'input' || key === 'arguments') return value;
  const changed = change(value);
  if (isJsonList(changed)) return changed.map(item => deep(item, change));
  if (!isJsonObject(changed)) return changed;
  return Object.fromEntries(Object.entries(changed).map(([name, inner]) => [name, deep(inner, change, name)]));
}

/** The fields that a request can't do without. */
const needed = new Set(
  'model messages input stream role content type text name id tools system instructions function parameters input_schema properties tool_call_id tool_use_id call_id arguments image_url source data output description required schema thinking_text'.split(
    ' ',
  ),
);

function isDroppable(path: string, body: JsonObject): boolean {
  const name = path.split(/[.[\]]+/u).findLast(part => !/^\d*$/u.test(part)) ?? '';
  if (name === '' || needed.has(name)) return false;
  return JSON.stringify(without(path)(body)) !== JSON.stringify(body);
}

const otherNames: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

const renamed =
  (from: string, to: string): BodyChange =>
  body =>
    body[from] === undefined ? body : {...omit(body, from), [to]: body[from]};

const withMaxTokens =
  (most: number): BodyChange =>
  body => {
    const name = ['max_completion_tokens', 'max_output_tokens', 'max_tokens'].find(each => body[each] !== undefined);
    const field = name ?? (body['input'] === undefined ? 'max_tokens' : 'max_output_tokens');
    const given = body[field];
    const limit = typeof given === 'number' ? Math.min(given, most) : most;
    const {budget_tokens: budget} = objectOf(body['thinking']);
    const lowered = {...body, [field]: limit};
    if (typeof budget !== 'number' || budget < limit) return lowered;
    // The API requires room for the answer after the thinking.
    return limit < 2048
      ? omit(lowered, 'thinking')
      : {...lowered, thinking: {...objectOf(body['thinking']), budget_tokens: Math.floor(limit / 2)}};
  };

const withOtherThinking =
  (said: string): BodyChange =>
  body => {
    const thinking = objectOf(body['thinking']);
    const {type} = thinking;
    if (type === 'enabled') return {...body, thinking: {type: 'adaptive'}};
    if (type === 'adaptive') {
      const limit = typeof body['max_tokens'] === 'number' ? body['max_tokens'] : 0;
      return limit < 2048
        ? omit(body, 'thinking')
        : {...body, thinking: {type: 'enabled', budget_tokens: Math.floor(limit / 2)}};
    }
    return type === 'disabled' && /between_tools/u.test(said)
      ? {...body, thinking: {type: 'between_tools'}}
      : omit(body, 'thinking');
  };

// Messages.

const messagesField = (body: JsonObject): 'messages' | 'input' => (isJsonList(body['messages']) ? 'messages' : 'input');

const withMessages =
  (change: (messages: readonly JsonObject[]) => readonly Json[]): BodyChange =>
  body => {
    const field = messagesField(body);
    return {...body, [field]: change(listOf(body[field]).filter(isJsonObject))};
  };

/**
 * Turns developer instructions into system instructions, and moves system instructions into the user's next message.
 */
const withoutRole: BodyChange = body => {
  const field = messagesField(body);
  const roles = new Set(listOf(body[field]).map(message => objectOf(message)['role']));
  if (roles.has('developer')) {
    return withMessages(all =>
      all.map(message => (message['role'] === 'developer' ? {...message, role: 'system'} : message)),
    )(body);
  }
  return withMessages(all => {
    let waiting = '';
    const rest: JsonObject[] = [];
    for (const message of all) {
      if (message['role'] === 'system') waiting += `${plainText(message['content'])}\n\n`;
      else if (message['role'] === 'user' && waiting !== '') {
        rest.push({...message, content: withTextBefore(message['content'], waiting, field)});
        waiting = '';
      } else rest.push(message);
    }
    return waiting === '' ? rest : [...rest, {role: 'user', content: waiting.trim()}];
  })(body);
};

const plainText = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(part => textOf(objectOf(part)['text']))
        .join('\n\n');

const withTextBefore = (content: Json | undefined, text: string, field: 'messages' | 'input'): Json =>
  isJsonList(content)
    ? [{type: field === 'input' ? 'input_text' : 'text', text: text.trim()}, ...content]
    : `${text}${textOf(content)}`;

/** Adds an empty thinking field to answers, because some servers require the field on every answer. */
const withReasoning: BodyChange = withMessages(all =>
  all.map(message =>
    message['role'] === 'assistant' && message['reasoning_content'] === undefined
      ? {...message, reasoning_content: ''}
      : message,
  ),
);

/** Adds the signature that Google accepts instead of a missing one or another model's. */
const withCallSignatures: BodyChange = withMessages(all =>
  all.map(message => {
    const calls = listOf(message['tool_calls']).filter(isJsonObject);
    if (calls.length === 0) return message;
    const signed = calls.map((call, at) =>
      at === 0 ? {...call, extra_content: missingSignature} : omit(call, 'extra_content'),
    );
    return {...message, tool_calls: signed};
  }),
);

const withShortIds = (most: number): BodyChange => {
  const short = (id: string): string =>
    createHash('sha256')
      .update(id)
      .digest('base64')
      .replaceAll(/[^a-zA-Z0-9]/gu, '')
      .slice(0, Math.min(most, 24));
  return body =>
    objectOf(
      deep(body, value => {
        if (!isJsonObject(value)) return value;
        const isCall = value['function'] !== undefined || value['type'] === 'tool_use';
        const names = ['tool_call_id', 'tool_use_id', 'call_id', ...(isCall ? ['id'] : [])];
        const ids = names.flatMap(name =>
          typeof value[name] === 'string' ? [[name, short(value[name])] as const] : [],
        );
        return ids.length === 0 ? value : {...value, ...Object.fromEntries(ids)};
      }),
    );
};

/** Tools whose input is a text become functions with one field. */
const withFunctionTools: BodyChange = body => ({
  ...body,
  tools: listOf(body['tools']).map(tool => {
    if (!isJsonObject(tool) || !isJsonObject(tool['format'])) return tool;
    const parameters = {type: 'object', properties: {input: {type: 'string'}}, required: ['input']};
    return {...omit(tool, 'format'), type: 'function', parameters, strict: false};
  }),
  input: listOf(body['input']).map(item => {
    if (!isJsonObject(item)) return item;
    if (item['type'] === 'custom_tool_call_output') return {...item, type: 'function_call_output'};
    if (item['type'] !== 'custom_tool_call') return item;
    return {...omit(item, 'input'), type: 'function_call', arguments: JSON.stringify({input: item['input'] ?? ''})};
  }),
});

const withSimpleSchemas: BodyChange = body => ({
  ...body,
  tools: listOf(body['tools'])
    .filter(isJsonObject)
    .map(tool => {
      const {function: inner} = tool;
      return isJsonObject(inner) ? {...tool, function: simpleTool(inner)} : simpleTool(tool);
    }),
});

function simpleTool(tool: JsonObject): JsonObject {
  const field = ['parameters', 'input_schema'].find(name => isJsonObject(tool[name]));
  const plain = omit(tool, 'strict');
  return field === undefined ? plain : {...plain, [field]: simplifiedSchema(objectOf(tool[field]))};
}

/** Replaces every image in the body by a text of the same protocol. */
const imagesInWords: BodyChange = body =>
  objectOf(
    deep(body, value => {
      if (!isJsonObject(value)) return value;
      if (value['type'] === 'input_image') return {type: 'input_text', text: unseenImage};
      return value['type'] === 'image' || value['type'] === 'image_url' ? {type: 'text', text: unseenImage} : value;
    }),
  );

// Thinking.

const isThinking = (block: AssistantBlock): boolean =>
  block.kind === 'thinking' ||
  block.kind === 'sealed-thinking' ||
  (block.kind === 'other' && block.type === 'reasoning');

/** Returns the answers that contain thinking. */
const thoughtful = (messages: readonly Message[]): ReadonlySet<MessageId> =>
  new Set(
    messages.flatMap(message => (message.role === 'assistant' && message.blocks.some(isThinking) ? [message.id] : [])),
  );

const withoutThinking =
  (ids: ReadonlySet<MessageId>): RequestChange =>
  request => ({
    ...request,
    messages: request.messages.map(message =>
      message.role === 'assistant' && ids.has(message.id)
        ? {...message, blocks: message.blocks.filter(block => !isThinking(block))}
        : message,
    ),
  });

// Media.

type Media = ImageBlock | DocumentBlock;
interface PlacedMedia extends BlockAddress {
  readonly media: Media;
  /** Whether the media are in the result of a tool call. */
  readonly result: boolean;
}

const isMedia = (block: ResultContent): block is Media => block.kind !== 'text';

/** Returns all images and documents of a request, oldest first. */
const mediaOf = ({messages}: ModelRequest): readonly PlacedMedia[] =>
  messages.flatMap(({role, id, blocks}) =>
    role === 'assistant'
      ? []
      : blocks.flatMap((block, at) =>
          mediaIn(block).map(media => ({message: id, block: at, media, result: block.kind === 'tool-result'})),
        ),
  );

function mediaIn(block: UserBlock | AssistantBlock): readonly Media[] {
  if (block.kind === 'image') return [block];
  return block.kind === 'tool-result' ? block.content.filter(isMedia) : [];
}

const addresses = (placed: readonly PlacedMedia[]): readonly BlockAddress[] => {
  const known = new Map(placed.map(({message, block}) => [`${message} ${block}`, {message, block}]));
  return [...known.values()];
};

/** Returns the media in the blocks that a refusal names by their position in the body; `undefined` if it names none. */
function namedMedia(said: string, body: JsonObject, request: ModelRequest): readonly BlockAddress[] | undefined {
  const places = [...said.matchAll(/(?:messages|input|contents)[.[](\d+)\]?\.(?:content|parts|output)[.[](\d+)/gu)];
  const items = listOf(body[messagesField(body)]);
  const blocks = places.flatMap(([, message, block]) => {
    const item = objectOf(items[Number(message)]);
    const part = listOf(item['content'] ?? item['output'])[Number(block)];
    return part === undefined ? [] : [JSON.stringify(part)];
  });
  const named = mediaOf(request).filter(({media}) => blocks.some(block => block.includes(media.data)));
  return named.length === 0 ? undefined : addresses(named);
}

function newest(kind: 'image' | 'document', request: ModelRequest): readonly BlockAddress[] {
  const last = mediaOf(request).findLast(({media}) => media.kind === kind);
  return last === undefined ? [] : addresses([last]);
}

/** Returns the oldest media: as many as exceed the limit that the refusal names, or half of all if it names none. */
function oldestOver(said: string, request: ModelRequest): readonly BlockAddress[] {
  const all = mediaOf(request);
  const bounds = [
    ...said.matchAll(/(?:>|at most|maximum(?: of| is)?|more than|up to|limit(?: of| is)?|exceeds?) ?(\d+)/gu),
  ];
  const bound = bounds.map(([, most]) => Number(most)).find(most => most < all.length) ?? Math.floor(all.length / 2);
  return addresses(all.slice(0, all.length - bound));
}

/** Returns the oldest media that together have half of the bytes. */
function heaviest(request: ModelRequest): readonly BlockAddress[] {
  const all = mediaOf(request);
  const total = all.reduce((sum, {media}) => sum + media.data.length, 0);
  let gone = 0;
  return addresses(
    all.filter(({media}) => {
      if (gone * 2 >= total) return false;
      gone += media.data.length;
      return true;
    }),
  );
}

/** Moves images out of results to the position after them. */
const mediaAfterResults: RequestChange = request => ({
  ...request,
  messages: request.messages.map(message => {
    if (message.role === 'assistant') return message;
    const images: UserBlock[] = [];
    const results = message.blocks.map((block): UserBlock => {
      if (block.kind !== 'tool-result' || !block.content.some(isMedia)) return block;
      images.push(...block.content.filter(part => part.kind === 'image'));
      const texts = block.content.filter(part => part.kind === 'text');
      return {...block, content: texts.length > 0 ? texts : [{kind: 'text', text: imageFollowsText}]};
    });
    const last = results.findLastIndex(({kind}) => kind === 'tool-result');
    return images.length === 0 ? message : {...message, blocks: results.toSpliced(last + 1, 0, ...images)};
  }),
});
