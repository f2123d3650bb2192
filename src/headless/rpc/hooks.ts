import type {Hook} from '../../actions/hooks-port.ts';
import {maxTimeoutSeconds} from '../../base/timer-limits.ts';
import type {HookMatcher, InitializeRequest} from '../../protocol/rpc/control-message.ts';
import type {ControlChannel} from './control-channel.ts';

const defaultTimeoutSeconds = 60;

/** Makes hooks that call the program that drives weft, over the control channel. */
export const clientHooks = (hooks: NonNullable<InitializeRequest['hooks']>, channel: ControlChannel): readonly Hook[] =>
  Object.entries(hooks).flatMap(([event, matchers]) =>
    matchers.flatMap(matcher => matcher.hookCallbackIds.map(id => clientHook(id, {event, matcher, channel}))),
  );

function clientHook(
  id: string,
  {event, matcher, channel}: {readonly event: string; readonly matcher: HookMatcher; readonly channel: ControlChannel},
): Hook {
  const seconds = Math.min(maxTimeoutSeconds, Math.max(0.001, matcher.timeout ?? defaultTimeoutSeconds));
  return {
    event,
    matcher: matcher.matcher ?? '',
    text: id,
    source: 'the program that drives weft',
    key: `client ${id}`,
    timeoutMs: seconds * 1000,
    wait: 'for-answer',
    onFailure: matcher.onFailure === undefined || matcher.onFailure === 'block' ? 'block' : 'allow',
    condition: '',
    changes: 'any',
    async run(input, signal) {
      const toolUseId = input['tool_use_id'];
      const request = {
        subtype: 'hook_callback',
        callback_id: id,
        input,
        ...(typeof toolUseId === 'string' ? {tool_use_id: toolUseId} : {}),
      } as const;
      const answer = await channel.request(request, signal);
      const printed = {exitCode: 'unknown', stderr: ''} as const;
      if (answer.tag === 'ok') {
        return {outcome: {kind: 'json', value: answer.value}, stdout: JSON.stringify(answer.value), ...printed};
      }
      const {kind, message: why} = answer.error;
      return {outcome: {kind: 'failed', how: kind === 'gone' ? 'gone' : 'crashed', why}, stdout: '', ...printed};
    },
  };
}

/** Returns a notice about registered hooks that weft never calls, if there are any. */
export function hookNotes(
  hooks: NonNullable<InitializeRequest['hooks']>,
  called: readonly string[],
): readonly string[] {
  const uncalled = Object.keys(hooks).filter(event => !called.includes(event) && (hooks[event] ?? []).length > 0);
  return uncalled.length === 0 ? [] : [`this version of weft does not call hooks for ${uncalled.join(', ')}`];
}
