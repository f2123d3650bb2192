import type {Json} from '../base/json.ts';
import {parseJson} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import type {AssistantBlock} from '../domain/conversation.ts';
import type {BlockDelta, BlockStart, ModelEvent} from '../domain/model-stream.ts';

/** Grows one block from its deltas and puts out its events. */
export class BlockBuilder {
  readonly index: number;
  readonly start: BlockStart;
  #text = '';
  #signature = '';

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

function deltaText(delta: BlockDelta): string {
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
    default:
      return unreachable(delta);
  }
}
