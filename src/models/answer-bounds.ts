import {unreachable} from '../base/unreachable.ts';
import {leftOutInput} from '../domain/conversation.ts';
import type {BlockDelta, BlockStart, ModelEvent} from '../domain/model-stream.ts';
import type {Trouble} from './trouble.ts';

/**
 * What one answer may hold, in UTF-16 units: many times what the longest answers of models hold, so whoever goes past it does not
 * end. Beyond it nothing more is read.
 */
const mostBlockLength = 4 * 1024 * 1024;
const mostAnswerLength = 16 * 1024 * 1024;
const mostBlocks = 1000;

export type Overrun =
  /** The input of this tool call does not end: the call can be told so, and what came before it stands. */
  | {readonly kind: 'tool-input'; readonly index: number; readonly instead: string}
  | {readonly kind: 'answer'; readonly trouble: Trouble};

/** Counts what one try at an answer holds. */
export class AnswerBounds {
  readonly #blocks = new Map<number, {readonly kind: BlockStart['kind']; length: number}>();
  #length = 0;

  /** The first thing in the events that goes past a bound. */
  overrun(events: readonly ModelEvent[]): Overrun | undefined {
    for (const event of events) {
      if (event.event === 'block-started') {
        this.#blocks.set(event.index, {kind: event.block.kind, length: 0});
        if (this.#blocks.size > mostBlocks) return tooMuch(`more than ${mostBlocks} blocks (texts and tool calls)`);
        continue;
      }
      if (event.event !== 'block-delta') continue;
      const block = this.#blocks.get(event.index);
      if (block === undefined) continue;
      const length = deltaLength(event.delta);
      block.length += length;
      this.#length += length;
      if (block.length > mostBlockLength) {
        if (block.kind === 'tool-call') return {kind: 'tool-input', index: event.index, instead: leftOut};
        return tooMuch(`a text of more than ${megabytes(mostBlockLength)}`);
      }
      if (this.#length > mostAnswerLength) return tooMuch(`more than ${megabytes(mostAnswerLength)}`);
    }
    return undefined;
  }
}

const megabytes = (length: number): string => `${length / 1024 / 1024} MB`;

const leftOut = leftOutInput(
  `it is longer than ${megabytes(mostBlockLength)}, and weft stopped reading there. Nothing was done; give less at a time`,
);

const tooMuch = (what: string): Overrun => ({
  kind: 'answer',
  trouble: {
    kind: 'final',
    fault: {
      kind: 'provider',
      message: `The model's answer did not end: it has ${what}. weft stopped reading it, and ran none of its tool calls.`,
      fix: 'Ask again in other words, or use another model.',
      status: 0,
    },
  },
});

function deltaLength(delta: BlockDelta): number {
  switch (delta.kind) {
    case 'text':
    case 'thinking':
      return delta.text.length;
    case 'signature':
      return delta.signature.length;
    case 'tool-input':
      return delta.json.length;
    case 'other':
      return JSON.stringify(delta.data).length;
    default:
      return unreachable(delta);
  }
}
