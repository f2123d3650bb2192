import {firstLine} from '../base/clip.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {groupDigits} from '../domain/compaction.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';
import {pinnableMessages, pinnedLimit, pinnedTokens, type PinRow} from '../domain/pin.ts';
import {journal, type SessionContext} from './session-context.ts';

const titleLength = 200;

export const pinRows = ({conversation}: SessionContext): readonly PinRow[] =>
  pinnableMessages(conversation.journal.records).map(({id, by, state, text}) => ({
    id,
    by,
    state,
    title: firstLine(text.trim(), titleLength),
    tokens: pinnedTokens({text}),
  }));

/** Pins or unpins a message. Returns the messages that can be pinned afterwards. Refuses a pin that would exceed the limit. */
export function changePin(
  {message, state}: {readonly message: MessageId; readonly state: PinRow['state']},
  session: SessionContext,
): Outcome<readonly PinRow[], Fault> {
  const rows = pinRows(session);
  const row = rows.find(({id}) => id === message);
  if (row === undefined) return failed(rejected('This conversation has no such message.'));
  if (row.state === state) return ok(rows);
  if (state === 'pinned') {
    const tokens = rows.reduce((sum, one) => sum + (one.state === 'pinned' ? one.tokens : 0), row.tokens);
    const limit = pinnedLimit(session.ports.model.facts(session.model).contextWindow);
    if (tokens > limit) {
      return failed(
        rejected(
          `Pinned messages may use ${groupDigits(limit)} tokens. With this one they would use about ${groupDigits(tokens)}. ` +
            '/pin remove unpins a message.',
        ),
      );
    }
  }
  journal(session, {kind: 'pin', message, state});
  return ok(pinRows(session));
}
