/**
 * The schema, step by step: step n takes a database of version n to version n + 1 and never changes once released.
 * What happened is in `records`, append-only; the columns of `sessions` after `model` only save a reader from adding it up.
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

  CREATE TABLE owners (
    session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // The task stack is the fold of these: each row holds what one request changed, as a JSON array.
  `
  CREATE TABLE stack_log (
    seq INTEGER PRIMARY KEY,
    events TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  `,
  // The session of a sub-agent belongs to that of the agent that started it, and goes with it.
  `
  ALTER TABLE sessions ADD COLUMN parent TEXT REFERENCES sessions (id) ON DELETE CASCADE;
  CREATE INDEX sessions_by_parent ON sessions (parent);
  `,
  // A plan that is executed belongs to the process that does it: where that has ended without a word, the plan was stopped.
  `
  CREATE TABLE plans (
    id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX plans_by_age ON plans (created_at);
  `,
  // Like a plan, a task belongs to the process that runs it. Its events are what readers were sent.
  `
  CREATE TABLE agent_tasks (
    id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE agent_task_events (
    task_id TEXT NOT NULL REFERENCES agent_tasks (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (task_id, seq)
  ) STRICT, WITHOUT ROWID;
  `,
  // A schedule that runs belongs to the process that does it, like a plan.
  `
  CREATE TABLE schedules (
    id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    next_at INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX schedules_by_time ON schedules (next_at);
  `,
  // What runs ask, for other processes to answer; the ask belongs to the process of the run.
  `
  CREATE TABLE asks (
    session_id TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    answer TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (session_id, id)
  ) STRICT, WITHOUT ROWID;
  `,
  // What happens in a run of the task stack, and in the one before it; starts is 1 for the first event of a run.
  `
  CREATE TABLE stack_run_events (
    seq INTEGER PRIMARY KEY,
    data TEXT NOT NULL,
    starts INTEGER NOT NULL
  ) STRICT;
  `,
  // A sub-agent at work belongs to the process that runs it; stop is 1 where another one wants it to end.
  `
  CREATE TABLE running_agents (
    id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    stop INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  `,
];
