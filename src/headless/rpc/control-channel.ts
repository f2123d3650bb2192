import type {JsonObject} from '../../base/json.ts';
import {failed, type Outcome} from '../../base/outcome.ts';
import type {ControlMessage, WeftRequest} from '../../protocol/rpc/control-message.ts';

/** weft's requests to the program that drives it. Each settles exactly once. */
export interface ControlChannel {
  /** Resolves with the answer. An abort cancels the request and settles it at once. */
  request(request: WeftRequest, signal: AbortSignal): Promise<Outcome<JsonObject, ChannelFault>>;
  /** Settles a request with its answer. Ignores answers to requests that are not open. */
  settle(id: string, answer: Outcome<JsonObject, string>): void;
  /** Fails all open requests and all later ones, because the client no longer answers. */
  close(): void;
}

/** `refused`: the client answered with an error. `gone`: the client can no longer answer. */
export interface ChannelFault {
  readonly kind: 'refused' | 'gone' | 'aborted';
  readonly message: string;
}

export function makeControlChannel(options: {
  readonly send: (message: ControlMessage) => void;
  readonly newId: () => string;
}): ControlChannel {
  const {send, newId} = options;
  const open = new Map<string, (answer: Outcome<JsonObject, ChannelFault>) => void>();
  let closed = false;
  return {
    async request(request, signal) {
      if (signal.aborted) return failed({kind: 'aborted', message: 'stopped'});
      if (closed) return failed(gone);
      const id = newId();
      return new Promise(resolve => {
        const settle = (answer: Outcome<JsonObject, ChannelFault>): void => {
          signal.removeEventListener('abort', abort);
          open.delete(id);
          resolve(answer);
        };
        const abort = (): void => {
          send({type: 'control_cancel_request', request_id: id});
          settle(failed({kind: 'aborted', message: 'stopped'}));
        };
        signal.addEventListener('abort', abort, {once: true});
        open.set(id, settle);
        send({type: 'control_request', request_id: id, request});
      });
    },
    settle(id, answer) {
      open.get(id)?.(answer.tag === 'ok' ? answer : failed({kind: 'refused', message: answer.error}));
    },
    close() {
      closed = true;
      for (const settle of open.values()) settle(failed(gone));
    },
  };
}

const gone: ChannelFault = {kind: 'gone', message: 'the program that drives weft no longer answers'};
