import {groupDigits} from '../../domain/compaction.ts';
import type {RequestSize} from '../context/context-usage.ts';
import type {SessionContext} from '../session-context.ts';

/** `Too long for claude-haiku-4-5 (213,462 of 200,000 tokens)` */
export function lengthText(
  {tokens, window, total}: Pick<RequestSize, 'tokens' | 'window' | 'total'>,
  session: Pick<SessionContext, 'promptModel' | 'model'>,
): string {
  const count = `${total === 'counted' ? '' : 'about '}${groupDigits(tokens)}`;
  // An unknown length counts as just over the window.
  const figures =
    window === 0 ? count : tokens > window + 1 ? `${count} of ${groupDigits(window)}` : `over ${groupDigits(window)}`;
  return `Too long for ${session.promptModel ?? session.model} (${figures} tokens)`;
}

/** Says in one line what was done about a conversation that is too long. */
export function publishRepair(session: SessionContext, size: RequestSize, what: string): void {
  session.publish([
    {event: 'repaired', repair: 'too-long', text: `${lengthText(size, session)}: ${what}`, leftOut: []},
    {event: 'usage-changed', usage: session.conversation.usage.report()},
  ]);
}
