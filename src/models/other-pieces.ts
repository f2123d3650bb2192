import {parseJson, type Json, type JsonObject} from '../base/json.ts';

/**
 * The pieces of a block that weft has no word for. What a piece holds under a name belongs to what the block holds under it:
 * texts follow each other, anything else takes the place of what was there. Only the JSON of an input, which comes in pieces of
 * its text, has another name in the block.
 */
export class OtherPieces {
  readonly #texts = new Map<string, string[]>();
  readonly #values = new Map<string, Json>();

  add(piece: JsonObject): void {
    for (const [name, value] of Object.entries(piece)) {
      if (typeof value !== 'string') this.#values.set(name, value);
      else if (this.#texts.has(name)) this.#texts.get(name)?.push(value);
      else this.#texts.set(name, [value]);
    }
  }

  /** The whole block, of which `start` is how it began. */
  joinedTo(start: JsonObject): JsonObject {
    const whole = new Map<string, Json>([...Object.entries(start), ...this.#values]);
    for (const [name, texts] of this.#texts) {
      const text = texts.join('');
      const before = whole.get(name);
      if (name === inputPieces) addInput(whole, text);
      else whole.set(name, typeof before === 'string' ? before + text : text);
    }
    return Object.fromEntries(whole);
  }
}

const inputPieces = 'partial_json';

/** An input that is not JSON leaves the block as it began. */
function addInput(whole: Map<string, Json>, text: string): void {
  const input = parseJson(text);
  if (input.tag === 'ok') whole.set('input', input.value);
}
