import type {AgentEvent} from '../actions/agent-event.ts';
import {unreachable} from '../base/unreachable.ts';
import type {AssistantBlock, AssistantMessage, StopReason} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';
import {messageId, type MessageId} from '../domain/ids.ts';
import type {ModelEvent, ModelRequest} from '../domain/model-stream.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import type {ModelPort} from './ports.ts';

/** How a request to the model ended. `message` holds what arrived; `undefined` when that was nothing worth keeping. */
export type Answer =
  | {readonly end: 'complete'; readonly message: AssistantMessage | undefined; readonly usage: Usage}
  | {readonly end: 'interrupted'; readonly message: AssistantMessage | undefined; readonly usage: Usage}
  | {
      readonly end: 'failed';
      readonly message: AssistantMessage | undefined;
      readonly usage: Usage;
      readonly fault: Fault;
    };

/**
 * Sends one request and reads its stream, publishing every batch as it comes. Of a message that was cut off, finished blocks
 * and begun text are kept; begun thinking and begun tool calls are not, as providers would not take them back.
 */
export async function readAnswer(
  request: ModelRequest,
  {model, publish}: {readonly model: ModelPort; readonly publish: (events: readonly AgentEvent[]) => void},
  signal: AbortSignal,
): Promise<Answer> {
  const reader = new AnswerReader(request.model);
  for await (const batch of model.stream(request, signal)) {
    const events = batch.flatMap(event => reader.take(event));
    if (events.length > 0) publish(events);
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
        return {event: 'block-started', message: this.#id, index: event.index, block: event.block};
      case 'block-delta':
        if (event.delta.kind === 'text') {
          this.#begun.set(event.index, (this.#begun.get(event.index) ?? '') + event.delta.text);
        }
        return {event: 'block-delta', message: this.#id, index: event.index, delta: event.delta};
      case 'block-finished':
        this.#begun.delete(event.index);
        this.#blocks[event.index] = event.block;
        return {event: 'block-finished', message: this.#id, index: event.index, block: event.block};
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

  complete(): {message: AssistantMessage | undefined; usage: Usage} {
    return {message: this.#message(this.#stop), usage: this.#usage};
  }

  cut(): {message: AssistantMessage | undefined; usage: Usage} {
    for (const [index, text] of this.#begun) this.#blocks[index] = {kind: 'text', text};
    return {message: this.#message('interrupted'), usage: this.#usage};
  }

  #message(stop: StopReason): AssistantMessage | undefined {
    const blocks = this.#blocks
      .filter(block => block !== undefined)
      .filter(block => block.kind !== 'text' || block.text !== '');
    const speaks = blocks.some(block => block.kind === 'text' || block.kind === 'tool-call');
    return speaks ? {role: 'assistant', id: this.#id, model: this.#model, blocks, stop, usage: this.#usage} : undefined;
  }
}
