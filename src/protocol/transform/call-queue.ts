import {isDeeperThan, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import type {AnswerCall} from './answer-part.ts';

export interface StreamedCall {
  /** What the server knows the call by; `''` if it has no name for it. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** A call that waits. That of a tool may still change, one about todos may not. */
export interface WaitingCall extends StreamedCall {
  readonly subject: AnswerCall['subject'];
}

/**
 * The calls of an answer in order, each told once. A call cannot be taken back and is run only when the answer has ended, so
 * what may still change waits for its last word, and what belongs to a transaction waits for its end: a call that was rolled back
 * is never told.
 */
export class CallQueue {
  #waiting: readonly WaitingCall[] = [];
  /** What waited when each open transaction began. */
  #marks: readonly (readonly WaitingCall[])[] = [];
  /** Ids that were told, and how often: the oldest are forgotten. */
  readonly #told = new Map<string, number>();
  #count = 0;

  /** Adds a call; gives those that need not wait any longer. */
  add(call: WaitingCall): readonly AnswerCall[] {
    if (call.subject === 'tool' && call.id !== '' && this.#told.has(call.id)) return none;
    this.#waiting = [...this.#waiting, call];
    const released = this.#releaseTodos();
    return this.#waiting.length > maxWaiting ? this.#release(1) : released;
  }

  /** The tool's call of that id while it waits. */
  find(id: string): WaitingCall | undefined {
    return id === '' ? undefined : this.#waiting.find(call => call.subject === 'tool' && call.id === id);
  }

  /** Puts `after` in the place of a waiting call, unless it is too deep to be written. */
  change(before: WaitingCall, after: WaitingCall): void {
    if (!isShallowEnough(after.input)) return;
    this.#waiting = this.#waiting.map(call => (call === before ? after : call));
  }

  /** All that waits outside a transaction; what is told next comes after it. */
  releaseBefore(): readonly AnswerCall[] {
    return this.#marks.length === 0 ? this.releaseAll() : none;
  }

  releaseAll(): readonly AnswerCall[] {
    return this.#release(this.#waiting.length);
  }

  begin(): readonly AnswerCall[] {
    const released = this.releaseBefore();
    this.#marks = [...this.#marks, this.#waiting];
    return released;
  }

  commit(): readonly AnswerCall[] {
    this.#marks = this.#marks.slice(0, -1);
    return this.#releaseTodos();
  }

  rollback(): readonly AnswerCall[] {
    this.#waiting = this.#marks.at(-1) ?? this.#waiting;
    this.#marks = this.#marks.slice(0, -1);
    return this.#releaseTodos();
  }

  /** Outside a transaction, everything up to the last call about todos; those of tools behind it may still change. */
  #releaseTodos(): readonly AnswerCall[] {
    if (this.#marks.length > 0) return none;
    return this.#release(this.#waiting.findLastIndex(call => call.subject === 'todos') + 1);
  }

  #release(count: number): readonly AnswerCall[] {
    if (count === 0) return none;
    const released = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    // What waited when a transaction began stands in front, and what is told now must not wait again after a rollback.
    this.#marks = this.#marks.map(waited => waited.slice(count));
    return released.map(({subject, id, name, input}) => ({
      kind: 'call',
      subject,
      id: this.#uniqueId(id),
      // A reader takes no call without a name.
      name: name === '' ? 'call_mcp_tool' : name,
      input: JSON.stringify(input),
    }));
  }

  /** The id itself where it is free, else with the first free number. */
  #uniqueId(wanted: string): string {
    this.#count += 1;
    const id = wanted === '' ? `call_${this.#count}` : wanted;
    let uses = (this.#told.get(id) ?? 0) + 1;
    let unique = uses === 1 ? id : `${id}_${uses}`;
    while (this.#told.has(unique)) {
      uses += 1;
      unique = `${id}_${uses}`;
    }
    this.#remember(id, uses);
    if (unique !== id) this.#remember(unique, 1);
    return unique;
  }

  #remember(id: string, uses: number): void {
    this.#told.delete(id);
    this.#told.set(id, uses);
    if (this.#told.size <= maxTold) return;
    // Many at a time: a map walks over the places of what it has lost before it comes to its first entry.
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= maxTold * 0.75) return;
      this.#told.delete(oldest);
    }
  }
}

/** Whether the input can be written as JSON text: what nests deeper overflows the stack of any writer. */
export const isShallowEnough = (input: JsonObject): boolean => !isDeeperThan(input, deepestWritten);

/** The strings of `before` with those of `more` at their ends; what only `more` has is added. */
export function appendToInput(before: JsonObject, more: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(before), ...Object.keys(more)]);
  return Object.fromEntries([...keys].map(key => [key, extendValue(ownValue(before, key), ownValue(more, key))]));
}

function extendValue(before: Json | undefined, more: Json | undefined): Json {
  if (before === undefined) return more ?? null;
  if (typeof before === 'string' && typeof more === 'string') return before + more;
  return isJsonObject(before) && isJsonObject(more) ? appendToInput(before, more) : before;
}

const ownValue = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

const none: readonly AnswerCall[] = [];
/** Of more calls than these the oldest wait no longer, not even for the end of a transaction. */
const maxWaiting = 256;
const maxTold = 10_000;
const deepestWritten = 500;
