import {hash} from 'node:crypto';
import {firstLine} from '../base/clip.ts';
import type {Outcome} from '../base/outcome.ts';
import type {SessionRecord} from '../domain/blame.ts';
import type {ChangesDuring, SessionCheckpoints, TreeId} from '../domain/checkpoint.ts';
import {messageText, type Message} from '../domain/conversation.ts';
import {type MessageId, parseSessionId, type SessionId} from '../domain/ids.ts';
import type {JournalRecord, SessionFilter, SessionSummary} from '../domain/journal.ts';
import type {TimedRecord} from '../domain/cache-report.ts';
import type {Usage} from '../domain/usage.ts';
import type {Database, Row} from './database.ts';
import type {ProcessMark} from './process-mark.ts';
import {addUsageOfSession, extracted, isAboutFiles} from './migrations.ts';
import {decodeBody, encodeBody} from './record-body.ts';

/** A stored record that can't be read anymore. */
export interface SkippedRecord {
  readonly seq: number;
  readonly kind: string;
  readonly reason: string;
}

export interface SessionDetails {
  readonly directory: string;
  readonly model: string;
  /** Defaults to the first line of the session's first prompt. */
  readonly title?: string;
  /** For a sub-agent: the session of the agent that started it. */
  readonly parent?: SessionId;
}

/** The maximum number of UTF-16 units of a first prompt that lists can search. */
const promptLength = 2000;

/** Statements about sessions. Call those that write inside a transaction. */
export const findSessionRow = (db: Database, id: SessionId): SessionSummary | undefined =>
  summaryOf(db.first(`SELECT ${columns} FROM sessions WHERE id = ?`, id));

export interface StoredSessionFilter extends SessionFilter {
  readonly directory?: string | undefined;
  /** A kind of record about files that the session has. */
  readonly having?: 'checkpoint' | 'receipt' | undefined;
}

/** Returns the sessions, newest first. */
export const selectSessions = (db: Database, filter: StoredSessionFilter): readonly SessionSummary[] => {
  const {sql, values} = sessionsIn(filter);
  return db
    .all(`SELECT ${columns} ${sql}`, ...values)
    .map(summaryOf)
    .filter(summary => summary !== undefined);
};

/** Returns the SQL after the columns of a list of sessions, newest first. An index finds the rows in that order. */
function sessionsIn({directory, idPrefix, limit, withoutModel, having}: StoredSessionFilter) {
  const conditions = [
    // The index of ids finds fewer rows than that of parents.
    idPrefix === undefined
      ? 'parent IS NULL'
      : "coalesce(parent, '') = '' AND substr(id, 1, ?) = ? AND id BETWEEN ? AND ?",
    ...(directory === undefined ? [] : ['directory = ?']),
    ...(withoutModel === undefined ? [] : ['model <> ?']),
    ...(having === undefined
      ? []
      : [`EXISTS (SELECT 1 FROM records WHERE session_id = sessions.id AND ${isAboutFiles} AND kind = ?)`]),
  ];
  return {
    sql: `FROM sessions WHERE ${conditions.join(' AND ')} ${newestFirst} ${limit === undefined ? '' : 'LIMIT ?'}`,
    values: [
      // No digit of an id comes after `g`.
      ...(idPrefix === undefined ? [] : [idPrefix.length, idPrefix, idPrefix, `${idPrefix}g`]),
      ...(directory === undefined ? [] : [directory]),
      ...(withoutModel === undefined ? [] : [withoutModel]),
      ...(having === undefined ? [] : [having]),
      ...(limit === undefined ? [] : [limit]),
    ],
  };
}

export function insertSession(
  db: Database,
  session: SessionDetails & {readonly id: SessionId; readonly at: number},
): void {
  const {id, directory, model, title = '', parent, at} = session;
  db.run(
    `INSERT INTO sessions (${columns}, parent, counted) VALUES (?, ?, ?, ?, ?, ?, 0, ?, 1)`,
    id,
    toStorableText(directory),
    toStorableText(model),
    toStorableText(firstLine(title.trim(), titleLength)),
    at,
    at,
    parent ?? null,
  );
}

/** Adds a record and returns its number. */
export function insertRecord(
  db: Database,
  kept: {readonly id: SessionId; readonly record: JournalRecord; readonly at: number},
): number {
  const {id, record, at} = kept;
  const inserted = db.first(
    `INSERT INTO records (session_id, seq, kind, body, at)
     SELECT CAST(? AS TEXT), coalesce(max(seq), 0) + 1, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
     FROM records WHERE session_id = ? RETURNING seq`,
    id,
    record.kind,
    storedBody(db, id, record),
    at,
    id,
  );
  // A new name does not make the session the newest one.
  if (record.kind === 'title') db.run('UPDATE sessions SET title = ? WHERE id = ?', toStorableText(record.title), id);
  else {
    const messages = record.kind === 'prompt' || record.kind === 'answer' ? 1 : 0;
    db.run('UPDATE sessions SET updated_at = ?, messages = messages + ? WHERE id = ?', at, messages, id);
  }
  if (record.kind === 'prompt') {
    const prompt = messageText(record.message);
    db.run(
      "UPDATE sessions SET title = ? WHERE id = ? AND title = ''",
      toStorableText(firstLine(prompt, titleLength)),
      id,
    );
    db.run(
      `INSERT INTO session_prompts (session_id, prompt)
       SELECT id, CAST(? AS TEXT) FROM sessions WHERE id = ? AND messages = 1`,
      toStorableText(prompt.slice(0, promptLength)),
      id,
    );
  }
  return inserted === undefined ? 0 : integer(inserted, 'seq');
}

/** Returns the body of a record. The beginnings of requests are long, and those of sub-agents are often the same. */
function storedBody(db: Database, id: SessionId, record: JournalRecord): string {
  if (record.kind !== 'request-prefix') return encodeBody(record);
  const root = db.first(
    `WITH RECURSIVE above (id, parent) AS (
       SELECT id, parent FROM sessions WHERE id = ?
       UNION ALL SELECT s.id, s.parent FROM sessions s JOIN above ON s.id = above.parent
     )
     SELECT id FROM above WHERE parent IS NULL`,
    id,
  );
  const keep = (shared: string): string | {readonly hash: string} => {
    const json = JSON.stringify(shared);
    if (json.length < shortestShared) return shared;
    const hashed = hash('sha256', json);
    db.run(
      'INSERT INTO session_texts (hash, session_id, json) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      hashed,
      root === undefined ? id : text(root, 'id'),
      json,
    );
    return {hash: hashed};
  };
  return JSON.stringify({tools: keep(record.tools), system: keep(record.system)});
}

/** A shorter text takes less room in its record. */
const shortestShared = 200;

/** Decodes a row of `records`, which may refer to `session_texts`. */
function decodeRow(db: Database, row: Row): Outcome<JournalRecord, string> {
  const [kind, body] = [text(row, 'kind'), text(row, 'body')];
  if (kind !== 'request-prefix') return decodeBody(kind, body);
  const whole = body.replaceAll(/\{"hash":"([0-9a-f]{64})"\}/gu, (reference, hashed: string) => {
    const kept = db.first('SELECT json FROM session_texts WHERE hash = ? LIMIT 1', hashed);
    return kept === undefined ? reference : text(kept, 'json');
  });
  return decodeBody(kind, whole);
}

export interface StoredRecords {
  readonly records: readonly JournalRecord[];
  readonly seqs: readonly number[];
  readonly skipped: readonly SkippedRecord[];
}

export function readRecords(db: Database, id: SessionId): StoredRecords {
  const records: JournalRecord[] = [];
  const seqs: number[] = [];
  const skipped: SkippedRecord[] = [];
  for (const row of db.all('SELECT seq, kind, body FROM records WHERE session_id = ? ORDER BY seq', id)) {
    const kind = text(row, 'kind');
    const decoded = decodeRow(db, row);
    const seq = integer(row, 'seq');
    if (decoded.tag === 'ok') {
      records.push(decoded.value);
      seqs.push(seq);
    } else skipped.push({seq, kind, reason: decoded.error});
  }
  return {records, seqs, skipped};
}

export function readRecord(db: Database, id: SessionId, seq: number): JournalRecord | undefined {
  const row = db.first('SELECT kind, body FROM records WHERE session_id = ? AND seq = ?', id, seq);
  const decoded = row && decodeRow(db, row);
  return decoded?.tag === 'ok' ? decoded.value : undefined;
}

/** Returns the records of a session that this version knows, with their times. */
export const timedRecords = (db: Database, id: SessionId): readonly TimedRecord[] =>
  db.all('SELECT kind, body, at FROM records WHERE session_id = ? ORDER BY seq', id).flatMap(row => {
    const decoded = decodeRow(db, row);
    return decoded.tag === 'ok' ? [{record: decoded.value, at: integer(row, 'at')}] : [];
  });

/** Returns the first prompt of every session of a directory, cut to 2,000 UTF-16 units. */
export function firstPrompts(db: Database, directory: string): ReadonlyMap<SessionId, string> {
  const rows = db.all(
    `SELECT id, prompt, CASE WHEN prompt IS NULL THEN ${firstPromptBody} END AS body
     FROM sessions LEFT JOIN session_prompts ON session_id = id WHERE directory = ? AND parent IS NULL`,
    directory,
  );
  const prompts = new Map<SessionId, string>();
  for (const row of rows) {
    const id = parseSessionId(text(row, 'id'));
    const prompt = row['prompt'] === null ? promptIn(text(row, 'body')) : text(row, 'prompt');
    if (id !== undefined && prompt !== null) prompts.set(id, prompt);
  }
  return prompts;
}

/** The body of the first prompt of a row of `sessions`. */
const firstPromptBody =
  "(SELECT body FROM records WHERE session_id = sessions.id AND kind = 'prompt' ORDER BY seq LIMIT 1)";

function promptIn(body: string): string | null {
  const decoded = decodeBody('prompt', body);
  if (decoded.tag === 'failed' || decoded.value.kind !== 'prompt') return null;
  return toStorableText(messageText(decoded.value.message).slice(0, promptLength));
}

/** Returns the sessions that an earlier version of weft made, and whose size, usage and first prompt are not stored yet. */
export const uncountedSessions = (db: Database): readonly SessionId[] =>
  db
    .all('SELECT id FROM sessions WHERE counted = 0')
    .map(row => parseSessionId(text(row, 'id')))
    .filter(id => id !== undefined);

/** Counts a session that no process has counted. Later records are counted as they are added. */
export function countSession(db: Database, id: SessionId): void {
  const row = db.first(`SELECT ${firstPromptBody} AS body FROM sessions WHERE id = ? AND counted = 0`, id);
  if (row === undefined) return;
  db.run('DELETE FROM session_usage WHERE session_id = ?', id);
  db.run(addUsageOfSession, id);
  db.run(
    `UPDATE sessions SET counted = 1,
       bytes = (SELECT coalesce(sum(octet_length(body)), 0) FROM records WHERE session_id = sessions.id)
     WHERE id = ?`,
    id,
  );
  const prompt = promptIn(text(row, 'body'));
  if (prompt !== null)
    db.run('INSERT INTO session_prompts (session_id, prompt) VALUES (?, ?) ON CONFLICT DO NOTHING', id, prompt);
}

/** The usage of a session's requests to one model. The requests whose cost is known, and the others, are separate. */
export interface SessionUsage {
  readonly id: SessionId;
  readonly model: string;
  readonly usage: Usage;
}

/** Returns the usage of sessions by model. */
export function selectUsage(db: Database, filter: StoredSessionFilter): readonly SessionUsage[] {
  const {sql, values} = sessionsIn(filter);
  const rows = db.all(
    `SELECT session_id AS id, u.model AS model, priced, input, output, reads, writes, usd
     FROM (SELECT id AS listed ${sql}) AS list JOIN session_usage u ON session_id = listed
     ORDER BY session_id, u.model, priced`,
    ...values,
  );
  return rows.flatMap(row => {
    const id = parseSessionId(text(row, 'id'));
    if (id === undefined) return [];
    const usage = {
      inputTokens: integer(row, 'input'),
      outputTokens: integer(row, 'output'),
      cacheReadTokens: integer(row, 'reads'),
      cacheWriteTokens: integer(row, 'writes'),
      ...(integer(row, 'priced') === 0 ? {} : {costUsd: integer(row, 'usd')}),
    };
    return [{id, model: text(row, 'model'), usage}];
  });
}

/** A session for pruning. `bytes` include the sessions of its sub-agents. */
export interface SessionSize {
  readonly id: SessionId;
  readonly title: string;
  readonly updatedAt: number;
  readonly bytes: number;
  /** Whether the user pinned the session, which keeps it. */
  readonly pinned: boolean;
}

/** Returns the sessions with the bytes of their records and texts, and of those of their sub-agents, newest first. */
export const selectSizes = (db: Database): readonly SessionSize[] =>
  db
    .all(
      `WITH RECURSIVE tree (root, id, bytes) AS (
         SELECT id, id, bytes + (
           SELECT CAST(coalesce(sum(octet_length(json)), 0) AS BIGINT) FROM session_texts WHERE session_id = id
         ) FROM sessions WHERE parent IS NULL
         UNION ALL SELECT tree.root, s.id, s.bytes FROM sessions s JOIN tree ON s.parent = tree.id
       )
       SELECT id, title, updated_at, pinned, sums.bytes AS bytes
       FROM sessions JOIN (SELECT root, CAST(sum(bytes) AS BIGINT) AS bytes FROM tree GROUP BY root) AS sums ON root = id
       ${newestFirst}`,
    )
    .flatMap(row => {
      const id = parseSessionId(text(row, 'id'));
      if (id === undefined) return [];
      return [
        {
          id,
          title: text(row, 'title'),
          updatedAt: integer(row, 'updated_at'),
          bytes: integer(row, 'bytes'),
          pinned: integer(row, 'pinned') === 1,
        },
      ];
    });

/** Returns the latest prompts and answers of a session, at most `count`, oldest first. */
export const lastMessages = (
  db: Database,
  {id, count}: {readonly id: SessionId; readonly count: number},
): readonly Message[] =>
  db
    .all(
      "SELECT kind, body FROM records WHERE session_id = ? AND kind IN ('prompt', 'answer') ORDER BY seq DESC LIMIT ?",
      id,
      count,
    )
    .flatMap(row => {
      const decoded = decodeBody(text(row, 'kind'), text(row, 'body'));
      if (decoded.tag === 'failed') return [];
      return decoded.value.kind === 'prompt' || decoded.value.kind === 'answer' ? [decoded.value.message] : [];
    })
    .toReversed();

/** Returns the checkpoints that sessions may rewind to, newest session first. */
export function selectCheckpointTrees(db: Database): readonly SessionCheckpoints[] {
  return selectSessions(db, {}).map(({id, updatedAt}) => {
    const rows = db.all(
      // A plain join makes SQLite search all records for the sessions.
      `${withSubSessions} SELECT kind, body FROM tree CROSS JOIN records
       WHERE session_id = tree.id AND ${isAboutFiles} ORDER BY session_id, seq`,
      id,
    );
    const trees = rows.flatMap(row => {
      const decoded = decodeBody(text(row, 'kind'), text(row, 'body'));
      return decoded.tag === 'ok' ? treesIn(decoded.value) : [];
    });
    return {updatedAt, trees};
  });
}

/** Returns the session whose agent started this sub-agent; `undefined` for a session of the user. */
export const parentOf = (db: Database, id: SessionId): SessionId | undefined =>
  parseSessionId(String(db.first('SELECT parent FROM sessions WHERE id = ?', id)?.['parent']));

/** True for the sessions in the folder of `own`, in an outer or an inner one. */
const isRelatedFolder = `(substr(s.directory || '/', 1, length(own.directory) + 1) = own.directory || '/'
         OR substr(own.directory || '/', 1, length(s.directory) + 1) = s.directory || '/')`;

/** Returns the states of files of all sessions and sub-agents in the folder, in an outer or an inner one, oldest session first. */
export const selectFileRecords = (db: Database, directory: string): readonly SessionRecord[] =>
  db
    .all(
      `SELECT r.session_id AS id, r.kind AS kind, r.body AS body, r.at AS at
       FROM (SELECT CAST(? AS TEXT) AS directory) own JOIN sessions s ON ${isRelatedFolder} JOIN records r ON r.session_id = s.id
       WHERE ${isAboutFiles} AND kind <> 'receipt' ORDER BY s.created_at, s.id, r.seq`,
      directory,
    )
    .flatMap(row => {
      const [session, decoded] = [parseSessionId(text(row, 'id')), decodeBody(text(row, 'kind'), text(row, 'body'))];
      return session === undefined || decoded.tag === 'failed'
        ? []
        : [{session, at: integer(row, 'at'), record: decoded.value}];
    });

/** Returns the sessions in the folder, in an outer or an inner one, with the processes that have not closed them. */
export const selectOwners = (
  db: Database,
  directory: string,
): readonly {readonly id: SessionId; readonly owner: ProcessMark}[] =>
  db
    .all(
      `SELECT o.session_id AS id, o.pid AS pid, o.started AS started, o.at AS at
       FROM (SELECT CAST(? AS TEXT) AS directory) own JOIN sessions s ON ${isRelatedFolder} JOIN owners o ON o.session_id = s.id`,
      directory,
    )
    .flatMap(row => [parseSessionId(text(row, 'id')) ?? []].flat().map(id => ({id, owner: markIn(row)})));

/** Returns, for each change of files by these prompts, those of other sessions in the same, an outer or an inner folder at that time. */
export function selectChangesAlongside(
  db: Database,
  {id, prompts}: {readonly id: SessionId; readonly prompts: readonly MessageId[]},
): readonly ChangesDuring[] {
  const rows = db.all(
    `SELECT r.session_id AS id, r.body AS body, r.at AS at, s.title AS title, s.updated_at AS updated,
       CASE WHEN o.session_id IS NULL THEN 0 ELSE 1 END AS owned
     FROM records r JOIN sessions s ON s.id = r.session_id LEFT JOIN owners o ON o.session_id = s.id
     JOIN sessions own ON own.id = ?
     WHERE ${isAboutFiles} AND kind = 'checkpoint' AND s.parent IS NULL
       AND ${isRelatedFolder}
     ORDER BY r.session_id, r.seq`,
    id,
  );
  const all: ChangeSpan[] = [];
  const last = new Map<string, ChangeSpan>();
  for (const row of rows) {
    const decoded = decodeBody('checkpoint', text(row, 'body'));
    if (decoded.tag === 'failed' || decoded.value.kind !== 'checkpoint') continue;
    const {prompt, moment, tree, killedAt} = decoded.value;
    const [session, at] = [text(row, 'id'), killedAt ?? integer(row, 'at')];
    const known = last.get(`${session} ${prompt}`);
    if (moment === 'after') {
      if (known !== undefined) Object.assign(known, {to: at, after: tree});
    } else if (known?.after === 'now') known.more.push(tree);
    else {
      const to = integer(row, 'owned') === 1 ? Number.POSITIVE_INFINITY : integer(row, 'updated');
      const title = text(row, 'title');
      const span: ChangeSpan = {session, prompt, title, from: at, to, before: tree, more: [], after: 'now'};
      last.set(`${session} ${prompt}`, span);
      all.push(span);
    }
  }
  const own = all.filter(({session}) => session === id);
  // A fork contains its origin's prompts too.
  const others = all.filter(({prompt}) => !own.some(each => each.prompt === prompt));
  return own
    .filter(({prompt}) => prompts.includes(prompt))
    .map(({before, after, from, to}) => ({
      during: {before, after},
      others: others
        .filter(each => each.from <= to && from <= each.to && (each.before !== each.after || each.more.length > 0))
        .map(each => ({
          title: each.title,
          change: {before: each.before, after: each.after, more: {before: each.more, after: []}},
          isShorter: each.after !== 'now' && each.to - each.from < to - from,
        })),
    }));
}

/** The time in which a prompt may have changed files, and the files before and after it. */
interface ChangeSpan {
  readonly session: string;
  readonly title: string;
  readonly prompt: MessageId;
  readonly from: number;
  to: number;
  readonly before: TreeId;
  /** Later trees of other files. */
  readonly more: TreeId[];
  after: TreeId | 'now';
}

function treesIn(record: JournalRecord): readonly TreeId[] {
  if (record.kind === 'checkpoint') return [record.tree];
  if (record.kind === 'receipt') return record.receipt.tree === 'unknown' ? [] : [record.receipt.tree];
  if (record.kind !== 'step' && record.kind !== 'rewind' && record.kind !== 'redo') return [];
  return record.files === 'untouched' ? [] : [record.files.before, record.files.after];
}

/** Copies a session with all its records. Its creation time is `at`. */
export function copySession(
  db: Database,
  copy: {readonly from: SessionId; readonly to: SessionId; readonly at: number},
): void {
  const {from, to, at} = copy;
  db.run(
    `INSERT INTO sessions (${columns}, counted)
     SELECT CAST(? AS TEXT), directory, model, title, CAST(? AS BIGINT), CAST(? AS BIGINT), messages, counted
     FROM sessions WHERE id = ?`,
    to,
    at,
    at,
    from,
  );
  db.run(
    `INSERT INTO session_texts (hash, session_id, json)
     SELECT hash, CAST(? AS TEXT), json FROM session_texts WHERE session_id = ?`,
    to,
    from,
  );
  db.run(
    `INSERT INTO session_prompts (session_id, prompt)
     SELECT CAST(? AS TEXT), prompt FROM session_prompts WHERE session_id = ?`,
    to,
    from,
  );
  db.run(
    `INSERT INTO records (session_id, seq, kind, body, at)
     SELECT CAST(? AS TEXT), seq, kind, body, at FROM records WHERE session_id = ?`,
    to,
    from,
  );
}

export const deleteSessionRow = (db: Database, id: SessionId): void => {
  db.run('DELETE FROM sessions WHERE id = ?', id);
};

export const setPinned = (db: Database, id: SessionId, pinned: boolean): void =>
  db.run('UPDATE sessions SET pinned = ? WHERE id = ?', pinned ? 1 : 0, id);

/** True if the session has not changed since its size was read. */
export const isUnchanged = (db: Database, {id, updatedAt}: SessionSize): boolean =>
  db.first('SELECT 1 AS found FROM sessions WHERE id = ? AND updated_at = ? AND pinned = 0', id, updatedAt) !==
  undefined;

const withSubSessions = `WITH RECURSIVE tree (id) AS (
  SELECT CAST(? AS TEXT) UNION ALL SELECT s.id FROM sessions s JOIN tree ON s.parent = tree.id
)`;

/** Returns the processes that have opened the session or one of its sub-agents' sessions. */
export const ownersOf = (db: Database, id: SessionId): readonly ProcessMark[] =>
  db.all(`${withSubSessions} SELECT pid, started, at FROM owners JOIN tree ON session_id = tree.id`, id).map(markIn);

/** True if a job that has not ended belongs to the session, or a plan that waits for an approval or its execution. */
export const hasJobs = (db: Database, id: SessionId): boolean =>
  db.first(
    `${withSubSessions}
     SELECT 1 AS found FROM jobs JOIN tree ON session = tree.id WHERE state IN ('queued', 'running')
     UNION ALL SELECT 1 FROM documents JOIN tree ON ${extracted('session')} = tree.id
     WHERE kind = 'plan' AND ${extracted('state')} IN ('pending', 'approved')`,
    id,
  ) !== undefined;

const markIn = (row: Row): ProcessMark => ({
  pid: integer(row, 'pid'),
  started: text(row, 'started'),
  at: integer(row, 'at'),
});

/** Returns the process that last opened the session and didn't close it. That process may have died. */
export const ownerOf = (db: Database, id: SessionId): ProcessMark | undefined =>
  db.all('SELECT pid, started, at FROM owners WHERE session_id = ?', id).map(markIn)[0];

export const setOwner = (db: Database, id: SessionId, {pid, started, at}: ProcessMark): void => {
  db.run(
    `INSERT INTO owners (session_id, pid, started, at) VALUES (?, ?, ?, ?)
     ON CONFLICT (session_id) DO UPDATE SET pid = excluded.pid, started = excluded.started, at = excluded.at`,
    id,
    pid,
    started,
    at,
  );
};

/** Deletes only its own mark, so that a process that counted as dead doesn't release the next owner's session. */
export const clearOwner = (db: Database, id: SessionId, {pid, started}: ProcessMark): void => {
  db.run('DELETE FROM owners WHERE session_id = ? AND pid = ? AND started = ?', id, pid, started);
};

const columns = 'id, directory, model, title, created_at, updated_at, messages';
const newestFirst = 'ORDER BY updated_at DESC, rowid DESC';
const titleLength = 200;

function summaryOf(row: Row | undefined): SessionSummary | undefined {
  if (row === undefined) return undefined;
  const id = parseSessionId(text(row, 'id'));
  if (id === undefined) return undefined;
  return {
    id,
    title: text(row, 'title'),
    directory: text(row, 'directory'),
    model: text(row, 'model'),
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
    messages: integer(row, 'messages'),
  };
}

/** Columns are STRICT, so another type can only come from a damaged file. */
function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : '';
}

function integer(row: Row, column: string): number {
  const value = row[column];
  return typeof value === 'number' ? value : 0;
}

/** Removes NULs and lone surrogates, which neither database can store as text. */
export const toStorableText = (value: string): string => value.replaceAll('\0', '').toWellFormed();
