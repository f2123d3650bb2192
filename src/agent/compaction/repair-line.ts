import {groupDigits} from '../../domain/compaction.ts';
import type {RequestSize} from '../context/context-usage.ts';
import type {SessionContext} from '../session-context.ts';

/** `Too long for claude-haiku-4-5 (213,462 of 200,000 tokens)` */
export function tooLongText(
  {shown, window, total}: Pick<RequestSize, 'shown' | 'window' | 'total'>,
  session: Pick<SessionContext, 'promptModel' | 'model'>,
): string {
  const count = `${total === 'counted' ? '' : 'about '}${groupDigits(shown.tokens)}`;
  const model = session.promptModel ?? session.model;
  // The refusal named no length, and weft's estimate is too low.
  if (window > 0 && shown.tokens <= window) return `Too long for ${model}`;
  const figures = window === 0 ? count : `${count} of ${groupDigits(window)}`;
  return `Too long for ${model} (${figures} tokens)`;
}

/** Says in one line what was done about a conversation that is too long. */
export function publishRepair(session: SessionContext, size: RequestSize, what: string): void {
  session.publish([
    {event: 'repaired', repair: 'too-long', text: `${tooLongText(size, session)}: ${what}`, leftOut: []},
    {event: 'usage-changed', usage: session.conversation.usage.report()},
  ]);
}
