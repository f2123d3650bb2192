import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';
import type {SessionRecord} from '../domain/blame.ts';
import type {TimedRecord} from '../domain/cache-report.ts';
import type {ChangesDuring, SessionCheckpoints} from '../domain/checkpoint.ts';
import type {Message} from '../domain/conversation.ts';
import {type Fault, needsUser} from '../domain/fault.ts';
import {type MessageId, parseSessionId, type SessionId} from '../domain/ids.ts';
import {type JournalRecord, mcpClientModel, type OpenSession, type SessionSummary} from '../domain/journal.ts';
import {branchTitle} from '../domain/session-list.ts';
import type {Database, DatabaseSpace} from './database.ts';
import {isSameProcess, type ProcessMark} from './process-mark.ts';
import {
  clearOwner,
  copySession,
  countSession,
  deleteSessionRow,
  findSessionRow,
  firstPrompts,
  insertRecord,
  insertSession,
  selectCheckpointTrees,
  selectOwners,
  selectFileRecords,
  lastMessages,
  selectSessions,
  type StoredSessionFilter,
  selectChangesAlongside,
  selectSizes,
  selectUsage,
  hasJobs,
  isUnchanged,
  ownerOf,
  ownersOf,
  parentOf,
  setPinned,
  readRecord,
  readRecords,
  timedRecords,
  setOwner,
  type SessionDetails,
  type SessionSize,
  type SessionUsage,
  type SkippedRecord,
  type StoredRecords,
  uncountedSessions,
} from './session-rows.ts';
import {StoreError} from './store-fault.ts';

/** `records` are the ones stored when the session was opened. */
export interface StoredSession extends OpenSession {
  readonly skipped: readonly SkippedRecord[];
}

export interface ReadSession {
  readonly summary: SessionSummary;
  readonly records: readonly JournalRecord[];
  /** Stored records that can't be read. Report them, because the other records don't show the gap. */
  readonly skipped: readonly SkippedRecord[];
}

export interface KilledSession {
  readonly id: SessionId;
  readonly owner: ProcessMark;
}

const emptyRecords: StoredRecords = {records: [], seqs: [], skipped: []};

export interface StoreOptions {
  readonly now: () => number;
  readonly uuid: () => string;
}

/**
 * The sessions of one user. Methods that return an `Outcome` never throw. All others, `append` above all, throw a `StoreError` if the
 * database fails, and then nothing was stored.
 */
export class Store {
  readonly #db: Database;
  readonly #options: StoreOptions;
  /** The open sessions of this process. The records are only in the session, so that their memory can be released. */
  readonly #open = new Map<SessionId, Pick<StoredSession, 'close'>>();
  #closed = false;

  constructor(db: Database, options: StoreOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Creates a session. Nothing is written before the first record, so that an empty session is in no list. */
  create(details: SessionDetails): StoredSession {
    return this.#addOpen({id: this.#newId(), unwritten: details, ...emptyRecords});
  }

  /** Creates a session with an id from the caller, which must be unused. */
  createWithId(id: SessionId, details: SessionDetails): Outcome<StoredSession, Fault> {
    return catchStoreErrors(() => {
      if (this.#open.has(id) || findSessionRow(this.#db, id) !== undefined) return failed(existsFault(id));
      return ok(this.#addOpen({id, unwritten: details, ...emptyRecords}));
    });
  }

  /** Creates the session of a sub-agent. No list shows it, and it is deleted with its parent. */
  createSubSession(parent: SessionId, details: SessionDetails): StoredSession {
    return this.create({...details, parent});
  }

  /** Resumes a session that no running process has open. */
  resume(id: SessionId): Outcome<StoredSession, Fault> {
    return catchStoreErrors(() => {
      const refused = this.#db.transaction(lockNameOf(id), () => {
        const fault = this.#claimProblem(id);
        if (fault === undefined) setOwner(this.#db, id, this.#db.mark());
        return fault;
      });
      if (refused !== undefined) return failed(refused);
      return ok(this.#addOpen({id, unwritten: undefined, ...readRecords(this.#db, id)}));
    });
  }

  /** Opens a copy of the session under an unused id. The session itself may be open elsewhere. */
  fork(id: SessionId, wanted: SessionId | 'any-id'): Outcome<StoredSession, Fault> {
    return catchStoreErrors(() => {
      const copy = wanted === 'any-id' ? this.#newId() : wanted;
      if (this.#open.has(copy) || findSessionRow(this.#db, copy) !== undefined) return failed(existsFault(copy));
      const found = this.#db.transaction(lockNameOf(copy), () => {
        if (findSessionRow(this.#db, id) === undefined) return false;
        copySession(this.#db, {from: id, to: copy, at: this.#now()});
        setOwner(this.#db, copy, this.#db.mark());
        return true;
      });
      if (!found) return failed(missingFault(id));
      return ok(this.#addOpen({id: copy, unwritten: undefined, ...readRecords(this.#db, copy)}));
    });
  }

  /** Opens a copy of the session under a new id, and names it as a branch. */
  branch(id: SessionId): Outcome<StoredSession, Fault> {
    const forked = this.fork(id, 'any-id');
    if (forked.tag === 'failed') return forked;
    const session = forked.value;
    const named = {kind: 'title', title: branchTitle(findSessionRow(this.#db, session.id)?.title ?? '')} as const;
    session.append(named);
    return ok({...session, records: [...session.records, named]});
  }

  timedRecords(id: SessionId): readonly TimedRecord[] {
    return timedRecords(this.#db, id);
  }

  /** Returns what the requests of each session used, by model. */
  usage(filter: StoredSessionFilter): readonly SessionUsage[] {
    this.#countSessions();
    return selectUsage(this.#db, filter);
  }

  /** Returns the sizes of all sessions, newest first. */
  sizes(): readonly SessionSize[] {
    this.#countSessions();
    return selectSizes(this.#db);
  }

  /** Counts the sessions from earlier versions of weft, once. */
  #countSessions(): void {
    for (const id of uncountedSessions(this.#db))
      this.#db.transaction(lockNameOf(id), () => countSession(this.#db, id));
  }

  /** Lists sessions, newest first. */
  list(filter: StoredSessionFilter): readonly SessionSummary[] {
    return selectSessions(this.#db, filter);
  }

  /** Returns the session of this directory that was last written to, unless an MCP client called its tools. `having`: a kind of record that it has. */
  latest(directory: string, having?: StoredSessionFilter['having']): SessionSummary | undefined {
    return this.list({directory, limit: 1, withoutModel: mcpClientModel, having})[0];
  }

  read(id: SessionId): Outcome<ReadSession, Fault> {
    return catchStoreErrors(() => {
      const summary = findSessionRow(this.#db, id);
      if (summary === undefined) return failed(missingFault(id));
      const {records, skipped} = readRecords(this.#db, id);
      return ok({summary, records, skipped});
    });
  }

  /** Returns the first prompt of every session of a directory, cut to 2,000 UTF-16 units. */
  firstPrompts(directory: string): ReadonlyMap<SessionId, string> {
    return firstPrompts(this.#db, directory);
  }

  /** Returns the latest prompts and answers of a session, at most `count`, oldest first. */
  lastMessages(id: SessionId, count: number): readonly Message[] {
    return lastMessages(this.#db, {id, count});
  }

  /** Deletes a session that no running process has open. */
  delete(id: SessionId): Outcome<undefined, Fault> {
    return catchStoreErrors(() => {
      const refused = this.#db.transaction(lockNameOf(id), () => {
        const fault = this.#claimProblem(id);
        if (fault === undefined) deleteSessionRow(this.#db, id);
        return fault;
      });
      return refused === undefined ? ok(undefined) : failed(refused);
    });
  }

  /** Names a session, which may be open elsewhere. */
  rename(id: SessionId, title: string): void {
    this.#db.transaction(lockNameOf(id), () =>
      insertRecord(this.#db, {id, record: {kind: 'title', title}, at: this.#now()}),
    );
  }

  /** Pins a session, so that pruning keeps it, or unpins it. */
  pin(id: SessionId, pinned: boolean): void {
    this.#db.transaction(lockNameOf(id), () => setPinned(this.#db, id, pinned));
  }

  /** True if a running process has the session or one of its sub-agents' sessions open, or a job waits for it. */
  isInUse(id: SessionId): boolean {
    return (
      this.#open.has(id) ||
      hasJobs(this.#db, id) ||
      ownersOf(this.#db, id).some(owner => isSameProcess(owner, this.#db.mark()) || this.#db.isAlive(owner))
    );
  }

  /** Deletes a session, unless it is in use, pinned, or has changed since `size` was read. Returns whether it did. */
  prune(size: SessionSize): boolean {
    return this.#db.transaction(lockNameOf(size.id), () => {
      if (!isUnchanged(this.#db, size) || this.isInUse(size.id)) return false;
      deleteSessionRow(this.#db, size.id);
      return true;
    });
  }

  /** Returns the bytes that the database occupies and those of its free pages. */
  space(): DatabaseSpace {
    return this.#db.space();
  }

  /** Gives free pages back to the file system, in short steps. */
  async releaseSpace(pause: () => Promise<void>): Promise<void> {
    while (this.#db.releaseSpace() === 'more') await pause();
  }

  /** Returns, for each change of files by these prompts, those of other sessions in the same, an outer or an inner folder at that time. */
  changesAlongside(id: SessionId, prompts: readonly MessageId[]): readonly ChangesDuring[] {
    return selectChangesAlongside(this.#db, {id, prompts});
  }

  /** Returns the states of files of all sessions and sub-agents in the folder, in an outer or an inner one, oldest session first. */
  fileRecords(directory: string): readonly SessionRecord[] {
    return selectFileRecords(this.#db, directory);
  }

  /** Returns the sessions in the folder, in an outer or an inner one, whose processes ended without closing them. */
  killedSessions(directory: string): readonly KilledSession[] {
    return selectOwners(this.#db, directory).filter(
      ({owner}) => !isSameProcess(owner, this.#db.mark()) && !this.#db.isAlive(owner),
    );
  }

  /** Appends the last record of a killed session, if there is one, unless another process has opened the session since. */
  endKilled({id, owner}: KilledSession, record: JournalRecord | undefined): void {
    this.#db.transaction(lockNameOf(id), () => {
      const now = ownerOf(this.#db, id);
      if (now === undefined || !isSameProcess(now, owner)) return;
      if (record !== undefined) insertRecord(this.#db, {id, record, at: this.#now()});
      clearOwner(this.#db, id, owner);
    });
  }

  /** Returns the session whose agent started this sub-agent; `undefined` for a session of the user. */
  parentOf(id: SessionId): SessionId | undefined {
    return parentOf(this.#db, id);
  }

  /** Returns the checkpoints that sessions may rewind to, newest session first. */
  checkpointTrees(): readonly SessionCheckpoints[] {
    return selectCheckpointTrees(this.#db);
  }

  /** Releases every open session. A second call does nothing. */
  close(): void {
    if (this.#closed) return;
    for (const session of this.#open.values()) session.close();
    this.#closed = true;
    this.#db.close();
  }

  /** Adds an open session of this process. `unwritten` is the content of its future row, until the row exists. */
  #addOpen(
    start: StoredRecords & {readonly id: SessionId; readonly unwritten: SessionDetails | undefined},
  ): StoredSession {
    const {id, records, skipped} = start;
    const seqs = [...start.seqs];
    let {unwritten} = start;
    const row = unwritten === undefined ? findSessionRow(this.#db, id) : undefined;
    /** The mark of the session's owner in the database. */
    let mark = unwritten === undefined ? this.#db.mark() : undefined;
    const opened = {
      close: (): void => {
        if (this.#open.get(id) !== opened) return;
        this.#open.delete(id);
        if (unwritten === undefined) this.#release(id);
      },
    };
    this.#open.set(id, opened);
    return {
      id,
      records,
      createdAt: row?.createdAt,
      writtenAt: row?.updatedAt,
      skipped,
      append: record => {
        if (this.#open.get(id) !== opened) throw new Error(`session ${id} is closed`);
        let seq = 0;
        mark = this.#db.transaction(lockNameOf(id), () => {
          const at = this.#now();
          const own = this.#db.mark();
          if (unwritten !== undefined) {
            insertSession(this.#db, {...unwritten, id, at});
            setOwner(this.#db, id, own);
          } else if (mark !== undefined && !isSameProcess(mark, own)) throw new StoreError(lostFault(id), undefined);
          seq = insertRecord(this.#db, {id, record, at});
          return own;
        });
        unwritten = undefined;
        seqs.push(seq);
      },
      readAgain: position => {
        const seq = seqs[position];
        return seq === undefined ? undefined : readRecord(this.#db, id, seq);
      },
      ...opened,
    };
  }

  /** Ignores errors: the mark of an ended process blocks no other process. */
  #release(id: SessionId): void {
    tryOr(() => clearOwner(this.#db, id, this.#db.mark()), undefined);
  }

  isOpenElsewhere(id: SessionId): boolean {
    const owner = ownerOf(this.#db, id);
    return owner !== undefined && !isSameProcess(owner, this.#db.mark()) && this.#db.isAlive(owner);
  }

  #claimProblem(id: SessionId): Fault | undefined {
    if (this.#open.has(id)) return openHereFault(id);
    if (findSessionRow(this.#db, id) === undefined) return missingFault(id);
    const owner = ownerOf(this.#db, id);
    if (owner === undefined || isSameProcess(owner, this.#db.mark())) return undefined;
    return this.#db.isAlive(owner) ? openElsewhereFault(id, owner.pid) : undefined;
  }

  #newId(): SessionId {
    const id = parseSessionId(this.#options.uuid());
    if (id === undefined) throw new Error('uuid() gave no UUID');
    return id;
  }

  #now(): number {
    return Math.trunc(this.#options.now());
  }
}

function catchStoreErrors<T>(work: () => Outcome<T, Fault>): Outcome<T, Fault> {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof StoreError) return failed(cause.fault);
    throw cause;
  }
}

const missingFault = (id: SessionId): Fault => needsUser(`No session ${id}.`, 'List them: weft sessions list');

const existsFault = (id: SessionId): Fault =>
  needsUser(`Session ${id} already exists.`, `Resume it with --resume ${id}, or choose another --session-id.`);

/** Another process may have assumed that this one is dead, and resumed the session. */
const lostFault = (id: SessionId): Fault =>
  needsUser(`Lost the connection to the database, and session ${id} with it.`, `Continue with --resume ${id}.`);

const lockNameOf = (id: SessionId): string => `session ${id}`;

const openHereFault = (id: SessionId): Fault => needsUser(`Session ${id} is already open here.`, 'Close it first.');

const openElsewhereFault = (id: SessionId, pid: number): Fault =>
  needsUser(
    `Session ${id} is open in another weft process (${String(pid)}).`,
    'Add --fork-session to continue in a copy, or close the other one first.',
  );
