import {isDeeperThan, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import type {AnswerCall} from './answer-part.ts';

export interface StreamedCall {
  /** The server's id of the call; `''` if it has none. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** A waiting call. A tool call may still change, but a todo call can't. */
export interface WaitingCall extends StreamedCall {
  readonly subject: AnswerCall['subject'];
}

/**
 * Queues the calls of an answer and releases each once, in order. A call can't be taken back, and clients run it only
 * after the answer ended. So a call waits until it can no longer change, and until its transaction ends. A call that
 * was rolled back is never released.
 */
export class CallQueue {
  #waiting: readonly WaitingCall[] = [];
  /** The waiting calls when each open transaction began. */
  #savepoints: readonly (readonly WaitingCall[])[] = [];
  /** The ids that were sent, and how often. The oldest are dropped. */
  readonly #sentIds = new Map<string, number>();
  #count = 0;

  /** Adds a call and returns the calls that can now be sent. */
  add(call: WaitingCall): readonly AnswerCall[] {
    if (call.subject === 'tool' && call.id !== '' && this.#sentIds.has(call.id)) return none;
    this.#waiting = [...this.#waiting, call];
    const released = this.#releaseTodos();
    return this.#waiting.length > maxWaiting ? this.#release(1) : released;
  }

  find(id: string): WaitingCall | undefined {
    return id === '' ? undefined : this.#waiting.find(call => call.subject === 'tool' && call.id === id);
  }

  /** Replaces a waiting call, unless the new one is nested too deeply to be written. */
  change(before: WaitingCall, after: WaitingCall): void {
    if (!canSerialize(after.input)) return;
    this.#waiting = this.#waiting.map(call => (call === before ? after : call));
  }

  /** Outside a transaction, releases all waiting calls before something else is sent. */
  releaseBefore(): readonly AnswerCall[] {
    return this.#savepoints.length === 0 ? this.releaseAll() : none;
  }

  releaseAll(): readonly AnswerCall[] {
    return this.#release(this.#waiting.length);
  }

  begin(): readonly AnswerCall[] {
    const released = this.releaseBefore();
    this.#savepoints = [...this.#savepoints, this.#waiting];
    return released;
  }

  commit(): readonly AnswerCall[] {
    this.#savepoints = this.#savepoints.slice(0, -1);
    return this.#releaseTodos();
  }

  rollback(): readonly AnswerCall[] {
    this.#waiting = this.#savepoints.at(-1) ?? this.#waiting;
    this.#savepoints = this.#savepoints.slice(0, -1);
    return this.#releaseTodos();
  }

  /** Outside a transaction, releases all calls up to the last todo call. Tool calls after it may still change. */
  #releaseTodos(): readonly AnswerCall[] {
    if (this.#savepoints.length > 0) return none;
    return this.#release(this.#waiting.findLastIndex(call => call.subject === 'todos') + 1);
  }

  #release(count: number): readonly AnswerCall[] {
    if (count === 0) return none;
    const released = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    // The calls from before a transaction come first in the queue. Calls that are sent now must not wait again after
    // a rollback.
    this.#savepoints = this.#savepoints.map(waited => waited.slice(count));
    return released.map(({subject, id, name, input}) => ({
      kind: 'call',
      subject,
      id: this.#uniqueId(id),
      // Clients reject a call without a name.
      name: name === '' ? 'call_mcp_tool' : name,
      input: JSON.stringify(input),
    }));
  }

  /** Returns the id if it is free, or else the id with the first free number. */
  #uniqueId(wanted: string): string {
    this.#count += 1;
    const id = wanted === '' ? `call_${this.#count}` : wanted;
    let uses = (this.#sentIds.get(id) ?? 0) + 1;
    let unique = uses === 1 ? id : `${id}_${uses}`;
    while (this.#sentIds.has(unique)) {
      uses += 1;
      unique = `${id}_${uses}`;
    }
    this.#remember(id, uses);
    if (unique !== id) this.#remember(unique, 1);
    return unique;
  }

  #remember(id: string, uses: number): void {
    this.#sentIds.delete(id);
    this.#sentIds.set(id, uses);
    if (this.#sentIds.size <= maxSentIds) return;
    // Drops many at a time: a map scans its deleted entries before it reaches the first one.
    for (const oldest of this.#sentIds.keys()) {
      if (this.#sentIds.size <= maxSentIds * 0.75) return;
      this.#sentIds.delete(oldest);
    }
  }
}

/** True if the input can be written as JSON. Deeper nesting overflows the stack of any writer. */
export const canSerialize = (input: JsonObject): boolean => !isDeeperThan(input, deepestWritten);

/** Appends the strings of `more` to those of `before`, and adds keys that only `more` has. */
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
/** The maximum number of waiting calls. Beyond this, the oldest are sent, even inside a transaction. */
const maxWaiting = 256;
const maxSentIds = 10_000;
const deepestWritten = 500;
