import {parseJson, type Json} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import type {AssistantBlock} from '../domain/conversation.ts';
import type {BlockDelta, BlockStart, ModelEvent} from '../domain/model-stream.ts';
import {OtherPieces} from './other-pieces.ts';

/** Grows one block from its deltas and puts out its events. */
export class BlockBuilder {
  readonly index: number;
  readonly start: BlockStart;
  #text = '';
  #signature = '';
  readonly #others = new OtherPieces();

  constructor(index: number, start: BlockStart, out: ModelEvent[]) {
    this.index = index;
    this.start = start;
    out.push({event: 'block-started', index, block: start});
  }

  /** The text, thinking or input so far. */
  get text(): string {
    return this.#text;
  }

  /** Adds a delta; one that joins on to the delta before it in `out` becomes part of that one. */
  add(delta: BlockDelta, out: ModelEvent[]): void {
    if (delta.kind === 'other') {
      this.#others.add(delta.data);
      out.push({event: 'block-delta', index: this.index, delta});
      return;
    }
    const more = deltaText(delta);
    if (more === '') return;
    if (delta.kind === 'signature') this.#signature += more;
    else this.#text += more;
    const last = out.at(-1);
    if (last?.event === 'block-delta' && last.index === this.index && last.delta.kind === delta.kind) {
      out[out.length - 1] = {...last, delta: joined(last.delta, more)};
    } else {
      out.push({event: 'block-delta', index: this.index, delta});
    }
  }

  finish(out: ModelEvent[]): AssistantBlock {
    const block = this.#block();
    out.push({event: 'block-finished', index: this.index, block});
    return block;
  }

  #block(): AssistantBlock {
    const {start} = this;
    switch (start.kind) {
      case 'text':
        return {kind: 'text', text: this.#text};
      case 'thinking':
        return {kind: 'thinking', text: this.#text, signature: this.#signature};
      case 'sealed-thinking':
        return start;
      case 'tool-call':
        return {kind: 'tool-call', id: start.id, name: start.name, input: readInput(this.#text)};
      case 'other':
        return {...start, data: this.#others.joinedTo(start.data)};
      default:
        return unreachable(start);
    }
  }
}

/** No input at all is an empty one; what is not JSON stays as it was written. */
function readInput(text: string): Json {
  if (text.trim() === '') return {};
  const parsed = parseJson(text);
  return parsed.tag === 'ok' ? parsed.value : text;
}

type TextDelta = Exclude<BlockDelta, {kind: 'other'}>;

function deltaText(delta: TextDelta): string {
  switch (delta.kind) {
    case 'text':
    case 'thinking':
      return delta.text;
    case 'signature':
      return delta.signature;
    case 'tool-input':
      return delta.json;
    default:
      return unreachable(delta);
  }
}

function joined(delta: BlockDelta, more: string): BlockDelta {
  switch (delta.kind) {
    case 'text':
    case 'thinking':
      return {...delta, text: delta.text + more};
    case 'signature':
      return {...delta, signature: delta.signature + more};
    case 'tool-input':
      return {...delta, json: delta.json + more};
    case 'other':
      return delta;
    default:
      return unreachable(delta);
  }
}
