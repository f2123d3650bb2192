import type {AssistantBlock, Message} from '../../src/domain/conversation.ts';
import {messageId} from '../../src/domain/ids.ts';
import type {BlockDelta, ModelEvent, ModelRequest} from '../../src/domain/model-stream.ts';

/** A request that asks `text`; the rest as given. */
export const ask = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'small-model',
  system: 'Be brief.',
  tools: [
    {
      name: 'Bash',
      description: 'Runs a command.',
      inputSchema: {type: 'object', properties: {command: {type: 'string'}}},
      offered: 'from-the-start',
    },
  ],
  messages: [userSays(text)],
  thinking: {kind: 'default'},
  maxTokens: 'default',
  ...more,
});

export const userSays = (text: string): Message => ({
  role: 'user',
  id: messageId('user'),
  blocks: [{kind: 'text', text}],
});

/** All events of a stream. How the network cut the deltas does not matter: those that follow each other are joined. */
export async function eventsOf(stream: AsyncIterable<readonly ModelEvent[]>): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const batch of stream) {
    for (const event of batch) {
      const last = events.at(-1);
      const joined = last?.event === 'block-delta' && event.event === 'block-delta' && last.index === event.index;
      const delta = joined ? joinDeltas(last.delta, event.delta) : undefined;
      if (joined && delta !== undefined) events[events.length - 1] = {...last, delta};
      else events.push(event);
    }
  }
  return events;
}

/** The content of the message in `events`; throws when they do not form one valid message. */
export function blocksOf(events: readonly ModelEvent[]): readonly AssistantBlock[] {
  const blocks: AssistantBlock[] = [];
  const open = new Map<number, string>();
  let state: 'before' | 'within' | 'after' = 'before';
  const must = (holds: boolean, rule: string): void => {
    if (!holds) throw new Error(`not a valid message (${rule}): ${JSON.stringify(events)}`);
  };
  for (const event of events) {
    must(state !== 'after', 'nothing follows the end');
    switch (event.event) {
      case 'message-started':
        must(state === 'before', 'one start for each model');
        state = 'within';
        break;
      case 'block-started':
        must(state === 'within', 'blocks lie in the message');
        must(event.index === blocks.length + open.size, 'indexes count on');
        open.set(event.index, '');
        break;
      case 'block-delta':
        must(open.has(event.index), 'deltas belong to an open block');
        if (event.delta.kind === 'text') open.set(event.index, `${open.get(event.index)}${event.delta.text}`);
        break;
      case 'block-finished':
        must(open.has(event.index), 'a block is finished once');
        if (event.block.kind === 'text')
          must(event.block.text === open.get(event.index), 'the block is what was shown');
        open.delete(event.index);
        blocks.push(event.block);
        break;
      case 'message-finished':
        must(state === 'within', 'a message that ends has begun');
        must(open.size === 0, 'every block is finished');
        state = 'after';
        break;
      case 'failed':
        must(open.size === 0, 'every block is finished');
        state = 'after';
        break;
      case 'fell-back':
        must(blocks.length + open.size === 0, 'another model is asked before anything was said');
        state = 'before';
        break;
      case 'billed':
      case 'repaired':
      case 'retrying':
        break;
    }
  }
  must(state === 'after', 'the message ends');
  return blocks;
}

function joinDeltas(a: BlockDelta, b: BlockDelta): BlockDelta | undefined {
  if (a.kind === 'text' && b.kind === 'text') return {kind: 'text', text: a.text + b.text};
  if (a.kind === 'thinking' && b.kind === 'thinking') return {kind: 'thinking', text: a.text + b.text};
  if (a.kind === 'tool-input' && b.kind === 'tool-input') return {kind: 'tool-input', json: a.json + b.json};
  return undefined;
}
