import type {JsonObject} from '../../base/json.ts';
import {failed, type Outcome} from '../../base/outcome.ts';
import type {ControlMessage, WeftRequest} from '../../protocol/rpc/control-message.ts';

/** Weft's own requests to the program that drives it: each settles exactly once. */
export interface ControlChannel {
  /** Resolves with the answer. An abort takes the request back and settles at once. */
  request(request: WeftRequest, signal: AbortSignal): Promise<Outcome<JsonObject, ChannelFault>>;
  /** An answer has come; one to a request that is not open, or open no longer, changes nothing. */
  settle(id: string, answer: Outcome<JsonObject, string>): void;
  /** Nobody answers any more: what is open fails, and so does what is asked from now on. */
  close(): void;
}

/** `refused`: the client answered with an error. `gone`: it cannot answer any more. */
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
      if (signal.aborted) return failed({kind: 'aborted', message: 'it was stopped'});
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
          settle(failed({kind: 'aborted', message: 'it was stopped'}));
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

const gone: ChannelFault = {kind: 'gone', message: 'the program that drives weft does not answer any more'};
