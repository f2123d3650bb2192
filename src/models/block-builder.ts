import {clip, collapseSpaces} from '../base/clip.ts';
import {isJsonObject, type Json, type JsonObject, parseJson, textOf} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import {withoutInvisible} from '../base/visible.ts';
import type {AssistantBlock, ThinkingSource} from '../domain/conversation.ts';
import type {BlockDelta, BlockStart, ModelEvent} from '../domain/model-stream.ts';

/**
 * Joins the pieces of a block of an unknown type. A member of a piece extends the block's member with the same name:
 * a text is appended, and any other value replaces the earlier one. The exception is the JSON of an input, which arrives as pieces of
 * text: its name in the block differs.
 */
class UnknownBlockParts {
  readonly #texts = new Map<string, string[]>();
  readonly #values = new Map<string, Json>();

  add(piece: JsonObject): void {
    for (const [name, value] of Object.entries(piece)) {
      if (typeof value !== 'string') this.#values.set(name, value);
      else if (this.#texts.has(name)) this.#texts.get(name)?.push(value);
      else this.#texts.set(name, [value]);
    }
  }

  /** Returns the whole block. `start` is its beginning. */
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

/** Adds an input to a block. An input that is not JSON is ignored. */
function addInput(whole: Map<string, Json>, text: string): void {
  const input = parseJson(text);
  if (input.tag === 'ok') whole.set('input', input.value);
}

/** Builds one block from its deltas and emits its events. */
export class BlockBuilder {
  readonly index: number;
  readonly start: BlockStart;
  finished = false;
  #text = '';
  #signature = '';
  readonly #others = new UnknownBlockParts();
  readonly #citations: JsonObject[] = [];
  /** The origin of thinking over chat completions. */
  source: ThinkingSource | undefined;

  constructor(index: number, start: BlockStart, out: ModelEvent[]) {
    this.index = index;
    this.start = start;
    out.push({event: 'block-started', index, block: start});
  }

  /** The text, thinking or input so far. */
  get text(): string {
    return this.#text;
  }

  /** Adds a delta. If it continues the last delta in `out`, the two become one. */
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

  /** Stores a citation of a text as its provider wrote it. */
  cite(citation: JsonObject): void {
    if (this.start.kind === 'text' && this.#citations.length < maxCitations) this.#citations.push(citation);
  }

  /** Ends the block. A text with citations also gets links for people. */
  finish(out: ModelEvent[]): AssistantBlock {
    const citations = this.#citations;
    const text = this.#text;
    if (citations.length > 0) this.add({kind: 'text', text: linksTo(citations, text)}, out);
    const block: AssistantBlock =
      citations.length > 0 ? {kind: 'text', text: this.#text, cited: {text, citations}} : this.#block();
    out.push({event: 'block-finished', index: this.index, block});
    this.finished = true;
    return block;
  }

  #block(): AssistantBlock {
    const {start} = this;
    switch (start.kind) {
      case 'text':
        return {kind: 'text', text: this.#text};
      case 'thinking':
        return {
          kind: 'thinking',
          text: this.#text,
          signature: this.#signature,
          ...(this.source === undefined ? {} : {source: this.source}),
        };
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

/** The maximum number of citations of one text that weft stores. */
const maxCitations = 500;
/** The maximum number of links that are shown for the citations, and the maximum number of characters of a title. */
const maxLinks = 10;
const maxTitle = 120;

/**
 * Returns links to the cited pages, to be added after `text`, so that every front end shows them. Leaves out pages that
 * `text` links itself. Empty if there are none.
 */
function linksTo(citations: readonly JsonObject[], text: string): string {
  const links = new Map<string, string>();
  for (const citation of citations) {
    const given = textOf(citation['url']);
    const url = URL.parse(given);
    if (url === null || !/^https?:$/u.test(url.protocol) || links.size === maxLinks) continue;
    if (text.includes(`](${given})`)) continue;
    const address = url.href.replaceAll('(', '%28').replaceAll(')', '%29');
    const title = collapseSpaces(withoutInvisible(textOf(citation['title']))).replaceAll(/[[\]\\]/gu, '');
    if (!links.has(address)) links.set(address, title === '' ? url.host : clip(title, maxTitle));
  }
  const shown = [...links].map(([address, title]) => `[${title}](${address})`);
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}

/**
 * Reads an input. An empty text means an empty input. Some models write the object as a JSON text or in a fence, or do
 * not escape line breaks. Any other text that is not JSON is returned unchanged.
 */
export function readInput(text: string): Json {
  if (text.trim() === '') return {};
  const parsed = parseJson(text);
  if (parsed.tag === 'failed') return objectIn(escaped(text.replace(fence, '$1'))) ?? text;
  return (typeof parsed.value === 'string' ? objectIn(parsed.value) : undefined) ?? parsed.value;
}

const fence = /^\s*```(?:json)?\s*(\{.*\})\s*```\s*$/su;

function objectIn(text: string): JsonObject | undefined {
  const parsed = parseJson(text);
  return parsed.tag === 'ok' && isJsonObject(parsed.value) ? parsed.value : undefined;
}

/** Escapes control characters in the texts of JSON. */
const escaped = (json: string): string =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"/gsu, text =>
    text.replaceAll(/\p{Cc}/gu, character => JSON.stringify(character).slice(1, -1)),
  );

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

/** Returns a tool call's input in the form that providers accept, an object. Any other value is put under a descriptive name. */
export const toInputObject = (input: Json): JsonObject => (isJsonObject(input) ? input : {invalid_input: input});
