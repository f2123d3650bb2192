import type {AssistantBlock, StopReason} from '../../domain/conversation.ts';
import type {MessageId} from '../../domain/ids.ts';
import type {BlockDelta, BlockStart} from '../../domain/model-stream.ts';
import type {Usage} from '../../domain/usage.ts';
import type {WireBlock, WireMessage, WireStreamEvent} from './rpc-message.ts';
import {partName} from './told-names.ts';
import {wireBlockStart, wireDelta, wireStop, wireUsage} from './wire-content.ts';

/** A message that the model is still writing: what of it has begun, and what has been told. */
export class OpenMessage {
  readonly #id: MessageId;
  readonly #model: string;
  readonly #usage: Usage;
  readonly #begun = new Set<number>();
  readonly #told = new Set<AssistantBlock>();
  #parts = 0;

  constructor({id, model, usage}: {readonly id: MessageId; readonly model: string; readonly usage: Usage}) {
    this.#id = id;
    this.#model = model;
    this.#usage = usage;
  }

  started(): WireStreamEvent {
    return {type: 'message_start', message: this.#message([])};
  }

  blockStarted(index: number, block: BlockStart): WireStreamEvent {
    this.#begun.add(index);
    return {type: 'content_block_start', index, content_block: wireBlockStart(block)};
  }

  blockDelta(index: number, delta: BlockDelta): WireStreamEvent {
    return {type: 'content_block_delta', index, delta: wireDelta(delta)};
  }

  blockFinished(index: number, block: AssistantBlock): WireStreamEvent {
    this.#begun.delete(index);
    this.#told.add(block);
    return {type: 'content_block_stop', index};
  }

  /** Of the blocks of the finished message those that never finished on their own: begun text of a message cut off. */
  untold(blocks: readonly AssistantBlock[]): readonly AssistantBlock[] {
    return blocks.filter(block => !this.#told.has(block));
  }

  /** Closes whatever is open, so that every start has its stop. */
  closing(stop: StopReason, usage: Usage = this.#usage): readonly WireStreamEvent[] {
    const blocks = [...this.#begun].map(index => ({type: 'content_block_stop', index}) as const);
    this.#begun.clear();
    return [
      ...blocks,
      {type: 'message_delta', delta: {stop_reason: wireStop(stop), stop_sequence: null}, usage: wireUsage(usage)},
      {type: 'message_stop'},
    ];
  }

  /** The message as it is told block by block: the reason for its end and its full usage are not known yet. */
  withBlock(block: WireBlock): WireMessage {
    return this.#message([block]);
  }

  /** What the next message with a part of it is called. */
  nextName(): string {
    return partName(this.#id, this.#parts++);
  }

  #message(content: readonly WireBlock[]): WireMessage {
    return {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model: this.#model,
      content,
      stop_reason: null,
      stop_sequence: null,
      usage: wireUsage(this.#usage),
    };
  }
}
