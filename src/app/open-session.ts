import {randomUUID} from 'node:crypto';
import type {SessionInfo} from '../actions/agent-event.ts';
import type {SessionsPort} from '../agent/ports.ts';
import {pluralize} from '../base/clip.ts';
import {failed} from '../base/outcome.ts';
import {revertsIn} from '../config/places.ts';
import type {RevertMark} from '../domain/checkpoint.ts';
import {type Fault, needsUser} from '../domain/fault.ts';
import {type MessageId, parseSessionId, type SessionId} from '../domain/ids.ts';
import type {JournalRecord, OpenSession} from '../domain/journal.ts';
import {sessionTitle, shortSessionIds} from '../domain/session-list.ts';
import {timelineOf} from '../domain/timeline.ts';
import {relativeTo} from '../base/shown-path.ts';
import {visibleLine} from '../base/visible.ts';
import {recordMessageNames} from '../protocol/rpc/message-names.ts';
import type {ReadSession, Store} from '../store/open-store.ts';
import {hasEntries} from './prove-sandbox.ts';
import {unwrap, UsageError} from './exit-code.ts';
import {messageUuid} from './clock-and-ids.ts';
import type {MainOptions} from './main-options.ts';
import type {RunContext} from './run-context.ts';

/** The session that the command line asks for. */
type SessionRequest =
  | {readonly kind: 'new'; readonly id: SessionId | undefined; readonly title: string}
  | {readonly kind: 'newest'; readonly into: ResumeInto; readonly end: ResumePoint | 'newest'}
  | {readonly kind: 'resume'; readonly id: string; readonly into: ResumeInto; readonly end: SessionEnd};

/** The session that continues: the same one, a copy with the given or a new id, or one that is named as a branch. */
type ResumeInto = 'same' | 'branch' | {readonly fork: SessionId | 'any-id'};

/** The session ends `before` a prompt, or just after a message. */
type SessionEnd = 'newest' | ResumePoint | {readonly before: MessageId};

interface OpenedSession {
  readonly session: OpenSession;
  readonly origin: SessionInfo['origin'];
  readonly sessions: SessionsPort;
  /** The number of stored records that cannot be read. */
  readonly skipped: number;
}

/** Reads the flags about sessions. Flags that contradict each other are a usage error. */
export function sessionRequest(options: MainOptions): SessionRequest {
  const {
    continue: newest,
    resume,
    sessionId,
    forkSession,
    name,
    resumeSessionAt: behind,
    resumeDropsTurn: drops,
    branchAt,
  } = options;
  const id = sessionId === undefined ? undefined : sessionIdFrom(sessionId);
  if (branchAt !== undefined && typeof resume === 'string')
    return {kind: 'resume', id: resume, into: 'branch', end: branchAt === 'end' ? 'newest' : {before: branchAt}};
  const into: ResumeInto = forkSession === undefined ? 'same' : {fork: id ?? 'any-id'};
  const resumes = newest !== undefined || resume !== undefined;
  if (newest !== undefined && resume !== undefined) {
    throw new UsageError('Use --continue or --resume, not both.');
  }
  if (resumes && into === 'same' && id !== undefined)
    throw new UsageError(
      '--session-id is for a new session or a copy: add --fork-session, or remove --continue and --resume.',
    );
  if (!resumes && forkSession !== undefined) throw new UsageError('--fork-session needs --continue or --resume.');
  if (!resumes && (behind !== undefined || drops !== undefined)) {
    throw new UsageError('--resume-session-at needs --resume.');
  }
  if (drops !== undefined && behind === undefined) {
    throw new UsageError('--resume-drops-turn needs --resume-session-at.');
  }
  const end = behind === undefined ? 'newest' : {behind, drops};
  if (newest !== undefined) return {kind: 'newest', into, end};
  if (typeof resume === 'string') return {kind: 'resume', id: resume, into, end};
  return {kind: 'new', id, title: name ?? ''};
}

/** Opens the requested session. With `store: 'none'` nothing of the session is saved. */
export function openSession(
  request: SessionRequest,
  {store, directory, model}: {readonly store: Store | 'none'; readonly directory: string; readonly model: string},
): OpenedSession {
  if (store === 'none') {
    if (request.kind !== 'new')
      throw new UsageError('--continue and --resume need saved sessions: remove --no-session-persistence.');
    return {
      session: unsavedSession(request.id ?? newSessionId()),
      origin: 'new',
      sessions: unsavedSessions,
      skipped: 0,
    };
  }
  if (request.kind === 'new') {
    const {title} = request;
    const session =
      request.id === undefined
        ? store.create({directory, model, title})
        : unwrap(store.createWithId(request.id, {directory, model, title}));
    return {session, origin: 'new', sessions: store, skipped: 0};
  }
  const id = resumedId(request, {store, directory});
  const {into, end} = request;
  // Do this before anything is opened, so that an error here leaves no copy behind.
  const rewind =
    end === 'newest'
      ? undefined
      : 'before' in end
        ? rewindTo(end.before)
        : rewindBehind(unwrap(store.read(id)).records, end);
  const session = unwrap(
    into === 'same' ? store.resume(id) : into === 'branch' ? store.branch(id) : store.fork(id, into.fork),
  );
  const rest = {origin: 'resumed', sessions: store, skipped: session.skipped.length} as const;
  if (rewind === undefined) return {session, ...rest};
  session.append(rewind);
  return {session: {...session, records: [...session.records, rewind]}, ...rest};
}

/** The id of the session to resume. Throws if there is none. */
function resumedId(
  request: Exclude<SessionRequest, {kind: 'new'}>,
  {store, directory}: {readonly store: Store; readonly directory: string},
): SessionId {
  if (request.kind === 'resume') return sessionIdOf(store, request.id);
  const id = store.latest(directory)?.id;
  if (id === undefined) throw new Error(`No session to continue in ${directory}. Start one without --continue.`);
  return id;
}

/** Throws if the flags ask for a session that does not exist. */
export async function requireSession({
  options,
  directory,
  store,
}: Pick<RunContext, 'options' | 'directory' | 'store'>): Promise<void> {
  const request = sessionRequest(options);
  if (request.kind !== 'new' && options.sessionPersistence) resumedId(request, {store: await store(), directory});
}

/** Parses a UUID from the command line. */
function sessionIdFrom(text: string): SessionId {
  const id = parseSessionId(text);
  if (id === undefined)
    throw new UsageError(`${JSON.stringify(text)} is not a session id (a UUID). List them: weft sessions list`);
  return id;
}

/** Finds the session with this id, or the only one whose id begins with it. */
export function sessionIdOf(store: Store, idText: string): SessionId {
  const wanted = idText.toLowerCase();
  if (!/^[0-9a-f-]+$/u.test(wanted)) {
    throw new UsageError(noSuchSession(idText));
  }
  const found = store.list({idPrefix: wanted});
  const [only] = found;
  if (only === undefined) throw new Error(noSuchSession(idText));
  if (found.length > 1) {
    const ids = shortSessionIds(found);
    const candidates = found.map(
      session => `  ${ids.get(session.id) ?? session.id}  ${visibleLine(sessionTitle(session))}`,
    );
    throw new Error(`${found.length} sessions begin with ${wanted}:\n${candidates.join('\n')}`);
  }
  return only.id;
}

const noSuchSession = (id: string): string => `No such session: ${JSON.stringify(id)}. List them: weft sessions list`;

/** The point at which `--resume-session-at` cuts off a session. */
interface ResumePoint {
  /** The uuid that programs use for the last message that stays. */
  readonly behind: string;
  /** The id of the only prompt that may be dropped; `undefined` if any number may be dropped. */
  readonly drops: string | undefined;
}

/**
 * Returns the record that rewinds a session to just after the message `behind`. It rewinds to before the next prompt
 * and changes no files. Returns `undefined` if no prompt follows. Throws if there is no such message, or if it is not
 * the last one of its turn, because only whole turns can remain.
 */
function rewindBehind(records: readonly JournalRecord[], {behind, drops}: ResumePoint): JournalRecord | undefined {
  const {activeRecords} = timelineOf(records);
  const at = activeRecords.findLastIndex(record =>
    recordMessageNames(record).some(name => messageUuid(name) === behind),
  );
  if (at < 0) throw new Error(`No message found with message.uuid of: ${behind}`);
  const later = activeRecords.slice(at + 1);
  const end = later.findIndex(({kind}) => kind === 'prompt');
  if (later.slice(0, end < 0 ? later.length : end).some(({kind}) => kind === 'answer')) {
    throw new Error(`The message ${behind} is in the middle of a turn. Use the last message of a turn.`);
  }
  const prompts = later.flatMap(record => (record.kind === 'prompt' ? [record.message.id] : []));
  const [first, ...more] = prompts;
  if (first === undefined) return undefined;
  if (drops !== undefined && (first !== drops || more.length > 0)) {
    throw new Error(
      `Resume rejected by --resume-drops-turn: it would drop more than the turn ${drops} (${prompts.join(', ')}).`,
    );
  }
  return rewindTo(first);
}

const rewindTo = (to: MessageId): JournalRecord => ({kind: 'rewind', to, what: 'talk', files: 'untouched'});

const notSaved: Fault = needsUser('Sessions are not saved here.', 'Start weft without --no-session-persistence.');

/**
 * Takes back the rewinds in this workspace during which weft was killed: their sessions never recorded them. Otherwise it only
 * reads one folder. Returns a sentence for each. `held` is the session that this process has open.
 */
export async function takeBackKilledRewinds(
  held: SessionId,
  {
    store: openStore,
    roots,
    folder,
  }: {readonly store: () => Store | Promise<Store>; readonly roots: readonly string[]; readonly folder: string},
): Promise<readonly {readonly session: string; readonly kind: 'rewind' | 'redo'; readonly text: string}[]> {
  if (!hasEntries(revertsIn(folder))) return [];
  const store = await openStore();
  const {openCheckpoints} = await import('../workspace/checkpoints/make-checkpoints.ts');
  const checkpoints = openCheckpoints(roots, folder);
  const read = (id: string): ReadSession | undefined => {
    const known = parseSessionId(id);
    const found = known && store.read(known);
    return found?.tag === 'ok' ? found.value : undefined;
  };
  const isRecorded = ({session, records}: RevertMark): boolean =>
    read(session)
      ?.records.slice(records)
      .some(({kind}) => kind === 'rewind' || kind === 'redo') === true;
  const {signal} = new AbortController();
  return unwrap(await checkpoints.takeBackKilled({held, isRecorded}, signal)).flatMap(({session, kind, ...report}) => {
    const {files, conflicts} = report;
    if (files.length + conflicts.length === 0) return [];
    const title = visibleLine(sessionTitle({title: read(session)?.summary.title ?? ''}));
    const left = conflicts
      .map(({path, reason}) => `; ${visibleLine(relativeTo(path, roots[0] ?? '/'))} stays as it is: ${reason}`)
      .join('');
    const text = `weft was killed during a ${kind} of session "${title}". It has put back ${pluralize(files.length, 'file')} now${left}`;
    return [{session, kind, text}];
  });
}

/**
 * Ends the sessions in a folder whose process was killed: what changed since does not count as theirs. Otherwise it only asks the store who
 * has its sessions open.
 */
export async function endKilledSessions(place: {
  readonly store: Store;
  readonly directory: string;
  readonly folder: string;
}): Promise<void> {
  const killed = place.store.killedSessions(place.directory);
  if (killed.length > 0) await (await import('./killed-sessions.ts')).storeKilledChanges(killed, place);
}

/** Sessions that are not saved, for `--no-session-persistence` and the demo. */
export const unsavedSessions: SessionsPort = {
  create: () => unsavedSession(newSessionId()),
  createSubSession: () => unsavedSession(newSessionId()),
  resume: () => failed(notSaved),
  branch: () => failed(notSaved),
  changesAlongside: () => [],
};

export const unsavedSession = (id: SessionId): OpenSession => ({id, records: [], append: () => {}, close: () => {}});

export function newSessionId(): SessionId {
  const id = parseSessionId(randomUUID());
  if (id === undefined) throw new Error('randomUUID() returned no UUID');
  return id;
}
