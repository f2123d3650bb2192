import type {ToolCallBlock} from '../domain/conversation.ts';
import {messageId} from '../domain/ids.ts';
import {mcpClientModel} from '../domain/journal.ts';
import {
  type BlockDelta,
  type BlockStart,
  type ModelEvent,
  type ModelPort,
  unknownFacts,
} from '../domain/model-stream.ts';
import {noUsage} from '../domain/usage.ts';
import {BlockBuilder} from '../models/block-builder.ts';
import type {ChosenModel} from './choose-model.ts';
import {randomUuid} from './clock-and-ids.ts';

/**
 * Stands in for the model of a session whose tool calls another program makes. The engine runs these calls exactly as a model's.
 * `give` sets the call of the next answer. Every other answer is one word, so that the prompt ends.
 */
export class CalledModel implements ModelPort {
  readonly provider = 'mcp';
  readonly searchesWeb = false;
  #next: ToolCallBlock | undefined;

  give(call: ToolCallBlock): void {
    this.#next = call;
  }

  async *stream(): AsyncIterable<readonly ModelEvent[]> {
    const call = this.#next;
    this.#next = undefined;
    const id = messageId(randomUuid());
    yield [{event: 'message-started', id, model: mcpClientModel, usage: noUsage}];
    yield call === undefined
      ? eventsOf({kind: 'text'}, {kind: 'text', text: 'Done.'})
      : eventsOf(
          {kind: 'tool-call', id: call.id, name: call.name},
          {kind: 'tool-input', json: JSON.stringify(call.input)},
        );
    yield [{event: 'message-finished', stop: call === undefined ? 'end-turn' : 'tool-use', usage: noUsage}];
  }

  facts = () => ({...unknownFacts, images: 'seen', costOf: () => 0}) as const;
}

export const chosenFor = (port: ModelPort, choice: ChosenModel['choice']): ChosenModel => ({
  port,
  model: mcpClientModel,
  secrets: {},
  state: 'ready',
  choice,
});

function eventsOf(start: BlockStart, delta: BlockDelta): readonly ModelEvent[] {
  const events: ModelEvent[] = [];
  const block = new BlockBuilder(0, start, events);
  block.add(delta, events);
  block.finish(events);
  return events;
}
