import {createHash} from 'node:crypto';
import {isJsonList, isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf} from '../base/json.ts';
import {answerBetween, missingSignature} from './openai-request.ts';
import type {BodyChange} from './send-request.ts';
import {simplifiedSchema} from './simplified-schema.ts';
import {unseenImage, unsentPdf} from './unseen-media.ts';

/** The changes of request bodies that repair refusals. */

export const inTurn =
  (...changes: readonly BodyChange[]): BodyChange =>
  body =>
    changes.reduce((done, change) => change(done), body);

// Parameters.

/** Removes a field: at this path, or everywhere if the body itself has no field with this name. */
export const without =
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
 * Applies `change` to every value inside, outermost first. Skips the properties of a schema and the input of a call,
 * whose names belong to the tool. The Responses API calls its list of messages `input`, too.
 */
function deep(value: Json, change: (value: Json) => Json, key = ''): Json {
  if (key === 'properties' || key === 'arguments' || (key === 'input' && !isJsonList(value))) return value;
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

export function isDroppable(path: string, body: JsonObject): boolean {
  const name = path.split(/[.[\]]+/u).findLast(part => !/^\d*$/u.test(part)) ?? '';
  if (name === '' || needed.has(name)) return false;
  return JSON.stringify(without(path)(body)) !== JSON.stringify(body);
}

export const otherNames: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

export const renamed =
  (from: string, to: string): BodyChange =>
  body =>
    body[from] === undefined ? body : {...omit(body, from), [to]: body[from]};

export const withMaxTokens =
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

export const withOtherThinking =
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

export const messagesField = (body: JsonObject): 'messages' | 'input' =>
  isJsonList(body['messages']) ? 'messages' : 'input';

const withMessages =
  (change: (messages: readonly JsonObject[]) => readonly Json[]): BodyChange =>
  body => {
    const field = messagesField(body);
    return {...body, [field]: change(listOf(body[field]).filter(isJsonObject))};
  };

/** Turns developer instructions into system instructions, and moves system instructions into the user's next message. */
export const withoutRole: BodyChange = body => {
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

/**
 * Leaves only messages of the user and the assistant, in turn. Instructions and results become the user's, and calls
 * become text in the form that weft reads.
 */
export const withPlainRoles: BodyChange = body => {
  const plain = withMessages(all => joinNeighbors(all.map(withPlainRole), 'every-role'));
  return isJsonList(body['messages']) ? plain(body) : withoutRole(body);
};

function withPlainRole(message: JsonObject): JsonObject {
  const {role, content} = message;
  if (role === 'tool') return {role: 'user', content: `<tool_response>\n${plainText(content)}\n</tool_response>`};
  if (role === 'system' || role === 'developer') return {role: 'user', content: content ?? ''};
  const calls = listOf(message['tool_calls']).map(call => {
    const {name, arguments: given} = objectOf(objectOf(call)['function']);
    return `<tool_call>\n{"name": ${JSON.stringify(name ?? '')}, "arguments": ${textOf(given) || '{}'}}\n</tool_call>`;
  });
  const said = plainText(content);
  return calls.length === 0
    ? message
    : {...omit(message, 'tool_calls'), content: [...(said === '' ? [] : [said]), ...calls].join('\n')};
}

/** Adds an empty thinking field to answers, because some servers require the field on every answer. */
export const withReasoning: BodyChange = withMessages(all =>
  all.map(message =>
    message['role'] === 'assistant' && message['reasoning_content'] === undefined
      ? {...message, reasoning_content: ''}
      : message,
  ),
);

/** Joins neighboring messages of the user, and puts an answer between results and the user's next message. */
export const withRoleOrder: BodyChange = withMessages(all =>
  joinNeighbors(all, 'user').flatMap((message, at, joined) => {
    const followsResult = message['role'] === 'user' && joined[at - 1]?.['role'] === 'tool';
    return followsResult ? [{role: 'assistant', content: answerBetween}, message] : [message];
  }),
);

/** Joins neighboring messages of the same role. */
function joinNeighbors(messages: readonly JsonObject[], roles: 'user' | 'every-role'): readonly JsonObject[] {
  const turns: JsonObject[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const {role} = message;
    if (last?.['role'] === role && (roles === 'every-role' || role === 'user'))
      turns[turns.length - 1] = {...last, ...message, content: joinedContent(last?.['content'], message['content'])};
    else turns.push(message);
  }
  return turns;
}

function joinedContent(one: Json | undefined, other: Json | undefined): Json {
  if (typeof one === 'string' && typeof other === 'string') return `${one}\n\n${other}`;
  return [...partsOf(one), ...partsOf(other)];
}

const partsOf = (content: Json | undefined): readonly Json[] =>
  typeof content === 'string' ? [{type: 'text', text: content}] : listOf(content);

/** Adds the signature that Google accepts instead of a missing one or another model's. */
export const withCallSignatures: BodyChange = withMessages(all =>
  all.map(message => {
    const calls = listOf(message['tool_calls']).filter(isJsonObject);
    if (calls.length === 0) return message;
    const signed = calls.map((call, at) =>
      at === 0 ? {...call, extra_content: missingSignature} : omit(call, 'extra_content'),
    );
    return {...message, tool_calls: signed};
  }),
);

export const withShortIds = (most: number): BodyChange => {
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
export const withFunctionTools: BodyChange = body => ({
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

export const withSimpleSchemas: BodyChange = body => ({
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
export const imagesInWords: BodyChange = body =>
  objectOf(
    deep(body, value => {
      if (!isJsonObject(value)) return value;
      if (value['type'] === 'input_image') return {type: 'input_text', text: unseenImage};
      return value['type'] === 'image' || value['type'] === 'image_url' ? {type: 'text', text: unseenImage} : value;
    }),
  );

/** Replaces all media in the body by texts. Chat completions get plain text, because some servers know nothing else. */
export const mediaInWords: BodyChange = body => {
  const {messages, ...rest} = imagesInWords(
    objectOf(
      deep(body, value => {
        if (!isJsonObject(value)) return value;
        const {type, file} = value;
        const text = unsentPdf(
          textOf(value['filename'] ?? objectOf(file)['filename'] ?? value['title']) || 'A document',
        );
        if (type === 'input_file') return {type: 'input_text', text};
        return type === 'document' || (type === 'file' && isJsonObject(file)) ? {type: 'text', text} : value;
      }),
    ),
  );
  if (messages === undefined) return rest;
  return {...rest, messages: body['system'] === undefined ? listOf(messages).map(withPlainText) : messages};
};

function withPlainText(message: Json): Json {
  if (!isJsonObject(message)) return message;
  const parts = listOf(message['content']).map(objectOf);
  const isPlain = parts.length > 0 && parts.every(part => part['type'] === 'text');
  return isPlain ? {...message, content: parts.map(part => textOf(part['text'])).join('\n\n')} : message;
}
