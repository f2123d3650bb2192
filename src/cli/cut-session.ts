import type {JournalRecord} from '../domain/journal.ts';
import {timelineOf} from '../domain/timeline.ts';
import {toldNames} from '../protocol/rpc/told-names.ts';
import type {StoredSession} from '../store/open-store.ts';
import {toldUuid} from './told-uuid.ts';

/** The last message that is to stay, by the uuid under which it was told. */
export interface SessionCut {
  readonly behind: string;
  /** The only prompt that may go, by its id; `undefined` for as many as there are. */
  readonly drops: string | undefined;
}

/**
 * The session as it was when that message had been told, by going back to before the prompt that followed it; files stay as they
 * are. Throws where there is no such message, or where it was not the last of its prompt: what remains must be whole.
 */
export function cutSession(session: StoredSession, {behind, drops}: SessionCut): StoredSession {
  const {live} = timelineOf(session.records);
  const at = live.findLastIndex(record => toldNames(record).some(name => toldUuid(name) === behind));
  if (at < 0) throw new Error(`No message found with message.uuid of: ${behind}`);
  const later = live.slice(at + 1);
  const end = later.findIndex(({kind}) => kind === 'prompt');
  if (later.slice(0, end < 0 ? later.length : end).some(({kind}) => kind === 'answer')) {
    throw new Error(`The message ${behind} stands in the middle of a turn: name the last one of a turn.`);
  }
  const prompts = later.flatMap(record => (record.kind === 'prompt' ? [record.message.id] : []));
  const [first, ...more] = prompts;
  if (first === undefined) return session;
  if (drops !== undefined && (first !== drops || more.length > 0)) {
    throw new Error(
      `Resume rejected by --resume-drops-turn: not only the turn ${drops} would go (${prompts.join(', ')}).`,
    );
  }
  const record: JournalRecord = {kind: 'rewind', to: first, what: 'talk', files: 'untouched'};
  session.append(record);
  return {...session, records: [...session.records, record]};
}
