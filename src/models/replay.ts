import type {BlockDelta, BlockStart, ModelEvent, ModelPort, ModelRequest} from '../domain/model-stream.ts';
import {isJsonObject, type Json} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {type Fault, needsUser} from '../domain/fault.ts';
import {actionId, messageId} from '../domain/ids.ts';
import {noUsage} from '../domain/usage.ts';
import {BlockBuilder} from './block-builder.ts';
import {modelTable} from './model-facts.ts';
import {readRecording, type RecordedAnswer, type RecordedBlock} from './recording.ts';

export interface ReplayOptions {
  /** The values for `${name}` in the recorded strings. Names without a value stay unchanged. */
  readonly variables: Readonly<Record<string, string>>;
  /** If absent, nothing waits. */
  readonly pace?: Pace;
}

/** Waits `msPerBatch` milliseconds before each batch, so that a demo looks alive. */
export interface Pace {
  readonly msPerBatch: number;
  /** Ends early when `signal` aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const wordsPerBatch = 4;

/** Makes a model that gives the answers of a recording in order, whatever the prompt is. */
export function openReplay(text: string, options: ReplayOptions): Outcome<ModelPort, Fault> {
  const recording = readRecording(text);
  if (recording.tag === 'failed') return failed(recording.error);
  const answers = recording.value.flatMap(line => (line.kind === 'answer' ? [line.answer] : []));
  let next = 0;
  return ok({
    provider: 'replay',
    searchesWeb: false,
    async *stream(request, signal) {
      if (signal.aborted) return;
      const answer = answers[next++];
      if (answer === undefined) {
        yield [{event: 'failed', fault: usedUp(answers.length)}];
        return;
      }
      for (const batch of batchesOf(substituted(answer, options.variables), request)) {
        if (options.pace !== undefined) await options.pace.sleep(options.pace.msPerBatch, signal);
        if (signal.aborted) return;
        yield batch;
      }
    },
    facts: model => ({...modelTable({}).facts(model), costOf: () => 0}),
  });
}

function* batchesOf(answer: RecordedAnswer, request: ModelRequest): Generator<readonly ModelEvent[], void, void> {
  // The length of the conversation makes the ids unique within the conversation and equal in every run.
  const turn = request.messages.length;
  const model = answer.model === '' ? request.model : answer.model;
  yield [{event: 'message-started', id: messageId(`replay_${turn}`), model, usage: noUsage}];
  for (const [index, recorded] of answer.blocks.entries()) {
    let out: ModelEvent[] = [];
    const block = new BlockBuilder(index, startOf(recorded, `replay_${turn}_${index}`), out);
    for (const [at, delta] of deltasOf(recorded).entries()) {
      if (at > 0 && at % wordsPerBatch === 0) {
        yield out;
        out = [];
      }
      block.add(delta, out);
    }
    block.finish(out);
    yield out;
  }
  yield [{event: 'message-finished', stop: answer.stop, usage: answer.usage}];
}

function startOf(block: RecordedBlock, id: string): BlockStart {
  if (block.kind === 'tool-call') return {kind: 'tool-call', id: actionId(block.id || id), name: block.name};
  return block.kind === 'sealed-thinking' || block.kind === 'other' ? block : {kind: block.kind};
}

function deltasOf(block: RecordedBlock): readonly BlockDelta[] {
  switch (block.kind) {
    case 'text':
      return words(block.text).map(text => ({kind: 'text', text}));
    case 'thinking':
      return [
        ...words(block.text).map((text): BlockDelta => ({kind: 'thinking', text})),
        {kind: 'signature', signature: block.signature},
      ];
    case 'sealed-thinking':
    case 'other':
      return [];
    case 'tool-call':
      return [{kind: 'tool-input', json: JSON.stringify(block.input)}];
    default:
      return unreachable(block);
  }
}

/** Splits a text before white space. Joined, the words are `text` again. */
const words = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/gu) ?? [];

function substituted(answer: RecordedAnswer, variables: Readonly<Record<string, string>>): RecordedAnswer {
  const fill = (text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/gu, (whole, name: string) =>
      Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
    );
  const fillJson = (value: Json): Json => {
    if (typeof value === 'string') return fill(value);
    if (isJsonObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillJson(inner)]));
    }
    return Array.isArray(value) ? value.map(fillJson) : value;
  };
  const fillBlock = (block: RecordedBlock): RecordedBlock => {
    if (block.kind === 'tool-call') return {...block, input: fillJson(block.input)};
    return block.kind === 'sealed-thinking' || block.kind === 'other' ? block : {...block, text: fill(block.text)};
  };
  return {...answer, blocks: answer.blocks.map(fillBlock)};
}

const usedUp = (count: number): Fault =>
  needsUser(
    `The recording has ended: it has ${count} ${count === 1 ? 'answer' : 'answers'}.`,
    'Replay a longer recording, or use a model.',
  );
