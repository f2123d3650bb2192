import {randomBytes} from 'node:crypto';
import type {ConversationsPort, FetchedConversation, FetchedMessage} from '../actions/conversations-port.ts';
import {clip} from '../base/clip.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {blockTexts, type Message, messageText, toolCalls} from '../domain/conversation.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import {historyFromJournal} from '../domain/history.ts';
import type {SessionSummary} from '../domain/journal.ts';
import type {Store} from '../store/open-store.ts';

/** The maximum number of UTF-16 units of an answer, of one message in it, and of a call or a result. */
const maxText = 40_000;
const maxMessage = 6000;
const maxCall = 300;
/** The maximum number of sessions that an error lists. */
const maxNamed = 10;

/** Reads a part of a session of `directory`. The beginning of an id is enough if only one session has it. */
export function fetchConversation(
  {id, before}: Parameters<ConversationsPort['fetch']>[0],
  {store, directory}: {readonly store: Pick<Store, 'list' | 'read'>; readonly directory: string},
): Outcome<FetchedConversation, Fault> {
  const here = store.list({directory});
  const meant = here.filter(session => session.id === id || (id.length >= 4 && session.id.startsWith(id)));
  const [summary, other] = meant;
  if (summary === undefined || other !== undefined) return failed(notFound(id, here));
  const read = store.read(summary.id);
  if (read.tag === 'failed') return read;
  const all = historyFromJournal(read.value.records).messages.flatMap(messageOf);
  const end = before === 'end' ? all.length : Math.min(all.length, before - 1);
  let start = end;
  for (let room = maxText; start > 0; start -= 1) {
    room -= all[start - 1]?.text.length ?? 0;
    if (room < 0) break;
  }
  return ok({
    id: summary.id,
    title: summary.title,
    updatedAt: summary.updatedAt,
    messages: all.slice(start, end),
    first: start + 1,
    total: all.length,
    boundary: `conversation-${randomBytes(8).toString('hex')}`,
  });
}

function notFound(id: string, here: readonly SessionSummary[]): Fault {
  const rows = here
    .slice(0, maxNamed)
    .map(
      session => `${session.id}  ${new Date(session.updatedAt).toISOString().slice(0, 10)}  ${clip(session.title, 80)}`,
    );
  const latest = rows.length === 0 ? 'There is none yet.' : `The latest are:\n${rows.join('\n')}`;
  return rejected(`No session of this folder has the id ${JSON.stringify(id)}. ${latest}`);
}

/** Returns a message as text, tool calls, and the beginnings of their results. */
function messageOf(message: Message): readonly FetchedMessage[] {
  if (message.role === 'assistant') {
    const calls = toolCalls(message).map(({name, input}) => clip(`(called ${name} ${JSON.stringify(input)})`, maxCall));
    return textMessage('agent', [messageText(message), ...calls]);
  }
  const results = message.blocks.flatMap(block =>
    block.kind === 'tool-result' ? [clip(`(result: ${blockTexts(block.content).join(' ')})`, maxCall)] : [],
  );
  return textMessage('user', [messageText(message), ...results]);
}

function textMessage(by: FetchedMessage['by'], parts: readonly string[]): readonly FetchedMessage[] {
  const text = parts.filter(part => part.trim() !== '').join('\n');
  return text === '' ? [] : [{by, text: clip(text, maxMessage)}];
}
