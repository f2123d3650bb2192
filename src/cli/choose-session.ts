import type {SessionInfo} from '../actions/agent-event.ts';
import type {SessionsPort} from '../agent/ports.ts';
import type {Outcome} from '../base/outcome.ts';
import {faultText, type Fault} from '../domain/fault.ts';
import {parseSessionId, type SessionId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';
import type {Store} from '../store/open-store.ts';
import {resumeBehind, type KeptEnd} from './resume-behind.ts';
import {findSession} from './find-session.ts';
import type {MainOptions} from './program.ts';
import {newSessionId, unkeptSession, unkeptSessions} from './unkept-session.ts';
import {UsageError} from './usage-error.ts';

/** Which session to go on with, from the command line. */
export type SessionWish =
  | {readonly kind: 'new'; readonly id: SessionId | undefined; readonly title: string}
  | {readonly kind: 'newest'; readonly manner: Manner; readonly end: KeptEnd | 'newest'}
  | {readonly kind: 'resume'; readonly id: string; readonly manner: Manner; readonly end: KeptEnd | 'newest'};

/** In the session itself, or in a copy of it: under that id, or one of its own. */
type Manner = 'same' | {readonly fork: SessionId | 'any-id'};

export interface ChosenSession {
  readonly session: OpenSession;
  readonly origin: SessionInfo['origin'];
  readonly sessions: SessionsPort;
  /** Records that are kept and cannot be read. */
  readonly skipped: number;
}

/** What the command line asks for; combinations that contradict each other are refused. */
export function sessionWish(options: MainOptions): SessionWish {
  const {
    continue: newest,
    resume,
    sessionId,
    forkSession,
    name,
    resumeSessionAt: behind,
    resumeDropsTurn: drops,
  } = options;
  const id = sessionId === undefined ? undefined : sessionIdFrom(sessionId);
  const manner: Manner = forkSession === undefined ? 'same' : {fork: id ?? 'any-id'};
  const goesOn = newest !== undefined || resume !== undefined;
  if (newest !== undefined && resume !== undefined) {
    throw new UsageError('--continue and --resume exclude each other.');
  }
  if (goesOn && manner === 'same' && id !== undefined)
    throw new UsageError(
      '--session-id is for a new session or a copy: add --fork-session, or leave out --continue and --resume.',
    );
  if (!goesOn && forkSession !== undefined) throw new UsageError('--fork-session needs --continue or --resume.');
  if (!goesOn && (behind !== undefined || drops !== undefined)) {
    throw new UsageError('--resume-session-at needs --resume.');
  }
  if (drops !== undefined && behind === undefined) {
    throw new UsageError('--resume-drops-turn needs --resume-session-at.');
  }
  const end = behind === undefined ? 'newest' : {behind, drops};
  if (newest !== undefined) return {kind: 'newest', manner, end};
  if (typeof resume === 'string') return {kind: 'resume', id: resume, manner, end};
  return {kind: 'new', id, title: name ?? ''};
}

/** Opens the session that was asked for; `store: 'none'` keeps nothing. */
export function chooseSession(
  wish: SessionWish,
  {store, directory, model}: {readonly store: Store | 'none'; readonly directory: string; readonly model: string},
): ChosenSession {
  if (store === 'none') {
    if (wish.kind !== 'new')
      throw new UsageError('--continue and --resume need kept sessions: leave out --no-session-persistence.');
    return {session: unkeptSession(wish.id ?? newSessionId()), origin: 'new', sessions: unkeptSessions, skipped: 0};
  }
  if (wish.kind === 'new') {
    const {title} = wish;
    const session =
      wish.id === undefined
        ? store.create({directory, model, title})
        : unwrapped(store.createWithId(wish.id, {directory, model, title}));
    return {session, origin: 'new', sessions: store, skipped: 0};
  }
  const id = wish.kind === 'resume' ? findSession(store, wish.id) : store.latest(directory)?.id;
  if (id === undefined)
    throw new Error(`There is no session of ${directory} to continue. Start one without --continue.`);
  const {manner, end} = wish;
  // Looked for before anything is opened: where it is refused, no copy is left.
  const back = end === 'newest' ? undefined : resumeBehind(unwrapped(store.read(id)).records, end);
  const session = unwrapped(manner === 'same' ? store.resume(id) : store.fork(id, manner.fork));
  const rest = {origin: 'resumed', sessions: store, skipped: session.skipped.length} as const;
  if (back === undefined) return {session, ...rest};
  session.append(back);
  return {session: {...session, records: [...session.records, back]}, ...rest};
}

function unwrapped<T>(outcome: Outcome<T, Fault>): T {
  if (outcome.tag === 'failed') throw new Error(faultText(outcome.error));
  return outcome.value;
}

/** A UUID from the command line. */
function sessionIdFrom(text: string): SessionId {
  const id = parseSessionId(text);
  if (id === undefined)
    throw new UsageError(`${JSON.stringify(text)} is not a session id (a UUID). List them: weft sessions list`);
  return id;
}
