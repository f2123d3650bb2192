import {blockTexts, type AssistantBlock} from '../domain/conversation.ts';
import type {ModelEvent, ModelRequest} from '../domain/model-stream.ts';
import type {ModelConnection} from './connection.ts';
import {recordingHeader, writeRecordedLine} from './recording.ts';

/**
 * `model`, with every finished answer written as a line of a recording, and before it what the user asked. `write` gets whole
 * lines, the header first. Answers that failed or were cut off are not recorded.
 */
export function recordModel(model: ModelConnection, write: (line: string) => void): ModelConnection {
  let begun = false;
  const writeLines = (lines: readonly string[]): void => {
    const header = begun ? [] : [recordingHeader];
    begun = true;
    for (const line of [...header, ...lines]) write(line);
  };
  return {
    provider: model.provider,
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
      // What a lost connection left of a tool call.
      .filter(block => block.kind !== 'text' || block.text !== '');
    return writeRecordedLine({kind: 'answer', answer: {blocks, stop, usage, model: this.#model}});
  }
}

/** The user's words, when the request ends with some; after tool results there are none. */
function promptLines({messages}: ModelRequest): readonly string[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [];
  const text = blockTexts(last.blocks).join('\n\n');
  return text === '' ? [] : [writeRecordedLine({kind: 'prompt', text})];
}
