import {isJsonObject, parseJson, type Json, type JsonObject} from '../base/json.ts';
import {actionId} from '../domain/ids.ts';
import type {ModelEvent} from '../domain/model-stream.ts';
import {BlockBuilder} from './block-builder.ts';

/**
 * Puts the tool calls of chat completion deltas together. Servers differ: some number the calls, some give every call the
 * same number, some leave out numbers or ids, some repeat the name in every delta, some send a call whole.
 */
export class ToolCallAssembly {
  readonly #newId: () => string;
  readonly #nextIndex: () => number;
  readonly #calls: Call[] = [];

  /** `nextIndex` gives the next free block index of the message. */
  constructor({newId, nextIndex}: {newId: () => string; nextIndex: () => number}) {
    this.#newId = newId;
    this.#nextIndex = nextIndex;
  }

  add(delta: JsonObject, out: ModelEvent[]): void {
    const about = isJsonObject(delta['function']) ? delta['function'] : {};
    const id = typeof delta['id'] === 'string' ? delta['id'] : '';
    const name = typeof about['name'] === 'string' ? about['name'] : '';
    const number = typeof delta['index'] === 'number' ? delta['index'] : undefined;
    const call = this.#find({number, id, name}) ?? this.#begin(number);
    if (call.id === '') call.id = id;
    if (call.name === '') call.name = name;
    call.unsent += inputText(about['arguments']);
    this.#send(call, out);
  }

  /** Finishes all calls and says how many there are. A call that never got a name keeps none: it settles as an error. */
  finish(out: ModelEvent[]): number {
    for (const call of this.#calls) this.#block(call, out).finish(out);
    return this.#calls.length;
  }

  #find({number, id, name}: {number: number | undefined; id: string; name: string}): Call | undefined {
    const last = this.#calls.at(-1);
    if (number !== undefined) {
      const numbered = this.#calls.findLast(call => call.number === number);
      // The same number with another id: this server does not count.
      return id !== '' && numbered !== undefined && numbered.id !== '' && numbered.id !== id
        ? this.#calls.find(call => call.id === id)
        : numbered;
    }
    if (id !== '') return this.#calls.find(call => call.id === id);
    const anotherOne = last !== undefined && name !== '' && (name !== last.name || isWhole(last));
    return anotherOne ? undefined : last;
  }

  #begin(number: number | undefined): Call {
    const call: Call = {number, id: '', name: '', unsent: '', block: undefined};
    this.#calls.push(call);
    return call;
  }

  /** A call is announced when its name is known; input that came before waits. */
  #send(call: Call, out: ModelEvent[]): void {
    if (call.block === undefined && call.name === '') return;
    this.#block(call, out);
  }

  #block(call: Call, out: ModelEvent[]): BlockBuilder {
    if (call.id === '') call.id = `call_${this.#newId()}`;
    call.block ??= new BlockBuilder(
      this.#nextIndex(),
      {kind: 'tool-call', id: actionId(call.id), name: call.name},
      out,
    );
    call.block.add({kind: 'tool-input', json: call.unsent}, out);
    call.unsent = '';
    return call.block;
  }
}

interface Call {
  readonly number: number | undefined;
  id: string;
  name: string;
  unsent: string;
  block: BlockBuilder | undefined;
}

function inputText(given: Json | undefined): string {
  if (typeof given === 'string') return given;
  return isJsonObject(given) ? JSON.stringify(given) : '';
}

function isWhole(call: Call): boolean {
  const text = (call.block?.text ?? '') + call.unsent;
  return text !== '' && parseJson(text).tag === 'ok';
}
