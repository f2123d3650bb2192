import * as z from 'zod/mini';
import {isJsonObject, parseJson, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {DocumentBlock, ImageBlock} from '../../domain/conversation.ts';
import {imageFrom} from '../../domain/image-facts.ts';
import {joinAttachedTexts} from '../../domain/slash-command.ts';
import {controlRequests, type ControlRequest} from './control-message.ts';

/** One line of a client's input, decoded as far as possible. */
export type RpcInput =
  | {readonly kind: 'prompt'; readonly prompt: InputPrompt}
  | {readonly kind: 'request'; readonly id: string; readonly request: ControlRequest}
  /** A request that weft can't serve. Its `subtype` is unknown, or `message` says what is invalid. */
  | {readonly kind: 'unserved-request'; readonly id: string; readonly code: RefusalCode; readonly message: string}
  | {readonly kind: 'response'; readonly id: string; readonly answer: Outcome<JsonObject, string>}
  /** The client withdraws a request. */
  | {readonly kind: 'withdrawal'; readonly id: string}
  | {readonly kind: 'keep-alive'}
  /** A valid message that weft has no use for. */
  | {readonly kind: 'foreign'; readonly type: string}
  | {readonly kind: 'broken'; readonly message: string};

export type RefusalCode = 'unsupported_request' | 'invalid_request';

export interface InputPrompt {
  /** The client's own id, if it sent one. */
  readonly id: string | undefined;
  readonly text: string;
  /** Images and PDFs. */
  readonly images: readonly (ImageBlock | DocumentBlock)[];
  readonly when: 'queued' | 'steering';
  /** `hold`: the prompt is sent together with the next one. */
  readonly send: 'now' | 'hold';
  /** The unchanged content, for echoing the message. */
  readonly content: Json;
  /** The parts that the model won't get, one sentence each. */
  readonly leftOut: readonly string[];
}

/** Decodes one line of input. Never throws. */
export function decodeInput(line: string): RpcInput {
  const parsed = parseJson(line);
  if (parsed.tag === 'failed') return {kind: 'broken', message: parsed.error};
  const {value} = parsed;
  if (!isJsonObject(value)) return {kind: 'broken', message: 'a line must hold one JSON object'};
  switch (value['type']) {
    case 'user':
      return parsePrompt(value);
    case 'control_request':
      return parseRequest(value);
    case 'control_response':
      return parseResponse(value['response']);
    case 'control_cancel_request':
      return {kind: 'withdrawal', id: typeof value['request_id'] === 'string' ? value['request_id'] : ''};
    case 'keep_alive':
      return {kind: 'keep-alive'};
    default:
      return typeof value['type'] === 'string'
        ? {kind: 'foreign', type: value['type']}
        : {kind: 'broken', message: 'a message needs a "type"'};
  }
}

function parseRequest(message: JsonObject): RpcInput {
  const id = message['request_id'];
  const {request} = message;
  if (typeof id !== 'string') return {kind: 'broken', message: 'a control_request needs a "request_id"'};
  const subtype = isJsonObject(request) ? request['subtype'] : undefined;
  const [name, schema] = Object.entries(controlRequests).find(([known]) => known === subtype) ?? [];
  if (schema === undefined) {
    const named = typeof subtype === 'string' ? subtype : JSON.stringify(subtype ?? null);
    const text = `Unsupported control request subtype: ${named}`;
    return {kind: 'unserved-request', id, code: 'unsupported_request', message: text};
  }
  const read = z.safeParse(schema, request);
  if (read.success) return {kind: 'request', id, request: read.data};
  const [issue] = read.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'the request' : `"${issue.path.join('.')}"`;
  const text = `${name}: ${where} is invalid`;
  return {kind: 'unserved-request', id, code: 'invalid_request', message: text};
}

function parseResponse(response: Json | undefined): RpcInput {
  if (!isJsonObject(response)) return {kind: 'broken', message: 'a control_response needs a "response"'};
  const {request_id: id, subtype, error} = response;
  if (typeof id !== 'string') return {kind: 'broken', message: 'a control_response needs a "request_id"'};
  if (subtype === 'error') return {kind: 'response', id, answer: failed(typeof error === 'string' ? error : 'refused')};
  const payload = response['response'];
  return {kind: 'response', id, answer: ok(isJsonObject(payload) ? payload : {})};
}

function parsePrompt(value: JsonObject): RpcInput {
  const {message, uuid, priority, shouldQuery} = value;
  const content = isJsonObject(message) ? message['content'] : undefined;
  if (content === undefined) return {kind: 'broken', message: 'a user message needs "message" with "content"'};
  const role = isJsonObject(message) ? message['role'] : undefined;
  if (role !== undefined && role !== 'user')
    return {kind: 'broken', message: `a user message has the role "user", not ${JSON.stringify(role)}`};
  const parts = (Array.isArray(content) ? content : [content]).map(parsePart);
  const [first = '', ...attached] = parts.flatMap(part => (part.kind === 'text' ? [part.text] : []));
  return {
    kind: 'prompt',
    prompt: {
      id: typeof uuid === 'string' && uuid !== '' ? uuid : undefined,
      text: joinAttachedTexts(first, attached),
      images: parts.flatMap(part => (part.kind === 'image' ? [part.image] : [])),
      when: priority === 'later' ? 'queued' : 'steering',
      send: shouldQuery === false ? 'hold' : 'now',
      content,
      leftOut: parts.flatMap(part => (part.kind === 'left-out' ? [part.what] : [])),
    },
  };
}

type Part =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'image'; readonly image: ImageBlock | DocumentBlock}
  | {readonly kind: 'left-out'; readonly what: string};

const textBlock = z.looseObject({type: z.literal('text'), text: z.string()});
const imageBlock = z.looseObject({
  type: z.literal('image'),
  source: z.looseObject({
    type: z.literal('base64'),
    media_type: z.optional(z.string()),
    data: z.string(),
  }),
});
const textDocument = z.looseObject({
  type: z.literal('document'),
  title: z.optional(z.nullable(z.string())),
  source: z.looseObject({type: z.literal('text'), data: z.string()}),
});

const pdfDocument = z.looseObject({
  type: z.literal('document'),
  title: z.optional(z.nullable(z.string())),
  source: z.looseObject({
    type: z.literal('base64'),
    media_type: z.literal('application/pdf'),
    data: z.string().check(z.minLength(1)),
  }),
});

/** Parses one block of a prompt. A block that the model can't get is reported, never silently dropped. */
function parsePart(block: Json): Part {
  if (typeof block === 'string') return {kind: 'text', text: block};
  const text = z.safeParse(textBlock, block);
  if (text.success) return {kind: 'text', text: text.data.text};
  const image = z.safeParse(imageBlock, block);
  if (image.success) {
    const read = imageFrom(image.data.source.data, image.data.source.media_type);
    return read.tag === 'ok'
      ? {kind: 'image', image: read.value}
      : {kind: 'left-out', what: `an image was left out: it ${read.error}`};
  }
  const document = z.safeParse(textDocument, block);
  if (document.success) {
    const {title, source} = document.data;
    return {kind: 'text', text: `<document title=${JSON.stringify(title ?? '')}>\n${source.data}\n</document>`};
  }
  const pdf = z.safeParse(pdfDocument, block);
  if (pdf.success) {
    const {title, source} = pdf.data;
    const name = title?.trim() || 'document.pdf';
    return {kind: 'image', image: {kind: 'document', mediaType: source.media_type, name, data: source.data}};
  }
  const type = isJsonObject(block) && typeof block['type'] === 'string' ? block['type'] : 'unknown';
  const why =
    type === 'image'
      ? 'only base64 images of PNG, JPEG, GIF and WebP can be sent'
      : type === 'document'
        ? 'only texts and base64 PDFs can be sent'
        : "weft can't send this type";
  return {kind: 'left-out', what: `a block of type ${JSON.stringify(type)} was left out: ${why}`};
}
