import type {AgentEvent} from '../actions/agent-event.ts';
import {deepestInput, isDeeperThan} from '../actions/json-depth.ts';
import {unlessAborted} from '../base/unless-aborted.ts';
import {unreachable} from '../base/unreachable.ts';
import {leftOutInput, type AssistantBlock, type AssistantMessage, type StopReason} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';
import {sendable} from '../domain/history.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {actionId, messageId, type ActionId, type MessageId} from '../domain/ids.ts';
import type {BlockDelta, BlockStart, ModelEvent, ModelRequest} from '../domain/model-stream.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import {PieceKeeper} from './piece-keeper.ts';
import type {ClockPort, ModelPort} from './ports.ts';

/** How a request to the model ended. `message` holds what arrived; `undefined` when that was nothing worth keeping. */
export type Answer = AnswerContent &
  ({readonly end: 'complete'} | {readonly end: 'interrupted'} | {readonly end: 'failed'; readonly fault: Fault});

interface AnswerContent {
  readonly message: AssistantMessage | undefined;
  readonly stop: StopReason;
  readonly usage: Usage;
}

export interface AnswerContext {
  readonly model: ModelPort;
  readonly clock: ClockPort;
  readonly keep: (record: JournalRecord) => void;
  readonly publish: (events: readonly AgentEvent[]) => void;
  /** Settles when those who were told can take more; `undefined` where they can. */
  readonly caughtUp: () => Promise<unknown> | undefined;
}

/**
 * Sends one request and reads its stream, publishing every batch as it comes. Of a message that was cut off, finished blocks
 * and begun text are kept; begun thinking and begun tool calls are not, as providers would not take them back.
 */
export async function readAnswer(
  request: ModelRequest,
  {model, publish, caughtUp, keep, clock}: AnswerContext,
  signal: AbortSignal,
): Promise<Answer> {
  const reader = new AnswerReader(request.model);
  const pieces = new PieceKeeper({clock, keep});
  for await (const batch of model.stream(request, signal)) {
    const events = batch.flatMap(event => reader.take(event));
    // Kept before it is shown, so that a kill loses at most what came since the last piece.
    if (!reader.finished) pieces.take(events);
    if (events.length > 0) publish(events);
    const behind = caughtUp();
    if (behind !== undefined) await unlessAborted(behind, signal);
    if (reader.fault !== undefined) return {...reader.cut(), end: 'failed', fault: reader.fault};
    if (reader.finished) return {...reader.complete(), end: 'complete'};
    if (signal.aborted) break;
  }
  if (signal.aborted) return {...reader.cut(), end: 'interrupted'};
  const fault: Fault = {
    kind: 'provider',
    message: 'The model stopped in the middle of its answer.',
    fix: 'Try again.',
    status: 0,
  };
  return {...reader.cut(), end: 'failed', fault};
}

class AnswerReader {
  #id: MessageId = messageId('');
  #model: string;
  #usage: Usage = noUsage;
  #stop: StopReason = 'interrupted';
  readonly #blocks: (AssistantBlock | undefined)[] = [];
  /** Ids of the tool calls, by index. */
  readonly #ids = new Map<number, ActionId>();
  readonly #taken = new Set<ActionId>();
  /** Text of blocks that have begun and not finished, by index. */
  readonly #begun = new Map<number, string>();
  fault: Fault | undefined;
  finished = false;

  constructor(model: string) {
    this.#model = model;
  }

  take(event: ModelEvent): AgentEvent | readonly AgentEvent[] {
    switch (event.event) {
      case 'message-started':
        this.#id = event.id;
        this.#model = event.model;
        this.#usage = event.usage;
        return {event: 'message-started', message: event.id, model: event.model, usage: event.usage};
      case 'block-started':
        if (event.block.kind === 'text') this.#begun.set(event.index, '');
        return {
          event: 'block-started',
          message: this.#id,
          index: event.index,
          block: bounded(this.#unique(event.index, event.block)),
        };
      case 'block-delta':
        if (event.delta.kind === 'text') {
          this.#begun.set(event.index, (this.#begun.get(event.index) ?? '') + event.delta.text);
        }
        return {event: 'block-delta', message: this.#id, index: event.index, delta: bounded(event.delta)};
      case 'block-finished':
        this.#begun.delete(event.index);
        return this.#finish(event.index, this.#shallow(this.#unique(event.index, event.block)));
      case 'message-finished':
        this.#stop = event.stop;
        this.#usage = event.usage;
        this.finished = true;
        return [];
      case 'retrying':
        return event;
      case 'failed':
        this.fault = event.fault;
        return [];
      default:
        return unreachable(event);
    }
  }

  complete(): AnswerContent {
    return this.#content(this.#stop);
  }

  cut(): AnswerContent {
    for (const [index, text] of this.#begun) this.#blocks[index] = {kind: 'text', text};
    return this.#content('interrupted');
  }

  #content(stop: StopReason): AnswerContent {
    const blocks = sendable(this.#blocks.filter(block => block !== undefined));
    const message: AssistantMessage | undefined =
      blocks === undefined
        ? undefined
        : {role: 'assistant', id: this.#id, model: this.#model, blocks, stop, usage: this.#usage};
    return {message, stop, usage: this.#usage};
  }

  #finish(index: number, block: AssistantBlock): AgentEvent {
    this.#blocks[index] = block;
    return {event: 'block-finished', message: this.#id, index, block};
  }

  /** Nothing that later writes the conversation as JSON may be brought down by how deep a model nests an input. */
  #shallow(block: AssistantBlock): AssistantBlock {
    if (block.kind === 'other') return isDeeperThan(block.data, deepestInput) ? {kind: 'text', text: ''} : block;
    if (block.kind !== 'tool-call' || !isDeeperThan(block.input, deepestInput)) return block;
    return {...block, input: leftOutInput(`it is nested deeper than ${deepestInput} levels`)};
  }

  #unique<B extends AssistantBlock | BlockStart>(index: number, block: B): B {
    return block.kind === 'tool-call' ? {...block, id: this.#idOf(index, block.id)} : block;
  }

  /** Ids come from outside: a second call under the id of a first one gets an id of its own, as results are told by id. */
  #idOf(index: number, given: ActionId): ActionId {
    const known = this.#ids.get(index);
    if (known !== undefined) return known;
    let id = given;
    for (let copy = 2; this.#taken.has(id); copy += 1) id = actionId(`${given}_${copy}`);
    this.#ids.set(index, id);
    this.#taken.add(id);
    return id;
  }
}

/** What weft has no word for can be nested as deep as an input. */
const bounded = <B extends BlockStart | BlockDelta>(block: B): B =>
  block.kind === 'other' && isDeeperThan(block.data, deepestInput) ? {...block, data: {}} : block;
