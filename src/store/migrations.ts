/**
 * Extracts a text from a row's JSON body; empty if the body is damaged. Postgres extracts nothing from JSON with a NUL. The replacement has
 * the same length, so that the JSON stays valid.
 */
const text = (path: string): string =>
  String.raw`coalesce(json_extract(replace(body, '\u0000', '\ufffd'), '$.${path}'), '')`;

const jobColumns =
  'id, kind, key, spec, state, attempt, session, created_at, started_at, ended_at, reason, outcome, news, stop, pid, started, at';

/** Copies the data of earlier versions of weft, and drops their tables. */
const copyToJobs = (integer: 'INTEGER' | 'BIGINT'): string => {
  const time = (path: string): string => `CAST('0' || ${text(path)} AS ${integer})`;
  return `
  INSERT INTO documents (kind, id, body, created_at, next_at)
  SELECT 'plan', id, body, created_at, 0 FROM plans ORDER BY rowid;
  INSERT INTO documents (kind, id, body, created_at, next_at) SELECT 'schedule', id, body, 0, next_at FROM schedules;

  INSERT INTO jobs (${jobColumns})
  SELECT id, 'execution', 'plan ' || ${text('plan')},
    '{"kind":"execution","sandbox":"of-settings","model":"","baseUrl":"","skills":"",' || substr(body, 2),
    CASE WHEN ${text('state')} IN ('queued', 'running') THEN 'stopped' ELSE ${text('state')} END,
    1, ${text('session')}, created_at, created_at, ${time('endedAt')}, '', body, 'none', 1, pid, started, at
  FROM agent_tasks WHERE json_valid(body) ORDER BY rowid;
  INSERT INTO agent_task_events (task_id, seq, data)
  SELECT task_id, seq, data FROM earlier_events WHERE task_id IN (SELECT id FROM jobs);

  INSERT INTO jobs (${jobColumns})
  SELECT 'schedule ' || id, 'scheduled', 'schedule ' || id, '{"kind":"scheduled","schedule":"' || id || '"}',
    CASE ${text('last.state')} WHEN 'running' THEN 'stopped' ELSE ${text('last.state')} END, 1,
    CASE ${text('last.session')} WHEN 'not-open' THEN '' ELSE ${text('last.session')} END,
    ${time('last.at')}, ${time('last.at')}, 0,
    CASE ${text('last.state')} WHEN 'running' THEN 'weft was cut off' ELSE ${text('last.trouble')} END, '',
    CASE ${text('last.told')} WHEN 'yes' THEN 'told' ELSE 'untold' END, 1, pid, started, at
  FROM schedules WHERE json_valid(body) AND ${text('last.state')} NOT IN ('none', '');

  CREATE UNIQUE INDEX jobs_at_work ON jobs (key) WHERE state IN ('queued', 'running');
  CREATE INDEX jobs_by_key ON jobs (key, created_at);
  CREATE INDEX jobs_by_session ON jobs (session);
  DROP TABLE earlier_events;
  DROP TABLE agent_tasks;
  DROP TABLE plans;
  DROP TABLE schedules;
  DROP TABLE asks;
  DROP TABLE stack_run_events;
  DROP TABLE running_agents;
`;
};

interface Dialect {
  readonly integer: 'INTEGER' | 'BIGINT';
  /** A column that orders rows by insertion, for a database without one. */
  readonly rowid: string;
  /** The SQL after the columns of a table: of an ordinary one, and of one that is only looked up by key. */
  readonly table: string;
  readonly keyed: string;
}

/** The tables that are the same in both databases. A row that belongs to a process ends with the process's mark. */
export const tablesIn = ({integer, rowid, table, keyed}: Dialect) => {
  const owner = `pid ${integer} NOT NULL, started TEXT NOT NULL, at ${integer} NOT NULL`;
  const events = (tasks: string): string => `
  CREATE TABLE agent_task_events (
    task_id TEXT NOT NULL REFERENCES ${tasks} (id) ON DELETE CASCADE,
    seq ${integer} NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (task_id, seq)
  )${keyed};`;
  return {
    owners: `
  CREATE TABLE owners (
    session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    ${owner}
  )${keyed};`,
    stackLog: `
  CREATE TABLE stack_log (seq ${integer} PRIMARY KEY, events TEXT NOT NULL, at ${integer} NOT NULL)${table};`,
    // Plans, executions, schedules, questions, runs and agents of earlier versions of weft.
    plans: `
  CREATE TABLE plans (
    ${rowid}
    id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    ${owner}
  )${table};
  CREATE INDEX plans_by_age ON plans (created_at);`,
    agentTasks: `
  CREATE TABLE agent_tasks (
    ${rowid}
    id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    created_at ${integer} NOT NULL,
    ${owner}
  )${table};${events('agent_tasks')}`,
    schedules: `
  CREATE TABLE schedules (id TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL, next_at ${integer} NOT NULL, ${owner})${table};
  CREATE INDEX schedules_by_time ON schedules (next_at);`,
    asks: `
  CREATE TABLE asks (
    session_id TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    answer TEXT NOT NULL,
    ${owner},
    PRIMARY KEY (session_id, id)
  )${keyed};`,
    stackRunEvents: `
  CREATE TABLE stack_run_events (seq ${integer} PRIMARY KEY, data TEXT NOT NULL, starts ${integer} NOT NULL)${table};`,
    runningAgents: `
  CREATE TABLE running_agents (id TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL, stop ${integer} NOT NULL, ${owner})${table};`,
    documents: `
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
  )${table};`,
    /** The events table of earlier versions must have been renamed before this. Copies its events and drops what is no longer needed. */
    jobs: `${events('jobs')}
  CREATE TABLE job_asks (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    answer TEXT NOT NULL,
    at ${integer} NOT NULL,
    PRIMARY KEY (job, id)
  )${keyed};
  ${copyToJobs(integer)}`,
  };
};

/**
 * Returns SQL that extracts a value from the JSON column `body`. Postgres extracts nothing from JSON with a NUL or a lone surrogate, which JSON escapes as
 * `\u`. `\n` replaces these two characters, also behind another backslash, and the JSON stays valid.
 */
export const extracted = (path: string): string => String.raw`json_extract(replace(body, '\u', '\n'), '$.${path}')`;

/** The cost of a request of the session's own agent, or of a sub-agent; NULL if the cost is unknown. */
const cost = `nullif(coalesce(${extracted('usage.costUsd')}, ${extracted('costUsd')}), 'unknown')`;

/** Selects the row of `session_usage` that a row with the columns session_id, kind and body adds. */
const usageIn = (source: string): string => `
  SELECT session_id, coalesce(${extracted('model')}, ''), CASE WHEN ${cost} IS NULL THEN 0 ELSE 1 END,
    ${['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens']
      .map(field => `CAST(coalesce(CAST(${extracted(`usage.${field}`)} AS DOUBLE PRECISION), 0) AS BIGINT)`)
      .join(', ')},
    coalesce(CAST(${cost} AS DOUBLE PRECISION), 0)
  FROM ${source} WHERE kind IN ('answer', 'usage', 'agent-usage') AND json_valid(body)`;

/** Adds usage to `session_usage`. `source` is a table, or a query in parentheses, with the columns of `records`. */
const addUsage = (source: string): string => `
  INSERT INTO session_usage (session_id, model, priced, input, output, reads, writes, usd)
  ${usageIn(source)}
  ON CONFLICT (session_id, model, priced) DO UPDATE SET ${['input', 'output', 'reads', 'writes', 'usd']
    .map(column => `${column} = session_usage.${column} + excluded.${column}`)
    .join(', ')}`;

/** Adds the usage in all records of the session \`?\`. */
export const addUsageOfSession = addUsage(
  '(SELECT session_id, kind, body FROM records WHERE session_id = ? ORDER BY seq) AS kept',
);

/**
 * The facts that session lists show, so that no list reads records. A trigger updates them for each record, even if an earlier version of
 * weft, which still runs, wrote it. `counted` is 0 for sessions from before this step. A list counts these first.
 */
export const sessionCounts = ({
  integer,
  real,
  table,
  keyed,
}: Pick<Dialect, 'integer' | 'table' | 'keyed'> & {readonly real: string}) => ({
  columns: `
  ALTER TABLE sessions ADD COLUMN pinned ${integer} NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN counted ${integer} NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN bytes ${integer} NOT NULL DEFAULT 0;
  CREATE INDEX sessions_uncounted ON sessions (id) WHERE counted = 0;
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
  )${keyed};`,
  trigger: `
    UPDATE sessions SET bytes = bytes + octet_length(new.body) WHERE id = new.session_id AND counted = 1;
    ${addUsage(
      `(SELECT new.session_id AS session_id, new.kind AS kind, new.body AS body FROM sessions
        WHERE id = new.session_id AND counted = 1) AS added`,
    )};`,
});

/** Texts that the records of a session and of its sub-agents share. `hash` is of the JSON text. */
export const sessionTexts = (table: string): string => `
  CREATE TABLE session_texts (
    hash TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    json TEXT NOT NULL,
    PRIMARY KEY (hash, session_id)
  )${table};
  CREATE INDEX session_texts_by_session ON session_texts (session_id);`;

/** Selects the records about files. Most records are conversation, which is long. */
export const isAboutFiles = "kind IN ('checkpoint', 'step', 'receipt', 'rewind', 'redo')";

export const fileRecordsIndex = `
  CREATE INDEX records_about_files ON records (session_id, seq) WHERE ${isAboutFiles};`;

/** The sessions of the user or of a folder without those of sub-agents, in the order of lists, and those of sub-agents by parent. */
export const sessionIndexes = `
  DROP INDEX sessions_by_directory;
  DROP INDEX sessions_by_parent;
  CREATE INDEX sessions_by_directory ON sessions (directory, parent, updated_at);
  CREATE INDEX sessions_by_parent ON sessions (parent, updated_at);`;

const sqliteTables = tablesIn({integer: 'INTEGER', rowid: '', table: ' STRICT', keyed: ' STRICT, WITHOUT ROWID'});
const sqliteCounts = sessionCounts({
  integer: 'INTEGER',
  real: 'REAL',
  table: ' STRICT',
  keyed: ' STRICT, WITHOUT ROWID',
});

/**
 * The schema, step by step: step n takes a database from version n to n + 1 and never changes once released. History is in `records`, which
 * is append-only. The columns of `sessions` after `model` only save readers from computing them.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    id TEXT NOT NULL UNIQUE,
    directory TEXT NOT NULL,
    model TEXT NOT NULL,
    title TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    messages INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_directory ON sessions (directory, updated_at);

  CREATE TABLE records (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (session_id, seq)
  ) STRICT;

  ${sqliteTables.owners}
  `,
  // The task stack is built from these rows. Each row holds the changes of one request, as a JSON array.
  sqliteTables.stackLog,
  // A sub-agent's session belongs to the session of the agent that started it, and is deleted with it.
  `
  ALTER TABLE sessions ADD COLUMN parent TEXT REFERENCES sessions (id) ON DELETE CASCADE;
  CREATE INDEX sessions_by_parent ON sessions (parent);
  `,
  sqliteTables.plans,
  sqliteTables.agentTasks,
  sqliteTables.schedules,
  sqliteTables.asks,
  sqliteTables.stackRunEvents,
  sqliteTables.runningAgents,
  // Plans and schedules are documents. A job runs for one of them and belongs to the process that runs it. Runs of earlier versions have
  // ended. The table of events keeps its name.
  `${sqliteTables.documents}
  ALTER TABLE agent_task_events RENAME TO earlier_events;
  ${sqliteTables.jobs}`,
  `${sqliteCounts.columns}
  CREATE TRIGGER records_counted AFTER INSERT ON records BEGIN ${sqliteCounts.trigger} END;`,
  sessionIndexes,
  sessionTexts(' STRICT'),
  fileRecordsIndex,
];
