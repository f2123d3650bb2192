import {firstLine} from '../base/clip.ts';
import type {SessionCheckpoints, TreeId} from '../domain/checkpoint.ts';
import {messageText, type Message} from '../domain/conversation.ts';
import {type MessageId, parseSessionId, type SessionId} from '../domain/ids.ts';
import type {JournalRecord, SessionSummary} from '../domain/journal.ts';
import type {TimedRecord} from '../domain/cache-report.ts';
import type {Usage} from '../domain/usage.ts';
import type {Database, Row} from './database.ts';
import type {ProcessMark} from './process-mark.ts';
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

/** Statements about sessions. Call those that write inside a transaction. */
export const findSessionRow = (db: Database, id: SessionId): SessionSummary | undefined =>
  summaryOf(db.first(`SELECT ${columns} FROM sessions WHERE id = ?`, id));

/** Returns the sessions, newest first. */
export function selectSessions(db: Database, directory: string | undefined): readonly SessionSummary[] {
  const rows =
    directory === undefined
      ? db.all(`SELECT ${columns} FROM sessions WHERE parent IS NULL ${newestFirst}`)
      : db.all(`SELECT ${columns} FROM sessions WHERE directory = ? AND parent IS NULL ${newestFirst}`, directory);
  return rows.map(summaryOf).filter(summary => summary !== undefined);
}

export const latestSession = (db: Database, directory: string): SessionSummary | undefined =>
  summaryOf(
    db.first(
      `SELECT ${columns} FROM sessions WHERE directory = ? AND parent IS NULL ${newestFirst} LIMIT 1`,
      directory,
    ),
  );

export function insertSession(
  db: Database,
  session: SessionDetails & {readonly id: SessionId; readonly at: number},
): void {
  const {id, directory, model, title = '', parent, at} = session;
  db.run(
    `INSERT INTO sessions (${columns}, parent) VALUES (?, ?, ?, ?, ?, ?, 0, ?)`,
    id,
    toStorableText(directory),
    toStorableText(model),
    toStorableText(firstLine(title.trim(), titleLength)),
    at,
    at,
    parent ?? null,
  );
}

export function insertRecord(
  db: Database,
  kept: {readonly id: SessionId; readonly record: JournalRecord; readonly at: number},
): void {
  const {id, record, at} = kept;
  db.run(
    `INSERT INTO records (session_id, seq, kind, body, at)
     SELECT CAST(? AS TEXT), coalesce(max(seq), 0) + 1, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
     FROM records WHERE session_id = ?`,
    id,
    record.kind,
    encodeBody(record),
    at,
    id,
  );
  const messages = record.kind === 'prompt' || record.kind === 'answer' ? 1 : 0;
  db.run('UPDATE sessions SET updated_at = ?, messages = messages + ? WHERE id = ?', at, messages, id);
  if (record.kind === 'prompt') {
    const title = toStorableText(firstLine(messageText(record.message), titleLength));
    db.run("UPDATE sessions SET title = ? WHERE id = ? AND title = ''", title, id);
  }
}

export function readRecords(
  db: Database,
  id: SessionId,
): {readonly records: readonly JournalRecord[]; readonly skipped: readonly SkippedRecord[]} {
  const records: JournalRecord[] = [];
  const skipped: SkippedRecord[] = [];
  for (const row of db.all('SELECT seq, kind, body FROM records WHERE session_id = ? ORDER BY seq', id)) {
    const kind = text(row, 'kind');
    const decoded = decodeBody(kind, text(row, 'body'));
    if (decoded.tag === 'ok') records.push(decoded.value);
    else skipped.push({seq: integer(row, 'seq'), kind, reason: decoded.error});
  }
  return {records, skipped};
}

/** Returns the records of a session that this version knows, with their times. */
export const timedRecords = (db: Database, id: SessionId): readonly TimedRecord[] =>
  db.all('SELECT kind, body, at FROM records WHERE session_id = ? ORDER BY seq', id).flatMap(row => {
    const decoded = decodeBody(text(row, 'kind'), text(row, 'body'));
    return decoded.tag === 'ok' ? [{record: decoded.value, at: integer(row, 'at')}] : [];
  });

/** Returns the first prompt of every session of a directory, cut to `length` (UTF-16 units). */
export function firstPrompts(
  db: Database,
  {directory, length}: {readonly directory: string; readonly length: number},
): ReadonlyMap<SessionId, string> {
  const rows = db.all(
    `SELECT id, (SELECT body FROM records WHERE session_id = id AND kind = 'prompt' ORDER BY seq LIMIT 1) AS body
     FROM sessions WHERE directory = ? AND parent IS NULL`,
    directory,
  );
  const prompts = new Map<SessionId, string>();
  for (const row of rows) {
    const id = parseSessionId(text(row, 'id'));
    const decoded = decodeBody('prompt', text(row, 'body'));
    if (id === undefined || decoded.tag === 'failed' || decoded.value.kind !== 'prompt') continue;
    prompts.set(id, messageText(decoded.value.message).slice(0, length));
  }
  return prompts;
}

/**
 * The usage of a session's requests to one model. The requests whose cost is known, and the others, are separate.
 */
export interface SessionUsage {
  readonly id: SessionId;
  readonly model: string;
  readonly usage: Usage;
}

const tokens = (field: keyof Usage): string => `sum(CAST(json_extract(body, '$.usage.${field}') AS BIGINT))`;

/** The cost of a request of the session's own agent, or of a sub-agent; NULL if it is unknown. */
const cost = "nullif(coalesce(json_extract(body, '$.usage.costUsd'), json_extract(body, '$.costUsd')), 'unknown')";

/** Returns the usage of all sessions, by model. */
export const selectUsage = (db: Database): readonly SessionUsage[] =>
  db
    .all(
      `SELECT session_id AS id, json_extract(body, '$.model') AS model, ${tokens('inputTokens')} AS input,
         ${tokens('outputTokens')} AS output, ${tokens('cacheReadTokens')} AS reads, ${tokens('cacheWriteTokens')} AS writes,
         CAST(sum(CAST(${cost} AS DOUBLE PRECISION)) AS TEXT) AS usd
       FROM records WHERE kind IN ('answer', 'usage', 'agent-usage') AND json_valid(body)
       GROUP BY session_id, model, ${cost} IS NULL`,
    )
    .flatMap(row => {
      const id = parseSessionId(text(row, 'id'));
      if (id === undefined) return [];
      const usage = {
        inputTokens: integer(row, 'input'),
        outputTokens: integer(row, 'output'),
        cacheReadTokens: integer(row, 'reads'),
        cacheWriteTokens: integer(row, 'writes'),
        ...(row['usd'] === null ? {} : {costUsd: Number(text(row, 'usd'))}),
      };
      return [{id, model: text(row, 'model'), usage}];
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
  return selectSessions(db, undefined).map(({id, updatedAt}) => {
    const rows = db.all(
      "SELECT kind, body FROM records WHERE session_id = ? AND kind IN ('checkpoint', 'rewind', 'redo')",
      id,
    );
    const trees = rows.flatMap(row => {
      const decoded = decodeBody(text(row, 'kind'), text(row, 'body'));
      return decoded.tag === 'ok' ? treesIn(decoded.value) : [];
    });
    return {updatedAt, trees};
  });
}

/** Returns the titles of other sessions in the same folder that may have changed files while these prompts ran. */
export function selectConcurrentSessions(
  db: Database,
  {id, prompts}: {readonly id: SessionId; readonly prompts: readonly MessageId[]},
): readonly string[] {
  const spans = new Map<string, ChangeSpan>();
  const rows = db.all(
    `SELECT r.session_id AS id, r.body AS body, r.at AS at, s.title AS title, s.updated_at AS updated,
       CASE WHEN o.session_id IS NULL THEN 0 ELSE 1 END AS owned
     FROM records r JOIN sessions s ON s.id = r.session_id LEFT JOIN owners o ON o.session_id = s.id
     WHERE r.kind = 'checkpoint' AND s.parent IS NULL AND s.directory = (SELECT directory FROM sessions WHERE id = ?)
     ORDER BY r.session_id, r.seq`,
    id,
  );
  for (const row of rows) {
    const decoded = decodeBody('checkpoint', text(row, 'body'));
    if (decoded.tag === 'failed' || decoded.value.kind !== 'checkpoint') continue;
    const {prompt, moment, tree} = decoded.value;
    const [session, at] = [text(row, 'id'), integer(row, 'at')];
    const known = spans.get(`${session} ${prompt}`);
    if (known !== undefined) {
      if (moment === 'after') spans.set(`${session} ${prompt}`, {...known, to: at, after: tree});
    } else if (moment === 'before') {
      const to = integer(row, 'owned') === 1 ? Number.POSITIVE_INFINITY : integer(row, 'updated');
      const title = text(row, 'title');
      spans.set(`${session} ${prompt}`, {session, prompt, title, from: at, to, before: tree, after: 'none'});
    }
  }
  const all = [...spans.values()];
  const own = all.filter(({session}) => session === id);
  const taken = own.filter(({prompt}) => prompts.includes(prompt));
  // A fork contains its origin's prompts too.
  const others = all.filter(({prompt}) => !own.some(each => each.prompt === prompt));
  const alongside = others.filter(
    ({from, to, before, after}) => before !== after && taken.some(each => from <= each.to && each.from <= to),
  );
  return [...new Set(alongside.map(({title}) => title))];
}

/** The time in which a prompt may have changed files, and the files before and after it. */
interface ChangeSpan {
  readonly session: string;
  readonly title: string;
  readonly prompt: MessageId;
  readonly from: number;
  readonly to: number;
  readonly before: TreeId;
  readonly after: TreeId | 'none';
}

function treesIn(record: JournalRecord): readonly TreeId[] {
  if (record.kind === 'checkpoint') return [record.tree];
  const isChange = (record.kind === 'rewind' || record.kind === 'redo') && record.files !== 'untouched';
  return isChange ? [record.files.before, record.files.after] : [];
}

/** Copies a session with all its records. Its creation time is `at`. */
export function copySession(
  db: Database,
  copy: {readonly from: SessionId; readonly to: SessionId; readonly at: number},
): void {
  const {from, to, at} = copy;
  db.run(
    `INSERT INTO sessions (${columns})
     SELECT CAST(? AS TEXT), directory, model, title, CAST(? AS BIGINT), CAST(? AS BIGINT), messages FROM sessions WHERE id = ?`,
    to,
    at,
    at,
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

/** Returns the process that last opened the session and didn't close it. That process may have died. */
export function ownerOf(db: Database, id: SessionId): ProcessMark | undefined {
  const row = db.first('SELECT pid, started, at FROM owners WHERE session_id = ?', id);
  return row === undefined
    ? undefined
    : {pid: integer(row, 'pid'), started: text(row, 'started'), at: integer(row, 'at')};
}

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
