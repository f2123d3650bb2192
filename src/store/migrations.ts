/**
 * Returns SQL that extracts a value from the JSON column `body`. Postgres extracts nothing from JSON with a NUL or a lone surrogate, which JSON escapes as
 * `\u`. `\n` replaces these two characters, also behind another backslash, and the JSON stays valid.
 */
export const extracted = (path: string): string => String.raw`json_extract(replace(body, '\u', '\n'), '$.${path}')`;

/** The cost of a request of the session's own agent, or of a sub-agent; NULL if the cost is unknown. */
const cost = `nullif(coalesce(${extracted('usage.costUsd')}, ${extracted('costUsd')}), 'unknown')`;

/** Selects the records about files. Most records are conversation, which is long. */
export const isAboutFiles = "kind IN ('checkpoint', 'step', 'receipt', 'rewind', 'redo')";

interface Dialect {
  readonly integer: 'INTEGER' | 'BIGINT';
  readonly real: 'REAL' | 'DOUBLE PRECISION';
  /** A column that orders rows by insertion, for a database without one. */
  readonly rowid: string;
  /** The constraint on the columns that identify a row of a table with `rowid`. */
  readonly unique: 'UNIQUE' | 'PRIMARY KEY';
  /** The SQL after the columns of a table: of an ordinary one, and of one that is only looked up by key. */
  readonly table: string;
  readonly keyed: string;
}

/** The tables of weft 1.0.0-rc.1. A row that belongs to a process ends with the process's mark. */
const tables = ({integer, real, rowid, unique, table, keyed}: Dialect): string => {
  const owner = `pid ${integer} NOT NULL, started TEXT NOT NULL, at ${integer} NOT NULL`;
  return `
  -- A sub-agent's session belongs to the session of the agent that started it, and is deleted with it. The column counted is always 1.
  CREATE TABLE sessions (
    ${rowid}
    id TEXT NOT NULL ${unique},
    directory TEXT NOT NULL,
    model TEXT NOT NULL,
    title TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    messages ${integer} NOT NULL,
    parent TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    pinned ${integer} NOT NULL DEFAULT 0,
    counted ${integer} NOT NULL DEFAULT 0,
    bytes ${integer} NOT NULL DEFAULT 0
  )${table};
  CREATE INDEX sessions_by_directory ON sessions (directory, parent, updated_at);
  CREATE INDEX sessions_by_parent ON sessions (parent, updated_at);
  CREATE INDEX sessions_uncounted ON sessions (id) WHERE counted = 0;

  CREATE TABLE records (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq ${integer} NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at ${integer} NOT NULL,
    ${unique} (session_id, seq)
  )${table};

  CREATE TABLE owners (
    session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    ${owner}
  )${keyed};

  CREATE TABLE session_prompts (
    session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    prompt TEXT NOT NULL
  )${table};
  CREATE TABLE session_usage (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    priced ${integer} NOT NULL,
    input ${integer} NOT NULL,
    output ${integer} NOT NULL,
    reads ${integer} NOT NULL,
    writes ${integer} NOT NULL,
    usd ${real} NOT NULL,
    PRIMARY KEY (session_id, model, priced)
  )${keyed};

  -- Texts that the records of a session and of its sub-agents share. The hash is of the JSON text.
  CREATE TABLE session_texts (
    hash TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    json TEXT NOT NULL,
    PRIMARY KEY (hash, session_id)
  )${table};
  CREATE INDEX session_texts_by_session ON session_texts (session_id);

  -- The task stack is built from these rows. Each row holds the changes of one request, as a JSON array.
  CREATE TABLE stack_log (seq ${integer} PRIMARY KEY, events TEXT NOT NULL, at ${integer} NOT NULL)${table};

  -- Plans and schedules.
  CREATE TABLE documents (
    ${rowid}
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    next_at ${integer} NOT NULL,
    PRIMARY KEY (kind, id)
  )${table};
  CREATE INDEX documents_by_time ON documents (kind, next_at);

  -- A job runs for a document, and belongs to the process that runs it.
  CREATE TABLE jobs (
    ${rowid}
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    spec TEXT NOT NULL,
    state TEXT NOT NULL,
    attempt ${integer} NOT NULL,
    session TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    started_at ${integer} NOT NULL,
    ended_at ${integer} NOT NULL,
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL,
    news TEXT NOT NULL,
    stop ${integer} NOT NULL,
    ${owner}
  )${table};
  CREATE UNIQUE INDEX jobs_at_work ON jobs (key) WHERE state IN ('queued', 'running');
  CREATE INDEX jobs_by_key ON jobs (key, created_at);
  CREATE INDEX jobs_by_session ON jobs (session);
  CREATE TABLE agent_task_events (
    task_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    seq ${integer} NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (task_id, seq)
  )${keyed};
  CREATE TABLE job_asks (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    answer TEXT NOT NULL,
    at ${integer} NOT NULL,
    PRIMARY KEY (job, id)
  )${keyed};`;
};

/** Adds what a new record brings to the facts that session lists show, so that no list reads records. */
const countRecord = `
    UPDATE sessions SET bytes = bytes + octet_length(new.body) WHERE id = new.session_id AND counted = 1;
    INSERT INTO session_usage (session_id, model, priced, input, output, reads, writes, usd)
    SELECT session_id, coalesce(${extracted('model')}, ''), CASE WHEN ${cost} IS NULL THEN 0 ELSE 1 END,
      ${['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens']
        .map(field => `CAST(coalesce(CAST(${extracted(`usage.${field}`)} AS DOUBLE PRECISION), 0) AS BIGINT)`)
        .join(', ')},
      coalesce(CAST(${cost} AS DOUBLE PRECISION), 0)
    FROM (SELECT new.session_id AS session_id, new.kind AS kind, new.body AS body FROM sessions
      WHERE id = new.session_id AND counted = 1) AS added
    WHERE kind IN ('answer', 'usage', 'agent-usage') AND json_valid(body)
    ON CONFLICT (session_id, model, priced) DO UPDATE SET ${['input', 'output', 'reads', 'writes', 'usd']
      .map(column => `${column} = session_usage.${column} + excluded.${column}`)
      .join(', ')};`;

/** The steps to the current schema. The first one makes the schema of weft 1.0.0-rc.1, which has the version `released`. A step never changes once released. */
export interface Schema {
  readonly released: number;
  readonly steps: readonly [string, ...string[]];
}

/** Steps that are the same in both databases. */
const laterSteps = [`CREATE INDEX records_about_files ON records (session_id, seq) WHERE ${isAboutFiles};`];

export const latestVersion = ({released, steps}: Schema): number => released + steps.length - 1;

/** Returns the steps from a version of the schema to the current one; `undefined` if this weft doesn't know that version. */
export function stepsFrom(version: number, schema: Schema): readonly string[] | undefined {
  const {released, steps} = schema;
  if (version === 0) return steps;
  return version < released || version > latestVersion(schema) ? undefined : steps.slice(version - released + 1);
}

/** Names the weft that made a version which this one doesn't know. */
export const makerOf = (version: number, {released}: Schema): string =>
  version < released ? 'weft before its first release' : 'a newer version of weft';

/** History is in `records`, which is append-only. The columns of `sessions` after `model` only save readers from computing them. */
export const sqliteSchema: Schema = {
  released: 13,
  steps: [
    `${tables({
      integer: 'INTEGER',
      real: 'REAL',
      rowid: '',
      unique: 'UNIQUE',
      table: ' STRICT',
      keyed: ' STRICT, WITHOUT ROWID',
    })}
  CREATE TRIGGER records_counted AFTER INSERT ON records BEGIN ${countRecord} END;`,
    ...laterSteps,
  ],
};

/** Text columns hold what SQLite's hold, so that statements are the same. SQLite has `rowid` and the first two functions built in. */
export const postgresSchema: Schema = {
  released: 8,
  steps: [
    `
  CREATE FUNCTION json_valid(body TEXT) RETURNS BOOLEAN LANGUAGE plpgsql IMMUTABLE AS $$
  BEGIN
    RETURN (body::json) IS NOT NULL;
  EXCEPTION WHEN others THEN
    RETURN false;
  END $$;

  -- For a path of names alone. As json, not as text or jsonb: a NUL in another text of the body is no error then.
  CREATE FUNCTION json_extract(body TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT (body::json #> string_to_array(substring(path FROM 3), '.')) #>> '{}'
  $$;
  ${tables({
    integer: 'BIGINT',
    real: 'DOUBLE PRECISION',
    rowid: 'rowid BIGINT GENERATED ALWAYS AS IDENTITY,',
    unique: 'PRIMARY KEY',
    table: '',
    keyed: '',
  })}
  CREATE FUNCTION count_record() RETURNS TRIGGER LANGUAGE plpgsql AS $$
  BEGIN ${countRecord}
    RETURN NULL;
  END $$;
  CREATE TRIGGER records_counted AFTER INSERT ON records FOR EACH ROW EXECUTE FUNCTION count_record();`,
    ...laterSteps,
  ],
};
