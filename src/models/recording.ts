import type {ModelEvent, ModelPort, ModelRequest} from '../domain/model-stream.ts';
import * as z from 'zod/mini';
import {firstLine} from '../base/clip.ts';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {type AssistantBlock, blockTexts, type OtherBlock, type StopReason} from '../domain/conversation.ts';
import {type Fault, needsUser} from '../domain/fault.ts';
import {withoutReminders} from '../domain/reminder.ts';
import {noUsage, type Usage} from '../domain/usage.ts';

/**
 * A recorded conversation, as a text file that people can read and write. The first line is
 * `{"weft":"recording","version":1}`. Each of the model's answers has a line, and optional lines hold the user's
 * prompts:
 *     {"prompt":"Why does the test fail?"}
 *     {"answer":[{"text":"I look."},{"tool":"Bash","input":{"command":"npm test"}}]}
 *     {"answer":[{"thinking":"…"},{"text":"It fails because …"}],"usage":{"inputTokens":900,"outputTokens":40}}
 */
export type RecordedLine =
  | {readonly kind: 'prompt'; readonly text: string}
  | {readonly kind: 'answer'; readonly answer: RecordedAnswer};

export interface RecordedAnswer {
  readonly blocks: readonly RecordedBlock[];
  readonly stop: StopReason;
  readonly usage: Usage;
  /** Empty if the recording does not say. */
  readonly model: string;
}

/** `id` and `signature` are empty if the recording does not say. */
export type RecordedBlock =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'thinking'; readonly text: string; readonly signature: string}
  | {readonly kind: 'sealed-thinking'; readonly data: string}
  | {readonly kind: 'tool-call'; readonly id: string; readonly name: string; readonly input: Json}
  | OtherBlock;

/** The first line of every recording, with its line end. */
export const recordingHeader = `${JSON.stringify({weft: 'recording', version: 1})}\n`;

/** Reads a whole recording. The fault names the first line that cannot be read. */
export function readRecording(text: string): Outcome<readonly RecordedLine[], Fault> {
  const lines: RecordedLine[] = [];
  let headed = false;
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = parseJson(line);
    if (parsed.tag === 'failed') return failed(lineFault(at + 1, `it is not JSON: ${parsed.error}`));
    if (!headed) {
      if (!headerSchema.safeParse(parsed.value).success) {
        return failed(lineFault(at + 1, 'a recording begins with {"weft":"recording","version":1}'));
      }
      headed = true;
      continue;
    }
    const known = lineSchema.safeParse(parsed.value);
    if (!known.success) return failed(lineFault(at + 1, complaint(known.error)));
    lines.push(fromWire(known.data));
  }
  return headed ? ok(lines) : failed(lineFault(1, 'a recording begins with {"weft":"recording","version":1}'));
}

/** Writes one line of a recording, with its line end. */
export function writeRecordedLine(line: RecordedLine): string {
  if (line.kind === 'prompt') return `${JSON.stringify({prompt: line.text})}\n`;
  const {blocks, stop, usage, model} = line.answer;
  // A replay costs nothing.
  const {costUsd: _, estimated: _estimated, lostTokens: _lost, ...tokens} = usage;
  const wire: z.infer<typeof answerSchema> = {
    answer: blocks.map(blockToWire),
    ...(stop === naturalStop(blocks) ? {} : {stop}),
    ...(Object.values(tokens).every(each => each === 0) ? {} : {usage: tokens}),
    ...(model === '' ? {} : {model}),
  };
  return `${JSON.stringify(wire)}\n`;
}

const count = z.prefault(z.number().check(z.nonnegative()), 0);

/** Accepts any value: the line was JSON, so everything in it is JSON. */
const json = z.custom<Json>(value => value !== undefined);

const blockSchema = z.union([
  z.strictObject({text: z.string()}),
  z.strictObject({thinking: z.string(), signature: z.optional(z.string())}),
  z.strictObject({sealed: z.string()}),
  z.strictObject({other: z.string(), data: z.custom<JsonObject>(isJsonObject)}),
  z.strictObject({tool: z.string().check(z.minLength(1)), input: json, id: z.optional(z.string())}),
]);

const answerSchema = z.strictObject({
  answer: z.array(blockSchema),
  stop: z.optional(z.enum(['end-turn', 'tool-use', 'max-tokens', 'refusal', 'context-full', 'paused', 'interrupted'])),
  usage: z.optional(
    z.strictObject({inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count}),
  ),
  model: z.optional(z.string()),
});

const lineSchema = z.union([z.strictObject({prompt: z.string()}), answerSchema]);
const headerSchema = z.object({weft: z.literal('recording'), version: z.literal(1)});

function fromWire(line: z.infer<typeof lineSchema>): RecordedLine {
  if ('prompt' in line) return {kind: 'prompt', text: line.prompt};
  const blocks = line.answer.map(blockFromWire);
  return {
    kind: 'answer',
    answer: {
      blocks,
      stop: line.stop ?? naturalStop(blocks),
      usage: line.usage ?? noUsage,
      model: line.model ?? '',
    },
  };
}

function blockFromWire(block: z.infer<typeof blockSchema>): RecordedBlock {
  if ('text' in block) return {kind: 'text', text: block.text};
  if ('thinking' in block) return {kind: 'thinking', text: block.thinking, signature: block.signature ?? ''};
  if ('sealed' in block) return {kind: 'sealed-thinking', data: block.sealed};
  if ('other' in block) return {kind: 'other', type: block.other, data: block.data};
  return {kind: 'tool-call', id: block.id ?? '', name: block.tool, input: block.input};
}

function blockToWire(block: RecordedBlock): z.infer<typeof blockSchema> {
  switch (block.kind) {
    case 'text':
      return {text: block.text};
    case 'thinking':
      return block.signature === '' ? {thinking: block.text} : {thinking: block.text, signature: block.signature};
    case 'sealed-thinking':
      return {sealed: block.data};
    case 'other':
      return {other: block.type, data: block.data};
    case 'tool-call': {
      const call = {tool: block.name, input: block.input};
      return block.id === '' ? call : {...call, id: block.id};
    }
    default:
      return unreachable(block);
  }
}

const naturalStop = (blocks: readonly RecordedBlock[]): StopReason =>
  blocks.some(block => block.kind === 'tool-call') ? 'tool-use' : 'end-turn';

function complaint(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  const where = issue?.path.join('.') ?? '';
  const words = firstLine(issue?.message ?? 'unknown form', 200);
  return `it must be {"answer":[…]} or {"prompt":"…"}${where === '' ? '' : `; see ${where}`} (${words})`;
}

const lineFault = (line: number, why: string): Fault =>
  needsUser(
    `Line ${line} of the recording cannot be read: ${why}.`,
    'Correct the line, or record the conversation again.',
  );

/**
 * Returns `model`, but writes every finished answer as a line of a recording, after the user's prompt. `write` gets
 * whole lines, the header first. Failed or interrupted answers are not recorded.
 */
export function recordModel(model: ModelPort, write: (line: string) => void): ModelPort {
  let begun = false;
  const writeLines = (lines: readonly string[]): void => {
    const header = begun ? [] : [recordingHeader];
    begun = true;
    for (const line of [...header, ...lines]) write(line);
  };
  return {
    provider: model.provider,
    searchesWeb: model.searchesWeb,
    facts: name => model.facts(name),
    async *stream(request, signal) {
      const answer = new Answer();
      for await (const batch of model.stream(request, signal)) {
        for (const event of batch) {
          answer.take(event);
          if (event.event === 'message-finished') writeLines([...promptLines(request), answer.line(event)]);
        }
        yield batch;
      }
    },
  };
}

class Answer {
  #model = '';
  readonly #blocks: (AssistantBlock | undefined)[] = [];

  take(event: ModelEvent): void {
    if (event.event === 'message-started') this.#model = event.model;
    if (event.event === 'block-finished') this.#blocks[event.index] = event.block;
  }

  line({stop, usage}: Extract<ModelEvent, {event: 'message-finished'}>): string {
    const blocks = this.#blocks
      .filter(block => block !== undefined)
      // A lost connection can leave an empty block of a tool call.
      .filter(block => block.kind !== 'text' || block.text !== '');
    return writeRecordedLine({kind: 'answer', answer: {blocks, stop, usage, model: this.#model}});
  }
}

/** Returns the user's prompt if the request ends with one. A request that ends with tool results has none. */
function promptLines({messages}: ModelRequest): readonly string[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [];
  const text = blockTexts(withoutReminders(last)).join('\n\n');
  return text === '' ? [] : [writeRecordedLine({kind: 'prompt', text})];
}
