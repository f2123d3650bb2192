import {checksum, wireName} from '../domain/mcp-tool-name.ts';
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  ResultContent,
  ToolCallBlock,
  ToolResultBlock,
  UserMessage,
  WrittenCall,
} from '../domain/conversation.ts';
import {isPromptContent, lostResult} from '../domain/history.ts';
import {actionId, type ActionId, messageId} from '../domain/ids.ts';
import type {ModelRequest, ProviderTool, ToolSpec} from '../domain/model-stream.ts';
import {type SchemaRule, toolSchema} from './tool-schema.ts';

/** Returns the nearest tool call id that a provider accepts: the id itself if it is valid. */
export type ToValidId = (id: string) => string;

/** The ids that each kind of provider accepts. */
export const idRules = {
  anthropic: id => bounded(wireName(id), 64),
  responses: id => bounded(id, 64),
  chat: id => bounded(id, 40),
  /** Mistral accepts exactly nine letters and digits. */
  mistral: id => (/^[a-z\d]{9}$/iu.test(id) ? id : `w${checksum(id)}`),
} as const satisfies Record<string, ToValidId>;

/** Tool names of OpenAI and of most other providers have at most 64 characters. */
const maxNameLength = 64;

function bounded(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 9)}_${checksum(text)}`;
}

/** The ids and schemas that a provider accepts. */
export interface SendableRules {
  readonly fitId: ToValidId;
  readonly schema: SchemaRule | 'any';
}

/**
 * Returns the request without anything that providers are known to refuse.
 *
 * - Calls use the names and fields of the offered tools.
 * - Tool call ids and tool names are valid, unique, and the same in call and result. `ToolNames` translates names back.
 * - Every call has one result, and every result follows its call.
 * - No text is blank.
 * - Tools have schemas of the provider's kind.
 *
 * The beginning of a longer conversation stays the same, so that prompt caches hold.
 */
export function sendableRequest(request: ModelRequest, {fitId, schema}: SendableRules): ModelRequest {
  const names = new ToolNames(request.tools);
  const ids = new CallIds(fitId);
  const messages: Message[] = [];
  let open: ReadonlyMap<ActionId, ActionId> = new Map();
  const closeCalls = (user: UserMessage | undefined): void => {
    const message = userMessage(user, {open, names, after: messages.at(-1)});
    if (message !== undefined) messages.push(message);
    open = new Map();
  };
  for (const message of request.messages) {
    if (message.role === 'user') {
      closeCalls(message);
      continue;
    }
    if (open.size > 0) closeCalls(undefined);
    const {sent, calls} = assistantMessage(message, {ids, names});
    if (sent.blocks.length > 0) messages.push(sent);
    open = calls;
  }
  if (open.size > 0) closeCalls(undefined);
  return {...request, tools: request.tools.map(tool => wireTool(tool, {names, schema})), messages};
}

/** True if both lists have the same items. The form of an unchanged message can then be kept for the next request. */
export const isSameList = (list: readonly unknown[], other: readonly unknown[]): boolean =>
  list.length === other.length && list.every((item, at) => item === other[at]);

/**
 * Writes a request's body as JSON. Replaces halves of surrogate pairs, which providers refuse and only `JSON.stringify`
 * writes as escapes.
 */
export function wireJson(body: object): string {
  const json = JSON.stringify(body);
  if (!json.includes('\\ud')) return json;
  return json.replaceAll(/\\(?:ud[89a-f][\da-f]{2}|.)/gu, escape => (escape.startsWith('\\ud') ? '\\ufffd' : escape));
}

/** The bytes of the first messages of a conversation, as JSON with a comma after each. */
interface Prefix {
  readonly messages: object[];
  /** The position in `bytes` at which each message ends. */
  readonly ends: number[];
  bytes: Buffer;
}

/** The messages whose JSON is kept. */
const lasting = new WeakSet<object>();

/**
 * The prefixes by their first message, the latest used last. They go with the message, which a session keeps after a compaction, or once
 * `maxPrefixes` others or `maxIdleRequests` requests came later.
 */
const prefixes = new WeakMap<object, Prefix>();
let latestPrefixes: readonly {readonly first: WeakRef<object>; readonly usedAt: number}[] = [];
let requests = 0;
const maxPrefixes = 12;
const maxIdleRequests = 32;

/** Returns the form of a message, made by `make` unless it is known. */
export type KeptForm<Form extends object> = (message: Message, make: () => readonly Form[]) => readonly Form[];

/**
 * Keeps the forms of messages. `wireBytes` keeps their bytes, because each request begins with the messages of the one before.
 * `dependsOn` is everything else that the forms depend on.
 */
export function keepForms<Form extends object>(): (dependsOn: string) => KeptForm<Form> {
  const all = new Map<string, WeakMap<Message, readonly Form[]>>();
  return dependsOn => {
    const kept = all.get(dependsOn) ?? new WeakMap<Message, readonly Form[]>();
    all.set(dependsOn, kept);
    return (message, make) => {
      const known = kept.get(message);
      if (known !== undefined) return known;
      const forms = make();
      for (const form of forms) lasting.add(form);
      kept.set(message, forms);
      return forms;
    };
  };
}

/** Returns a request's body as `wireJson` writes it, in UTF-8. A message whose bytes are kept costs only a copy. */
export function wireBytes(body: object): Uint8Array {
  const fields = Object.entries<unknown>({...body});
  const field = fields.findIndex(([name]) => name === 'messages' || name === 'input');
  const [name = '', list] = fields[field] ?? [];
  const messages = isObjects(list) ? list : [];
  const from = messages.findIndex(message => lasting.has(message));
  const first = messages[from];
  if (first === undefined) return Buffer.from(wireJson(body));
  const firstOther = messages.findIndex((message, at) => at > from && !lasting.has(message));
  const until = firstOther < 0 ? messages.length : firstOther;
  const json = wireJson({...body, [name]: []});
  const at = wireJson({...Object.fromEntries(fields.slice(0, field)), [name]: []}).length - ']}'.length;
  const before = messages.slice(0, from).map(message => `${wireJson(message)},`);
  const rest = messages.slice(until).map(wireJson).join(',');
  const prefix = prefixOf(first, messages.slice(from, until));
  return Buffer.concat([
    Buffer.from(json.slice(0, at) + before.join('')),
    // Without other messages, the last comma is left out.
    rest === '' ? prefix.subarray(0, -1) : prefix,
    Buffer.from(rest + json.slice(at)),
  ]);
}

const isObjects = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.every(item => typeof item === 'object' && item !== null);

function prefixOf(first: object, messages: readonly object[]): Buffer {
  const prefix = prefixes.get(first) ?? {messages: [], ends: [], bytes: Buffer.alloc(0)};
  prefixes.set(first, prefix);
  keepLatest(first);
  const changed = prefix.messages.findIndex((message, at) => message !== messages[at]);
  const known = changed < 0 ? prefix.messages.length : changed;
  prefix.messages.length = known;
  prefix.ends.length = known;
  let end = prefix.ends.at(-1) ?? 0;
  for (const message of messages.slice(known)) {
    const bytes = Buffer.from(`${wireJson(message)},`);
    if (end + bytes.length > prefix.bytes.length) {
      prefix.bytes = Buffer.concat([prefix.bytes.subarray(0, end)], Math.ceil((end + bytes.length) * growth));
    }
    end += bytes.copy(prefix.bytes, end);
    prefix.messages.push(message);
    prefix.ends.push(end);
  }
  return prefix.bytes.subarray(0, end);
}

function keepLatest(message: object): void {
  requests += 1;
  const others = latestPrefixes.filter(({first}) => first.deref() !== message);
  const all = [...others, {first: new WeakRef(message), usedAt: requests}];
  latestPrefixes = all.slice(-maxPrefixes).filter(({usedAt}) => requests - usedAt < maxIdleRequests);
  for (const {first} of all.slice(0, all.length - latestPrefixes.length)) {
    const dropped = first.deref();
    if (dropped !== undefined) prefixes.delete(dropped);
  }
}

/** How much longer memory is made than it has to be, so that it is seldom copied. */
const growth = 1.25;

/** Gives each call a unique id, because some servers number the calls of every answer from 0. */
class CallIds {
  readonly #fit: ToValidId;
  readonly #taken = new Set<string>();

  constructor(fit: ToValidId) {
    this.#fit = fit;
  }

  next(id: string): ActionId {
    const wanted = id === '' ? 'call' : id;
    let free = this.#fit(wanted);
    for (let copy = 2; this.#taken.has(free); copy++) free = this.#fit(`${wanted}_${copy}`);
    this.#taken.add(free);
    return actionId(free);
  }
}

/** The names of a request's tools on the wire. */
export class ToolNames {
  readonly #wire = new Map<string, string>();
  readonly #own = new Map<string, string>();

  constructor(tools: ModelRequest['tools']) {
    const names = tools.flatMap(tool => ('provided' in tool ? [] : [tool.name]));
    // A valid name stays unchanged, whatever the other names are.
    for (const name of names.toSorted((a, b) => Number(isValidName(b)) - Number(isValidName(a)))) {
      let wire = validName(name);
      for (let copy = 2; this.#own.has(wire); copy++) wire = validName(`${name}_${copy}`);
      this.#wire.set(name, wire);
      this.#own.set(wire, name);
    }
  }

  has(name: string): boolean {
    return this.#wire.has(name);
  }

  /** Returns a tool's name on the wire. A model may have called a tool that does not exist or no longer exists. */
  toWire(name: string): string {
    return this.#wire.get(name) ?? validName(name);
  }

  /** Returns weft's name of a tool that the model called. GLM sometimes writes the first argument after the name. */
  toOwn(name: string): string {
    const own = this.#own.get(name);
    if (own !== undefined || !name.includes('<')) return own ?? name;
    const [front = ''] = name.split('<');
    return this.#own.get(front.trim()) ?? name;
  }
}

function wireTool(
  tool: ToolSpec | ProviderTool,
  {names, schema}: {readonly names: ToolNames; readonly schema: SendableRules['schema']},
): ToolSpec | ProviderTool {
  if ('provided' in tool) return tool;
  const inputSchema = schema === 'any' ? tool.inputSchema : toolSchema(tool.inputSchema, schema);
  return {...tool, name: names.toWire(tool.name), inputSchema};
}

const isValidName = (name: string): boolean => name !== '' && validName(name) === name;

const validName = (name: string): string => bounded(wireName(name), maxNameLength) || 'unknown';

function assistantMessage(
  message: AssistantMessage,
  {ids, names}: {readonly ids: CallIds; readonly names: ToolNames},
): {readonly sent: AssistantMessage; readonly calls: ReadonlyMap<ActionId, ActionId>} {
  const calls = new Map<ActionId, ActionId>();
  const blocks = message.blocks.flatMap((block): readonly AssistantBlock[] => {
    if (block.kind === 'text') return block.text.trim() === '' ? [] : [block];
    if (block.kind !== 'tool-call') return [block];
    const id = ids.next(block.id);
    calls.set(block.id, id);
    const {name, input} = sentCall(block, names);
    const wire = names.toWire(name);
    return [
      block.written === undefined && id === block.id && wire === block.name
        ? block
        : {kind: block.kind, id, name: wire, input},
    ];
  });
  return {sent: isSameList(blocks, message.blocks) ? message : {...message, blocks}, calls};
}

/** Returns the call as the model wrote it, unless this is another model that has weft's tool under its own name. */
const sentCall = ({name, input, written}: ToolCallBlock, names: ToolNames): WrittenCall =>
  written === undefined || (!names.has(written.name) && names.has(name)) ? {name, input} : written;

/** Puts results first. Returns `undefined` if nothing is left of the message. */
function userMessage(
  message: UserMessage | undefined,
  {
    open,
    names,
    after,
  }: {
    readonly open: ReadonlyMap<ActionId, ActionId>;
    readonly names: ToolNames;
    readonly after: Message | undefined;
  },
): UserMessage | undefined {
  const given = message?.blocks ?? [];
  const results = new Map<ActionId, ToolResultBlock>();
  for (const block of given) if (block.kind === 'tool-result' && !results.has(block.id)) results.set(block.id, block);
  const answered = [...results.values()].flatMap((result): readonly ToolResultBlock[] => {
    const id = open.get(result.id);
    if (id === undefined) return [];
    const content = resultContent(result.content, names);
    return [id === result.id && content === result.content ? result : {...result, id, content}];
  });
  const lost = [...open].filter(([id]) => !results.has(id)).map(([, id]) => lostResult(id));
  const others = given.filter(isPromptContent);
  const blocks = [...answered, ...lost, ...others];
  if (blocks.length === 0) return undefined;
  if (message !== undefined && isSameList(blocks, given)) return message;
  return {role: 'user', id: message?.id ?? messageId(`${after?.id ?? ''}:results`), blocks};
}

function resultContent(content: readonly ResultContent[], names: ToolNames): readonly ResultContent[] {
  const kept = content
    .filter(block => block.kind !== 'text' || block.text.trim() !== '')
    .map(block => ('foundTool' in block ? {...block, foundTool: names.toWire(block.foundTool)} : block));
  if (isSameList(kept, content) && content.length > 0) return content;
  return kept.length > 0 ? kept : [{kind: 'text', text: '(no output)'}];
}
