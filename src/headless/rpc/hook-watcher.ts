import type {RpcMessage} from '../../protocol/rpc/rpc-message.ts';
import type {HookWatcher} from './hook-callbacks.ts';
import type {SessionState} from './session-state.ts';

/** Tells the client of its own hooks: what they say to a person always, that they are called where that was asked for. */
export function makeHookWatcher(options: {
  readonly events: 'with' | 'without';
  readonly state: SessionState;
  readonly uuid: () => string;
  readonly send: (message: RpcMessage) => void;
}): HookWatcher {
  const {events, state, uuid, send} = options;
  const address = () => ({
    session_id: state.session?.id ?? '',
    uuid: uuid(),
    provider: state.session?.provider ?? '',
  });
  return {
    started({id, name, event}) {
      if (events === 'without') return;
      const hook = {hook_id: id, hook_name: name, hook_event: event};
      send({type: 'system', subtype: 'hook_started', ...hook, ...address()});
    },
    ended({id, name, event, outcome, output}) {
      if (events === 'without') return;
      const hook = {hook_id: id, hook_name: name, hook_event: event, output, stdout: '', stderr: '', outcome};
      send({type: 'system', subtype: 'hook_response', ...hook, ...address()});
    },
    tell(content) {
      send({type: 'system', subtype: 'informational', content, level: 'info', ...address()});
    },
  };
}
