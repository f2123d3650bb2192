import type {PromptSummary, SessionUsage} from '../../actions/agent-event.ts';
import {needsUser} from '../../domain/fault.ts';
import {noUsage} from '../../domain/usage.ts';
import type {ControlMessage} from '../../protocol/rpc/control-message.ts';
import {makeResultMessage} from '../../protocol/rpc/result-message.ts';
import type {RpcMessage, RpcResult} from '../../protocol/rpc/rpc-message.ts';
import {noSessionUsage} from './session-state.ts';

/** Returns the messages for a client whose session could not start: an error for its `initialize`, and a result with the reason. */
export function startFailure({
  initializeId,
  message,
  uuid,
}: {
  readonly initializeId: string | undefined;
  readonly message: string;
  readonly uuid: () => string;
}): readonly (RpcMessage | ControlMessage)[] {
  const refusal: readonly ControlMessage[] =
    initializeId === undefined
      ? []
      : [
          {
            type: 'control_response',
            response: {subtype: 'error', request_id: initializeId, error: message, error_code: 'start_failed'},
          },
        ];
  return [...refusal, failureResult(message, uuid)];
}

/** Returns the result of a run that could not begin. */
export function failureResult(message: string, uuid: () => string): RpcResult {
  const result = makeResultMessage(refusedSummary(message, noSessionUsage), {
    address: {session_id: uuid(), uuid: uuid(), provider: ''},
    model: '',
    phase: 'streaming',
    of: 'prompt',
    repairs: [],
  });
  return {...result, num_turns: 0};
}

/** Returns the summary of a prompt that never began; `message` is the reason. */
export const refusedSummary = (message: string, sessionUsage: SessionUsage): PromptSummary => ({
  end: {kind: 'failed', fault: needsUser(message, '')},
  answer: '',
  stop: 'interrupted',
  turns: 0,
  results: 0,
  durationMs: 0,
  modelMs: 0,
  waitedMs: 0,
  usage: noUsage,
  webSearches: 0,
  sessionUsage,
  structured: {kind: 'none'},
  denials: [],
  checks: [],
});
