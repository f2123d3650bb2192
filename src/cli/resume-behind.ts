import type {JournalRecord} from '../domain/journal.ts';
import {timelineOf} from '../domain/timeline.ts';
import {toldNames} from '../protocol/rpc/told-names.ts';
import {toldUuid} from './told-uuid.ts';

/** The last message that is to stay, by the uuid under which it was told. */
export interface KeptEnd {
  readonly behind: string;
  /** The only prompt that may go, by its id; `undefined` for as many as there are. */
  readonly drops: string | undefined;
}

/**
 * What goes into a journal so that the session is as it was when that message had been told: back to before the prompt that
 * followed it; files stay as they are. `undefined` where none followed. Throws where there is no such message, or where it was not
 * the last of its prompt: what remains must be whole.
 */
export function resumeBehind(records: readonly JournalRecord[], {behind, drops}: KeptEnd): JournalRecord | undefined {
  const {live} = timelineOf(records);
  const at = live.findLastIndex(record => toldNames(record).some(name => toldUuid(name) === behind));
  if (at < 0) throw new Error(`No message found with message.uuid of: ${behind}`);
  const later = live.slice(at + 1);
  const end = later.findIndex(({kind}) => kind === 'prompt');
  if (later.slice(0, end < 0 ? later.length : end).some(({kind}) => kind === 'answer')) {
    throw new Error(`The message ${behind} stands in the middle of a turn: name the last one of a turn.`);
  }
  const prompts = later.flatMap(record => (record.kind === 'prompt' ? [record.message.id] : []));
  const [first, ...more] = prompts;
  if (first === undefined) return undefined;
  if (drops !== undefined && (first !== drops || more.length > 0)) {
    throw new Error(
      `Resume rejected by --resume-drops-turn: not only the turn ${drops} would go (${prompts.join(', ')}).`,
    );
  }
  return {kind: 'rewind', to: first, what: 'talk', files: 'untouched'};
}
