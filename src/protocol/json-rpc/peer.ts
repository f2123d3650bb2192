import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';

/** The JSON-RPC 2.0 error codes that weft sends. */
export const rpcErrors = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  /** `null` if there is none. */
  readonly data: Json;
}

export const rpcError = (code: number, message: string): RpcError => ({code, message, data: null});

export interface RpcRequest {
  readonly id: number | string;
  readonly method: string;
  /** An object; empty if the message has none. */
  readonly params: JsonObject;
  /** Answers the request. Later calls have no effect. */
  answer(result: Outcome<Json, RpcError>): void;
}

export interface RpcHandlers {
  readonly write: (message: object) => void;
  readonly request: (request: RpcRequest) => void;
  readonly notification: (method: string, params: JsonObject) => void;
}

/** One side of a JSON-RPC 2.0 connection. Both sides can send requests at any time, and answers come in any order. */
export interface RpcPeer {
  /** Sends a request and calls `answered` as soon as the answer arrives. `answered` is never called if the other side does not answer. */
  call(method: string, params: object, answered: (answer: Outcome<Json, RpcError>) => void): void;
  request(method: string, params: object): Promise<Outcome<Json, RpcError>>;
  notify(method: string, params: object): void;
  /** Handles a message from the other side. Invalid messages are ignored. */
  take(message: JsonObject): void;
}

export function makeRpcPeer({write, request, notification}: RpcHandlers): RpcPeer {
  const open = new Map<number, (answer: Outcome<Json, RpcError>) => void>();
  let last = 0;

  function call(method: string, params: object, answered: (answer: Outcome<Json, RpcError>) => void): void {
    last += 1;
    open.set(last, answered);
    write({jsonrpc: '2.0', id: last, method, params});
  }

  return {
    call,
    request(method, params) {
      const answered = Promise.withResolvers<Outcome<Json, RpcError>>();
      call(method, params, answered.resolve);
      return answered.promise;
    },
    notify: (method, params) => write({jsonrpc: '2.0', method, params}),
    take(message) {
      const {id, method, params} = message;
      const known = isJsonObject(params) ? params : {};
      if (typeof method !== 'string') {
        const answered = typeof id === 'number' ? open.get(id) : undefined;
        if (answered === undefined || typeof id !== 'number') return;
        open.delete(id);
        answered('error' in message ? failed(readError(message['error'])) : ok(message['result'] ?? null));
        return;
      }
      if (typeof id !== 'number' && typeof id !== 'string') return notification(method, known);
      let isOpen = true;
      request({
        id,
        method,
        params: known,
        answer(result) {
          if (!isOpen) return;
          isOpen = false;
          if (result.tag === 'ok') return write({jsonrpc: '2.0', id, result: result.value});
          const {code, message: text, data} = result.error;
          write({jsonrpc: '2.0', id, error: {code, message: text, ...(data === null ? {} : {data})}});
        },
      });
    },
  };
}

function readError(error: Json | undefined): RpcError {
  if (!isJsonObject(error)) return rpcError(rpcErrors.internal, 'an error without a message');
  const {code, message, data} = error;
  return {
    code: typeof code === 'number' ? code : rpcErrors.internal,
    message: typeof message === 'string' ? message : 'an error without a message',
    data: data ?? null,
  };
}
