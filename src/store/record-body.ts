import * as z from 'zod/mini';
import {isJsonObject, parseJson, type Json, type JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {severities} from '../domain/code-review.ts';
import {imageTypes, thinkingFields} from '../domain/conversation.ts';
import {actionId, documentId, messageId, parseSessionId, type SessionId} from '../domain/ids.ts';
import {cancelReasons} from '../domain/settled.ts';
import {treeId} from '../domain/checkpoint.ts';
import {checkKinds, hidingSyntax} from '../domain/receipt.ts';
import {rewindScopes, stepPlaces, type JournalRecord} from '../domain/journal.ts';
import type {CompactionTrigger} from '../domain/compaction.ts';
import {type Isolation, lifecycleEvents} from '../domain/sub-agent.ts';

/**
 * Encodes the body of a record as JSON text. NUL and lone surrogates are escaped, so that any string survives unchanged. The body is the
 * whole record, or its only field.
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
    case 'review':
      return JSON.stringify(record.change);
    case 'receipt':
      return JSON.stringify(record.receipt);
    case 'results-shortened':
      return JSON.stringify(record.results);
    default: {
      const {kind: _kept, ...fields} = record;
      return JSON.stringify(fields);
    }
  }
}

/** Decodes a record from its kind and body. The error says in a few words what doesn't fit. */
export function decodeBody(kind: string, body: string): Outcome<JournalRecord, string> {
  const json = parseJson(body);
  if (json.tag === 'failed') return failed(`not JSON: ${json.error}`);
  if (!isKind(kind)) return failed('a kind this version of weft does not know');
  const parsed = bodies[kind].safeParse(json.value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  return failed(`${issue?.path.map(String).join('.') ?? ''}: ${issue?.code ?? 'does not fit'}`);
}

const isKind = (kind: string): kind is JournalRecord['kind'] => Object.hasOwn(bodies, kind);

const actionIdSchema = z.pipe(z.string(), z.transform(actionId));
const messageIdSchema = z.pipe(z.string(), z.transform(messageId));
const textBlock = z.object({kind: z.literal('text'), text: z.string()});
const chatThinkingBlock = z.object({
  kind: z.literal('thinking'),
  text: z.string(),
  signature: z.string(),
  source: z.object({
    host: z.string(),
    model: z.string(),
    field: z.enum(thinkingFields),
    details: z.array(z.custom<JsonObject>(isJsonObject)),
  }),
});
const citedTextBlock = z.object({
  kind: z.literal('text'),
  text: z.string(),
  cited: z.object({text: z.string(), citations: z.array(z.custom<JsonObject>(isJsonObject))}),
});
const imageBlock = z.object({
  kind: z.literal('image'),
  mediaType: z.enum(imageTypes),
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
  costUsd: z.optional(z.number()),
  estimated: z.optional(z.literal(true)),
  lostTokens: z.optional(z.number()),
});
const piece = z.object({message: messageIdSchema, model: z.string(), index: z.int(), text: z.string()});
const userMessage = z.object({
  role: z.literal('user'),
  id: messageIdSchema,
  blocks: z.array(z.discriminatedUnion('kind', [textBlock, imageBlock, documentBlock, toolResult])),
});
const assistantMessage = z.object({
  role: z.literal('assistant'),
  id: messageIdSchema,
  model: z.string(),
  blocks: z.array(
    z.union([
      citedTextBlock,
      chatThinkingBlock,
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
          written: z.exactOptional(z.object({name: z.string(), input: z.custom<Json>(value => value !== undefined)})),
        }),
      ]),
    ]),
  ),
  stop: z.enum(['end-turn', 'tool-use', 'max-tokens', 'refusal', 'context-full', 'paused', 'interrupted']),
  usage,
});
const frame = z.pipe(
  z.string(),
  z.transform(base64 => new Uint8Array(Buffer.from(base64, 'base64'))),
);
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
const title = z.object({title: z.string()});
const goal = z.object({text: z.string(), state: z.enum(['set', 'met', 'dropped'])});
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
const checkpoint = z.object({
  prompt: messageIdSchema,
  moment: z.enum(['before', 'after']),
  tree: treeIdSchema,
  killedAt: z.exactOptional(z.number()),
});
const treeChange = z.object({before: treeIdSchema, after: treeIdSchema});
const step = z.object({
  prompt: messageIdSchema,
  call: actionIdSchema,
  began: z.number(),
  ran: z.enum(stepPlaces),
  files: treeChange,
});
const fileChange = z.union([z.literal('untouched'), treeChange]);
const rewind = z.object({to: messageIdSchema, what: z.enum(rewindScopes), files: fileChange});
const mediaLeftOut = z.object({blocks: z.array(z.object({message: messageIdSchema, block: z.number()}))});
const redo = z.object({files: fileChange});
const compaction = z.object({
  id: messageIdSchema,
  // Earlier versions of weft compacted only if the user asked.
  trigger: z.pipe(
    z.optional(z.enum(['manual', 'auto'])),
    z.transform((kept): CompactionTrigger => kept ?? 'manual'),
  ),
  way: z.enum(['summary', 'trim']),
  summary: z.string(),
  messages: z.array(z.discriminatedUnion('role', [userMessage, assistantMessage])),
  tokens: z.object({before: z.number(), after: z.number()}),
});
const requestUsage = z.object({model: z.string(), usage});
export const sessionIdSchema = z.pipe(
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
    // Agents of earlier versions of weft had no worktrees.
    isolation: z.pipe(
      z.optional(z.enum(['none', 'worktree'])),
      z.transform((kept): Isolation => kept ?? 'none'),
    ),
    computerUse: z.prefault(z.enum(['asks', 'denied']), 'asks'),
    lifecycle: z.prefault(z.array(z.enum(lifecycleEvents)), []),
    startedAt: z.number(),
  }),
  harnessSession: z.string(),
});
const agentUsage = z.object({model: z.string(), usage, costUsd: z.union([z.number(), z.literal('unknown')])});

const receipt = z.object({
  call: z.union([z.literal('host'), actionIdSchema]),
  name: z.string(),
  kind: z.enum(checkKinds),
  command: z.string(),
  directory: z.string(),
  paths: z.union([z.literal('all'), z.array(z.string())]),
  end: z.discriminatedUnion('kind', [
    z.object({kind: z.literal('exited'), code: z.int()}),
    z.object({kind: z.literal('hidden'), by: z.enum(hidingSyntax)}),
    z.object({kind: z.literal('stopped'), why: z.enum(['signal', 'time-limit'])}),
  ]),
  counts: z.object({passed: z.exactOptional(z.int()), failed: z.exactOptional(z.int())}),
  at: z.number(),
  tree: z.union([z.literal('unknown'), treeIdSchema]),
  isConfined: z.boolean(),
});

/** The schema of each kind's body. */
const bodies: {readonly [Kind in JournalRecord['kind']]: z.ZodMiniType<JournalRecord & {readonly kind: Kind}>} = {
  prompt: bodySchema(userMessage, message => ({kind: 'prompt', message})),
  reminder: bodySchema(userMessage, message => ({kind: 'reminder', message})),
  answer: bodySchema(assistantMessage, message => ({kind: 'answer', message})),
  result: bodySchema(toolResult, result => ({kind: 'result', result})),
  'todo-frames': bodySchema(z.array(frame), frames => ({kind: 'todo-frames', frames})),
  approval: bodySchema(approval, fields => ({kind: 'approval', ...fields})),
  title: bodySchema(title, fields => ({kind: 'title', ...fields})),
  goal: bodySchema(goal, fields => ({kind: 'goal', ...fields})),
  pin: bodySchema(pin, fields => ({kind: 'pin', ...fields})),
  review: bodySchema(reviewChange, change => ({kind: 'review', change})),
  document: bodySchema(sessionDocument, fields => ({kind: 'document', ...fields})),
  piece: bodySchema(piece, fields => ({kind: 'piece', ...fields})),
  checkpoint: bodySchema(checkpoint, fields => ({kind: 'checkpoint', ...fields})),
  step: bodySchema(step, fields => ({kind: 'step', ...fields})),
  rewind: bodySchema(rewind, fields => ({kind: 'rewind', ...fields})),
  'results-shortened': bodySchema(z.array(actionIdSchema), results => ({kind: 'results-shortened', results})),
  'media-left-out': bodySchema(mediaLeftOut, fields => ({kind: 'media-left-out', ...fields})),
  declined: bodySchema(z.object({prompt: messageIdSchema}), fields => ({kind: 'declined', ...fields})),
  redo: bodySchema(redo, fields => ({kind: 'redo', ...fields})),
  compaction: bodySchema(compaction, fields => ({kind: 'compaction', ...fields})),
  'request-prefix': bodySchema(z.object({tools: z.string(), system: z.string()}), fields => ({
    kind: 'request-prefix',
    ...fields,
  })),
  receipt: bodySchema(receipt, kept => ({kind: 'receipt', receipt: kept})),
  usage: bodySchema(requestUsage, fields => ({kind: 'usage', ...fields})),
  agent: bodySchema(subAgent, fields => ({kind: 'agent', ...fields})),
  'agent-usage': bodySchema(agentUsage, fields => ({kind: 'agent-usage', ...fields})),
};

function bodySchema<Body, Kept extends JournalRecord>(
  body: z.ZodMiniType<Body>,
  toRecord: (body: Body) => Kept,
): z.ZodMiniType<Kept> {
  return z.pipe(body, z.transform(toRecord));
}
