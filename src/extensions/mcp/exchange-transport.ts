import {type JSONRPCMessage, parseJSONRPCMessage, type Transport} from '@modelcontextprotocol/client';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {causeText} from '../../domain/fault.ts';

/**
 * Sends one JSON-RPC message to a server and returns its answer. The result counts only if the message was a request.
 * A rejection means that the message was not delivered.
 */
export type Exchange = (server: string, message: JsonObject, signal: AbortSignal) => Promise<JsonObject | undefined>;

/**
 * A transport for messages that are answered one by one. Messages from a server that are not answers arrive through
 * `deliver`.
 */
export class ExchangeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: string;
  readonly #exchange: Exchange;
  /** The unanswered requests, by id. */
  readonly #open = new Map<Json, AbortController>();
  readonly #end = new AbortController();

  constructor(server: string, exchange: Exchange) {
    this.#server = server;
    this.#exchange = exchange;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#end.signal.aborted) throw new Error('The connection is closed.');
    const sent: unknown = message;
    if (!isJsonObject(sent)) return;
    const {id, method, params} = sent;
    if (typeof method === 'string' && id !== undefined) {
      void this.#ask(sent, id);
      return;
    }
    await this.#exchange(this.#server, sent, this.#end.signal).catch((cause: unknown) => {
      if (!this.#end.signal.aborted) this.onerror?.(new Error(causeText(cause), {cause}));
    });
    if (method === 'notifications/cancelled' && isJsonObject(params)) {
      this.#open.get(params['requestId'] ?? null)?.abort();
    }
  }

  /** Receives a message that is not an answer. An invalid message is dropped. */
  deliver(message: JsonObject): void {
    if (!this.#end.signal.aborted) receive(this, message);
  }

  async close(): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    for (const abort of this.#open.values()) abort.abort();
    this.#open.clear();
    this.onclose?.();
  }

  async #ask(request: JsonObject, id: Json): Promise<void> {
    const abort = new AbortController();
    this.#open.set(id, abort);
    const refuse = (text: string): void => receive(this, {jsonrpc: '2.0', id, error: {code: -32_000, message: text}});
    try {
      const answer: unknown = await this.#exchange(this.#server, request, abort.signal);
      if (abort.signal.aborted) return;
      if (!isJsonObject(answer)) refuse('The server gave no answer.');
      else if (answer['method'] === undefined && answer['id'] !== id)
        refuse('The server answered a different request.');
      else if (answer['method'] === undefined && !isJsonObject(answer['result'] ?? answer['error'])) {
        refuse('The server gave an invalid answer.');
      } else receive(this, answer);
    } catch (cause) {
      if (!abort.signal.aborted) refuse(causeText(cause));
    } finally {
      this.#open.delete(id);
    }
  }
}

/** Gives a message to the client library, or the error that it makes. */
export function receive(transport: Transport, message: JsonObject): void {
  try {
    transport.onmessage?.(parseJSONRPCMessage(message));
  } catch (cause) {
    transport.onerror?.(new Error(causeText(cause), {cause}));
  }
}
