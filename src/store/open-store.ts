import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {SessionCheckpoints} from '../domain/checkpoint.ts';
import type {Message} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';
import {type MessageId, parseSessionId, type SessionId} from '../domain/ids.ts';
import type {JournalRecord, OpenSession, SessionSummary} from '../domain/journal.ts';
import type {Database} from './database.ts';
import {isOf} from './process-start.ts';
import {
  clearOwner,
  copySession,
  deleteSessionRow,
  findSessionRow,
  firstPrompts,
  insertRecord,
  insertSession,
  keptTrees,
  lastMessages,
  latestSession,
  selectSessions,
  sessionsAlongside,
  selectUsage,
  ownerOf,
  readRecords,
  setOwner,
  type SessionDetails,
  type SessionUsage,
  type SkippedRecord,
} from './session-rows.ts';
import {StoreError} from './store-fault.ts';

/** `records` are those kept when it was opened. */
export interface StoredSession extends OpenSession {
  readonly skipped: readonly SkippedRecord[];
}

export interface ReadSession {
  readonly summary: SessionSummary;
  readonly records: readonly JournalRecord[];
  /** What is kept and cannot be read: say so, since the rest does not show it. */
  readonly skipped: readonly SkippedRecord[];
}

export interface StoreOptions {
  readonly now: () => number;
  readonly uuid: () => string;
}

/**
 * The sessions of one user. What is announced as an `Outcome` never throws; everything else, `append` above all, throws a
 * `StoreError` when the database fails, and what it was to keep is then not kept.
 */
export class Store {
  readonly #db: Database;
  readonly #options: StoreOptions;
  readonly #open = new Map<SessionId, StoredSession>();
  #closed = false;

  constructor(db: Database, options: StoreOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Nothing is written before the first record, so a session that came to nothing is in no list. */
  create(details: SessionDetails): StoredSession {
    return this.#hold({id: this.#newId(), unwritten: details, records: [], skipped: []});
  }

  /** The same under an id of the caller's choice, which must be free. */
  createWithId(id: SessionId, details: SessionDetails): Outcome<StoredSession, Fault> {
    return attempt(() => {
      if (this.#open.has(id) || findSessionRow(this.#db, id) !== undefined) return failed(taken(id));
      return ok(this.#hold({id, unwritten: details, records: [], skipped: []}));
    });
  }

  /** The session of a sub-agent: no list has it, and it is deleted with its parent. */
  createBelow(parent: SessionId, details: SessionDetails): StoredSession {
    return this.create({...details, parent});
  }

  /** Goes on with a session that no running process has open. */
  resume(id: SessionId): Outcome<StoredSession, Fault> {
    return attempt(() => {
      const refused = this.#db.transaction(about(id), () => {
        const fault = this.#whyNotMine(id);
        if (fault === undefined) setOwner(this.#db, id, this.#db.mark());
        return fault;
      });
      if (refused !== undefined) return failed(refused);
      return ok(this.#hold({id, unwritten: undefined, ...readRecords(this.#db, id)}));
    });
  }

  /** Goes on with a copy of the session under an id that is free; the session itself may be open elsewhere. */
  fork(id: SessionId, wanted: SessionId | 'any-id'): Outcome<StoredSession, Fault> {
    return attempt(() => {
      const copy = wanted === 'any-id' ? this.#newId() : wanted;
      if (this.#open.has(copy) || findSessionRow(this.#db, copy) !== undefined) return failed(taken(copy));
      const found = this.#db.transaction(about(copy), () => {
        if (findSessionRow(this.#db, id) === undefined) return false;
        copySession(this.#db, {from: id, to: copy, at: this.#now()});
        setOwner(this.#db, copy, this.#db.mark());
        return true;
      });
      if (!found) return failed(missing(id));
      return ok(this.#hold({id: copy, unwritten: undefined, ...readRecords(this.#db, copy)}));
    });
  }

  /** What the requests of each session used, by model. */
  usage(): readonly SessionUsage[] {
    return selectUsage(this.#db);
  }

  /** Newest first. */
  list({directory}: {readonly directory?: string}): readonly SessionSummary[] {
    return selectSessions(this.#db, directory);
  }

  /** The session of this directory that was last written to. */
  latest(directory: string): SessionSummary | undefined {
    return latestSession(this.#db, directory);
  }

  read(id: SessionId): Outcome<ReadSession, Fault> {
    return attempt(() => {
      const summary = findSessionRow(this.#db, id);
      return summary === undefined ? failed(missing(id)) : ok({summary, ...readRecords(this.#db, id)});
    });
  }

  /** The first prompt of every session of a directory, cut to `length` (UTF-16 units). */
  firstPrompts(directory: string, length: number): ReadonlyMap<SessionId, string> {
    return firstPrompts(this.#db, {directory, length});
  }

  /** The latest prompts and answers of a session, at most `count`, oldest first. */
  lastMessages(id: SessionId, count: number): readonly Message[] {
    return lastMessages(this.#db, {id, count});
  }

  /** Deletes a session that no running process has open. */
  delete(id: SessionId): Outcome<undefined, Fault> {
    return attempt(() => {
      const refused = this.#db.transaction(about(id), () => {
        const fault = this.#whyNotMine(id);
        if (fault === undefined) deleteSessionRow(this.#db, id);
        return fault;
      });
      return refused === undefined ? ok(undefined) : failed(refused);
    });
  }

  /** The titles of the other sessions of the same folder that may have changed files while these prompts of a session ran. */
  alongside(id: SessionId, prompts: readonly MessageId[]): readonly string[] {
    return sessionsAlongside(this.#db, {id, prompts});
  }

  /** Which checkpoints the sessions may go back to, the newest session first. */
  keptTrees(): readonly SessionCheckpoints[] {
    return keptTrees(this.#db);
  }

  /** Lets go of every session still open. Twice is once. */
  close(): void {
    if (this.#closed) return;
    for (const session of this.#open.values()) session.close();
    this.#closed = true;
    this.#db.close();
  }

  /** A session of this process; `unwritten` is what its row will say, until it has one. */
  #hold(
    start: Omit<ReadSession, 'summary'> & {readonly id: SessionId; readonly unwritten: SessionDetails | undefined},
  ): StoredSession {
    const {id, records, skipped} = start;
    let {unwritten} = start;
    /** That of its owner in the database. */
    let mark = unwritten === undefined ? this.#db.mark() : undefined;
    const session: StoredSession = {
      id,
      records,
      skipped,
      append: record => {
        if (this.#open.get(id) !== session) throw new Error(`session ${id} is closed`);
        mark = this.#db.transaction(about(id), () => {
          const at = this.#now();
          const own = this.#db.mark();
          if (unwritten !== undefined) {
            insertSession(this.#db, {...unwritten, id, at});
            setOwner(this.#db, id, own);
          } else if (mark !== undefined && !isOf(mark, own)) throw new StoreError(lost(id), undefined);
          insertRecord(this.#db, {id, record, at});
          return own;
        });
        unwritten = undefined;
      },
      close: () => {
        if (this.#open.get(id) !== session) return;
        this.#open.delete(id);
        if (unwritten === undefined) this.#release(id);
      },
    };
    this.#open.set(id, session);
    return session;
  }

  /** A mark that cannot be taken away blocks nobody once this process has ended, so that is no trouble to tell. */
  #release(id: SessionId): void {
    try {
      clearOwner(this.#db, id, this.#db.mark());
    } catch {
      return;
    }
  }

  #whyNotMine(id: SessionId): Fault | undefined {
    if (this.#open.has(id)) return openHere(id);
    if (findSessionRow(this.#db, id) === undefined) return missing(id);
    const owner = ownerOf(this.#db, id);
    if (owner === undefined || isOf(owner, this.#db.mark())) return undefined;
    return this.#db.isAlive(owner) ? openElsewhere(id, owner.pid) : undefined;
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

function attempt<T>(work: () => Outcome<T, Fault>): Outcome<T, Fault> {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof StoreError) return failed(cause.fault);
    throw cause;
  }
}

const missing = (id: SessionId): Fault => ({
  kind: 'needs-user',
  message: `No session ${id}.`,
  fix: 'List them: weft sessions list',
});

const taken = (id: SessionId): Fault => ({
  kind: 'needs-user',
  message: `Session ${id} already exists.`,
  fix: `Resume it with --resume ${id}, or choose another --session-id.`,
});

/** Another process may have taken this one for dead and gone on with the session. */
const lost = (id: SessionId): Fault => ({
  kind: 'needs-user',
  message: `The connection to the database was lost, and with it session ${id}.`,
  fix: `Go on with --resume ${id}.`,
});

/** What a transaction changes. */
const about = (id: SessionId): string => `session ${id}`;

const openHere = (id: SessionId): Fault => ({
  kind: 'needs-user',
  message: `Session ${id} is already open here.`,
  fix: 'Close it first.',
});

const openElsewhere = (id: SessionId, pid: number): Fault => ({
  kind: 'needs-user',
  message: `Session ${id} is open in another weft (process ${String(pid)}).`,
  fix: 'Add --fork-session to continue in a copy, or close the other one first.',
});
