import * as z from 'zod/mini';
import {isJsonObject, parseJson, type Json, type JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {severities} from '../domain/code-review.ts';
import {actionId, documentId, messageId, parseSessionId, type SessionId} from '../domain/ids.ts';
import {cancelReasons} from '../domain/settled.ts';
import {treeId} from '../domain/checkpoint.ts';
import {rewindScopes, type JournalRecord} from '../domain/journal.ts';
import type {Isolation} from '../domain/sub-agent.ts';

/**
 * The body of a record as it is kept: one JSON text, in which NUL and lone surrogates are escaped, so that any string comes
 * back as it went in.
 */
export function encodeBody(record: JournalRecord): string {
  switch (record.kind) {
    case 'prompt':
    case 'reminder':
    case 'answer':
      return JSON.stringify(record.message);
    case 'result':
      return JSON.stringify(record.result);
    case 'todo-frames':
      return JSON.stringify(record.frames.map(frame => Buffer.from(frame).toString('base64')));
    case 'approval': {
      const {id, label, decision, by} = record;
      return JSON.stringify({id, label, decision, by});
    }
    case 'pin': {
      const {message, state} = record;
      return JSON.stringify({message, state});
    }
    case 'review':
      return JSON.stringify(record.change);
    case 'document': {
      const {id, title, by, text} = record;
      return JSON.stringify({id, title, by, text});
    }
    case 'piece': {
      const {message, model, index, text} = record;
      return JSON.stringify({message, model, index, text});
    }
    case 'checkpoint': {
      const {prompt, moment, tree} = record;
      return JSON.stringify({prompt, moment, tree});
    }
    case 'rewind': {
      const {to, what, files} = record;
      return JSON.stringify({to, what, files});
    }
    case 'results-shortened':
      return JSON.stringify(record.results);
    case 'redo':
      return JSON.stringify({files: record.files});
    case 'compaction': {
      const {id, way, summary, messages, tokens} = record;
      return JSON.stringify({id, way, summary, messages, tokens});
    }
    case 'usage': {
      const {model, usage: used} = record;
      return JSON.stringify({model, usage: used});
    }
    case 'agent': {
      const {agent, harnessSession} = record;
      return JSON.stringify({agent, harnessSession});
    }
    case 'agent-usage': {
      const {model, usage: used, costUsd} = record;
      return JSON.stringify({model, usage: used, costUsd});
    }
    default:
      return unreachable(record);
  }
}

/** The record of a kept kind and body; the error says in a few words what does not fit. */
export function decodeBody(kind: string, body: string): Outcome<JournalRecord, string> {
  const json = parseJson(body);
  if (json.tag === 'failed') return failed(`not JSON: ${json.error}`);
  switch (kind) {
    case 'prompt':
    case 'reminder':
      return fits(userMessage, json.value, message => ({kind, message}));
    case 'answer':
      return fits(assistantMessage, json.value, message => ({kind, message}));
    case 'result':
      return fits(toolResult, json.value, result => ({kind, result}));
    case 'todo-frames':
      return fits(frames, json.value, encoded => ({kind, frames: encoded.map(bytesOf)}));
    case 'approval':
      return fits(approval, json.value, value => ({kind, ...value}));
    case 'pin':
      return fits(pin, json.value, value => ({kind, ...value}));
    case 'review':
      return fits(reviewChange, json.value, change => ({kind, change}));
    case 'document':
      return fits(sessionDocument, json.value, value => ({kind, ...value}));
    case 'piece':
      return fits(piece, json.value, value => ({kind, ...value}));
    case 'checkpoint':
      return fits(checkpoint, json.value, value => ({kind, ...value}));
    case 'rewind':
      return fits(rewind, json.value, value => ({kind, ...value}));
    case 'results-shortened':
      return fits(z.array(actionIdSchema), json.value, results => ({kind, results}));
    case 'redo':
      return fits(redo, json.value, value => ({kind, ...value}));
    case 'compaction':
      return fits(compaction, json.value, value => ({kind, ...value}));
    case 'usage':
      return fits(requestUsage, json.value, value => ({kind, ...value}));
    case 'agent':
      return fits(subAgent, json.value, value => ({kind, ...value}));
    case 'agent-usage':
      return fits(agentUsage, json.value, value => ({kind, ...value}));
    default:
      return failed('a kind this version of weft does not know');
  }
}

function fits<T>(
  schema: z.ZodMiniType<T>,
  json: Json,
  toRecord: (value: T) => JournalRecord,
): Outcome<JournalRecord, string> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return ok(toRecord(parsed.data));
  const [issue] = parsed.error.issues;
  return failed(`${issue?.path.map(String).join('.') ?? ''}: ${issue?.code ?? 'does not fit'}`);
}

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

const actionIdSchema = z.pipe(z.string(), z.transform(actionId));
const messageIdSchema = z.pipe(z.string(), z.transform(messageId));
const textBlock = z.object({kind: z.literal('text'), text: z.string()});
const citedTextBlock = z.object({
  kind: z.literal('text'),
  text: z.string(),
  cited: z.object({text: z.string(), citations: z.array(z.custom<JsonObject>(isJsonObject))}),
});
const imageBlock = z.object({
  kind: z.literal('image'),
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  data: z.string(),
});
const documentBlock = z.object({
  kind: z.literal('document'),
  mediaType: z.literal('application/pdf'),
  name: z.string(),
  data: z.string(),
});
const foundToolText = z.object({kind: z.literal('text'), text: z.string(), foundTool: z.string()});
const toolResultFields = {
  kind: z.literal('tool-result'),
  id: actionIdSchema,
  content: z.array(z.union([foundToolText, z.discriminatedUnion('kind', [textBlock, imageBlock, documentBlock])])),
};
const toolResult = z.discriminatedUnion('outcome', [
  z.object({...toolResultFields, outcome: z.enum(['success', 'error'])}),
  z.object({
    ...toolResultFields,
    outcome: z.literal('cancelled'),
    reason: z.prefault(z.enum([...cancelReasons, 'unknown']), 'unknown'),
  }),
]);
const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});
const piece = z.object({message: messageIdSchema, model: z.string(), index: z.int(), text: z.string()});
const userMessage = z.object({
  role: z.literal('user'),
  id: messageIdSchema,
  blocks: z.array(z.discriminatedUnion('kind', [textBlock, imageBlock, toolResult])),
});
const assistantMessage = z.object({
  role: z.literal('assistant'),
  id: messageIdSchema,
  model: z.string(),
  blocks: z.array(
    z.union([
      citedTextBlock,
      z.discriminatedUnion('kind', [
        textBlock,
        z.object({kind: z.literal('thinking'), text: z.string(), signature: z.string()}),
        z.object({kind: z.literal('sealed-thinking'), data: z.string()}),
        z.object({kind: z.literal('other'), type: z.string(), data: z.custom<JsonObject>(isJsonObject)}),
        z.object({
          kind: z.literal('tool-call'),
          id: actionIdSchema,
          name: z.string(),
          input: z.custom<Json>(value => value !== undefined),
        }),
      ]),
    ]),
  ),
  stop: z.enum(['end-turn', 'tool-use', 'max-tokens', 'refusal', 'context-full', 'paused', 'interrupted']),
  usage,
});
const frames = z.array(z.string());
const approval = z.object({
  id: actionIdSchema,
  label: z.string(),
  decision: z.enum(['allowed', 'refused']),
  by: z.enum(['user', 'rule', 'hook', 'nobody']),
});
const sessionDocument = z.object({
  id: z.pipe(z.string(), z.transform(documentId)),
  title: z.string(),
  by: z.enum(['agent', 'user']),
  text: z.string(),
});
const pin = z.object({message: messageIdSchema, state: z.enum(['pinned', 'unpinned'])});
const writer = z.enum(['agent', 'user']);
const reviewChange = z.discriminatedUnion('change', [
  z.object({
    change: z.literal('add'),
    by: writer,
    comments: z.array(
      z.object({
        path: z.string(),
        lines: z.union([z.literal('file'), z.object({first: z.number(), last: z.number()})]),
        text: z.string(),
        severity: z.enum(severities),
      }),
    ),
  }),
  z.object({change: z.literal('answer'), id: z.string(), by: writer, text: z.string()}),
  z.object({change: z.enum(['resolve', 'reopen']), id: z.string()}),
]);
const treeIdSchema = z.pipe(z.string(), z.transform(treeId));
const fileChange = z.union([z.literal('untouched'), z.object({before: treeIdSchema, after: treeIdSchema})]);
const checkpoint = z.object({prompt: messageIdSchema, moment: z.enum(['before', 'after']), tree: treeIdSchema});
const rewind = z.object({to: messageIdSchema, what: z.enum(rewindScopes), files: fileChange});
const redo = z.object({files: fileChange});
const compaction = z.object({
  id: messageIdSchema,
  way: z.enum(['summary', 'trim']),
  summary: z.string(),
  messages: z.array(z.discriminatedUnion('role', [userMessage, assistantMessage])),
  tokens: z.object({before: z.number(), after: z.number()}),
});
const requestUsage = z.object({model: z.string(), usage});
const sessionIdSchema = z.pipe(
  z.string().check(z.refine(raw => parseSessionId(raw) !== undefined)),
  z.transform((raw): SessionId => parseSessionId(raw) ?? z.NEVER),
);
const subAgent = z.object({
  agent: z.object({
    id: sessionIdSchema,
    call: actionIdSchema,
    parent: z.union([z.literal('main'), sessionIdSchema]),
    name: z.string(),
    kind: z.string(),
    harness: z.string(),
    model: z.string(),
    prompt: z.string(),
    // Those of earlier versions of weft had no worktrees.
    isolation: z.pipe(
      z.optional(z.enum(['none', 'worktree'])),
      z.transform((kept): Isolation => kept ?? 'none'),
    ),
    startedAt: z.number(),
  }),
  harnessSession: z.string(),
});
const agentUsage = z.object({model: z.string(), usage, costUsd: z.union([z.number(), z.literal('unknown')])});
