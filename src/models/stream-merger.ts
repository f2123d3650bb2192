import {unreachable} from '../base/unreachable.ts';
import type {AssistantBlock} from '../domain/conversation.ts';
import type {BlockDelta, BlockStart, ModelEvent, ModelRequest} from '../domain/model-stream.ts';
import {addUsage, contextTokens, noUsage, type Usage} from '../domain/usage.ts';
import type {ModelTable} from './model-facts.ts';
import type {AttemptItem} from './provider-error.ts';
import type {RefusalChanges, SendOnce} from './send-request.ts';

/**
 * Joins the streams of several tries at one request into one valid message: one start, every block finished exactly
 * once, and consecutive indexes. The blocks of a failed try end as follows:
 * - Text stays as it was shown. The block stays open, and the next try's text is appended to it.
 * - An unfinished tool call, or an unfinished block of an unknown type, becomes an empty text block, because its rest
 *   is missing.
 * - Unfinished thinking is finished without a signature. It was shown, but providers would refuse it.
 * - Finished blocks stay. If a tool call is among them, the message ends there (see `endWithCalls`). The calls can run,
 *   and the model continues with their results. Text at the beginning of the next try that exactly repeats the shown
 *   text is dropped, because some servers start over.
 */
export class StreamMerger {
  #message: 'not-started' | 'started' | 'finished' = 'not-started';
  #nextIndex = 0;
  #finishedCalls = 0;
  #textBlocks = 0;
  /** All text of the message so far. */
  #shown = '';
  /** The text block that a failed try left open. */
  #carried: OpenBlock | undefined;

  /** The open blocks of the current try, by its own indexes. */
  readonly #open = new Map<number, OpenBlock>();
  /** Text of the current try that so far repeats the shown text; `undefined` once it cannot be a repetition. */
  #repeated: string | undefined;

  get finished(): boolean {
    return this.#message === 'finished';
  }

  get shownText(): string {
    return this.#shown;
  }

  /** Whether more than the start of the message was shown. */
  get hasBlocks(): boolean {
    return this.#nextIndex > 0;
  }

  get hasFinishedCalls(): boolean {
    return this.#finishedCalls > 0;
  }

  /** Translates a batch of the current try. */
  take(events: readonly ModelEvent[]): readonly ModelEvent[] {
    const out: ModelEvent[] = [];
    for (const event of events) this.#takeOne(event, out);
    return out;
  }

  /** Ends the current try, which failed. Later events belong to another try. */
  breakOff(): readonly ModelEvent[] {
    const out: ModelEvent[] = [];
    for (const block of this.#open.values()) {
      if (block.index === undefined) continue;
      if (block.start.kind === 'text' && this.#carried === undefined) this.#carried = block;
      else out.push({event: 'block-finished', index: block.index, block: leftOver(block)});
    }
    this.#open.clear();
    this.#repeated = this.#shown === '' ? undefined : '';
    return out;
  }

  /** Finishes open blocks before a `failed` event. Call it after `breakOff` if no other try follows. */
  close(): readonly ModelEvent[] {
    const out: ModelEvent[] = [];
    this.#finishCarried(out);
    return out;
  }

  /** Ends the message with the complete tool calls, without their usage. Call it after `breakOff`. */
  endWithCalls(): readonly ModelEvent[] {
    const out: ModelEvent[] = [...this.close()];
    out.push({event: 'message-finished', stop: 'tool-use', usage: noUsage});
    this.#message = 'finished';
    return out;
  }

  /**
   * Ends the message at a tool call whose input does not end. The call's input becomes `instead`. Other open blocks end
   * as in a failed try.
   */
  endWithout({index, instead}: {readonly index: number; readonly instead: string}): readonly ModelEvent[] {
    const out: ModelEvent[] = [];
    const block = this.#open.get(index);
    if (block?.start.kind === 'tool-call') this.#finishBlock({index, block: {...block.start, input: instead}}, out);
    out.push(...this.breakOff(), ...this.endWithCalls());
    return out;
  }

  #takeOne(event: ModelEvent, out: ModelEvent[]): void {
    switch (event.event) {
      case 'message-started':
        if (this.#message !== 'not-started') return;
        this.#message = 'started';
        out.push(event);
        return;
      case 'block-started':
        this.#startBlock(event, out);
        return;
      case 'block-delta':
        this.#addDelta(event, out);
        return;
      case 'block-finished':
        this.#finishBlock(event, out);
        return;
      case 'message-finished':
        this.#releaseRepeated(out, undefined);
        this.#finishCarried(out);
        out.push(event);
        this.#message = 'finished';
        return;
      case 'retrying':
      case 'fell-back':
      case 'repaired':
      case 'billed':
      case 'failed':
        throw new Error(`a try must not yield ${event.event}`);
      default:
        unreachable(event);
    }
  }

  #startBlock({index, block: start}: Extract<ModelEvent, {event: 'block-started'}>, out: ModelEvent[]): void {
    if (start.kind === 'text') {
      const block = this.#carried ?? {index: undefined, start, text: ''};
      this.#carried = undefined;
      this.#open.set(index, block);
      // While the text may be a repetition, it is not known whether this block will contain anything.
      if (this.#repeated === undefined) this.#announce(block, out);
      return;
    }
    this.#pauseRepeated(out, undefined);
    this.#finishCarried(out);
    const block: OpenBlock = {index: undefined, start, text: ''};
    this.#open.set(index, block);
    this.#announce(block, out);
  }

  #addDelta({index, delta}: Extract<ModelEvent, {event: 'block-delta'}>, out: ModelEvent[]): void {
    const block = this.#open.get(index);
    if (block === undefined) return;
    if (delta.kind === 'text') {
      const text = this.#unrepeated(delta.text);
      if (text !== '') this.#showText(block, text, out);
      return;
    }
    if (delta.kind === 'thinking') block.text += delta.text;
    out.push({event: 'block-delta', index: this.#announce(block, out), delta});
  }

  #finishBlock(
    {index, block: whole}: Omit<Extract<ModelEvent, {event: 'block-finished'}>, 'event'>,
    out: ModelEvent[],
  ): void {
    const block = this.#open.get(index);
    if (block === undefined) return;
    this.#open.delete(index);
    if (block.start.kind === 'text') {
      this.#pauseRepeated(out, block);
      if (block.index !== undefined) {
        const {text} = block;
        const isWhole = whole.kind === 'text' && whole.text === text;
        out.push({event: 'block-finished', index: block.index, block: isWhole ? whole : {kind: 'text', text}});
      }
      return;
    }
    if (whole.kind === 'tool-call') this.#finishedCalls++;
    out.push({event: 'block-finished', index: this.#announce(block, out), block: whole});
  }

  /** Returns the part of `text` that is new, while the current try may be repeating the shown text. */
  #unrepeated(text: string): string {
    if (this.#repeated === undefined) return text;
    const repeated = this.#repeated + text;
    if (repeated.length < this.#shown.length && this.#shown.startsWith(repeated)) {
      this.#repeated = repeated;
      return '';
    }
    this.#repeated = undefined;
    return repeated.startsWith(this.#shown) ? repeated.slice(this.#shown.length) : repeated;
  }

  /**
   * Shows the held text at a block border, unless it may still be a repetition of several texts. A repetition of a
   * single text would be complete before its block ends or another one begins.
   */
  #pauseRepeated(out: ModelEvent[], into: OpenBlock | undefined): void {
    if (this.#textBlocks < 2 && this.#repeated !== '') this.#releaseRepeated(out, into);
  }

  /** Shows the held text: only part of the shown text came again, so it was not a repetition but the continuation. */
  #releaseRepeated(out: ModelEvent[], into: OpenBlock | undefined): void {
    const text = this.#repeated ?? '';
    this.#repeated = undefined;
    if (text === '') return;
    const open = into ?? [...this.#open.values()].find(block => block.start.kind === 'text') ?? this.#carried;
    const block = open ?? {index: undefined, start: {kind: 'text'}, text: ''};
    this.#showText(block, text, out);
    if (open === undefined) this.#carried = block;
  }

  #showText(block: OpenBlock, text: string, out: ModelEvent[]): void {
    const index = this.#announce(block, out);
    block.text += text;
    this.#shown += text;
    out.push({event: 'block-delta', index, delta: {kind: 'text', text}});
  }

  #announce(block: OpenBlock, out: ModelEvent[]): number {
    if (block.index !== undefined) return block.index;
    const index = this.#nextIndex++;
    if (block.start.kind === 'text') this.#textBlocks++;
    block.index = index;
    out.push({event: 'block-started', index, block: block.start});
    return index;
  }

  #finishCarried(out: ModelEvent[]): void {
    const block = this.#carried;
    this.#carried = undefined;
    if (block?.index === undefined) return;
    out.push({event: 'block-finished', index: block.index, block: {kind: 'text', text: block.text}});
  }
}

/** `index` is the consumer's index. It is `undefined` until the consumer has received the block. */
interface OpenBlock {
  index: number | undefined;
  readonly start: BlockStart;
  text: string;
}

function leftOver({start, text}: OpenBlock): AssistantBlock {
  switch (start.kind) {
    case 'text':
      return {kind: 'text', text};
    case 'thinking':
      return {kind: 'thinking', text, signature: ''};
    case 'sealed-thinking':
      return start;
    case 'tool-call':
    case 'other':
      return {kind: 'text', text: ''};
    default:
      return unreachable(start);
  }
}

/** One try at a request. The server bills a try as soon as it has begun to answer. */
interface Try {
  readonly request: ModelRequest;
  /** The name under which the server answers. It may differ from the requested one. */
  model: string;
  usage: Usage;
  state: 'sent' | 'begun' | 'finished';
  /** The length of the answer so far, in UTF-16 units. */
  length: number;
}

/** Adds up the tokens and the cost of all tries at one request. Estimates the tokens that the server doesn't report. */
export class TriesBill {
  readonly #tries: Try[] = [];
  readonly #models: ModelTable;
  readonly #sendOnce: SendOnce;

  constructor(sendOnce: SendOnce, models: ModelTable) {
    this.#sendOnce = sendOnce;
    this.#models = models;
  }

  /** Tries a request once and counts its tokens. */
  readonly sendOnce: SendOnce = (request, lessons, signal) =>
    this.#counted({request, model: request.model, usage: noUsage, state: 'sent', length: 0}, lessons, signal);

  async *#counted(sent: Try, lessons: RefusalChanges, signal: AbortSignal): AsyncGenerator<AttemptItem, void, void> {
    this.#tries.push(sent);
    for await (const item of this.#sendOnce(sent.request, lessons, signal)) {
      if (item.kind === 'events') for (const event of item.events) count(event, sent);
      yield item;
    }
  }

  /** Puts the usage of all tries into the end of the answer. An answer without an end reports the usage by itself. */
  async *withUsage(stream: AsyncIterable<readonly ModelEvent[]>): AsyncGenerator<readonly ModelEvent[], void, void> {
    for await (const events of stream) {
      const end = events.at(-1);
      if (end?.event === 'message-finished') {
        yield [...events.slice(0, -1), {...end, usage: await this.#total()}];
        return;
      }
      if (end?.event === 'failed') {
        yield [...events.slice(0, -1), ...(await this.#bill()), end];
        return;
      }
      yield events;
    }
    // The user stopped the answer.
    yield await this.#bill();
  }

  async #bill(): Promise<readonly ModelEvent[]> {
    const usage = await this.#total();
    return usage === noUsage ? [] : [{event: 'billed', usage}];
  }

  /** Returns the usage of the tries that have begun. */
  async #total(): Promise<Usage> {
    let total = noUsage;
    let lost = 0;
    let usd: number | undefined = 0;
    const begun = this.#tries.filter(({state}) => state !== 'sent');
    for (const sent of begun) {
      const usage = await measured(sent);
      // A server may answer under a name that only it knows.
      const names = [sent.model, sent.request.model];
      const cost = names.map(name => this.#models.facts(name).costOf(usage)).find(value => value !== 'unknown');
      total = addUsage(total, usage);
      if (sent !== begun.at(-1)) lost += contextTokens(usage);
      usd = usd === undefined || cost === undefined ? undefined : usd + cost;
    }
    if (total === noUsage) return total;
    return {...total, ...(usd === undefined ? {} : {costUsd: usd}), ...(lost === 0 ? {} : {lostTokens: lost})};
  }
}

function count(event: ModelEvent, sent: Try): void {
  if (sent.state === 'sent') sent.state = 'begun';
  if (event.event === 'message-started') {
    sent.model = event.model;
    sent.usage = event.usage;
  }
  if (event.event === 'block-delta') sent.length += deltaLength(event.delta);
  if (event.event !== 'message-finished') return;
  sent.usage = event.usage;
  sent.state = 'finished';
}

/** Returns the tokens of a try: as the server counted them, and estimated if it didn't. */
async function measured({request, usage, state, length}: Try): Promise<Usage> {
  const input = contextTokens(usage) - usage.outputTokens;
  const isOutputKnown = length === 0 || (state === 'finished' && usage.outputTokens > 0);
  if (isOutputKnown && input > 0) return usage;
  const {estimateFixedTokens, estimateMessagesTokens} = await import('../domain/compaction.ts');
  const inputTokens = estimateFixedTokens(request) + estimateMessagesTokens(request.messages);
  return {
    ...usage,
    ...(input > 0 ? {} : {inputTokens}),
    ...(isOutputKnown ? {} : {outputTokens: Math.max(usage.outputTokens, Math.ceil(length / 4))}),
    estimated: true,
  };
}

/** Returns the length of a delta in UTF-16 units. */
export function deltaLength(delta: BlockDelta): number {
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
