import {copyToJobs} from '../migrations.ts';

/**
 * The schema in Postgres, step by step like that of SQLite: a step never changes once released. What a text column holds is what SQLite's
 * holds, so that the statements are the same; `rowid` and the two functions are there in SQLite by themselves.
 */
export const postgresMigrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    rowid BIGINT GENERATED ALWAYS AS IDENTITY,
    id TEXT NOT NULL PRIMARY KEY,
    directory TEXT NOT NULL,
    model TEXT NOT NULL,
    title TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    parent TEXT REFERENCES sessions (id) ON DELETE CASCADE
  );
  CREATE INDEX sessions_by_directory ON sessions (directory, updated_at);
  CREATE INDEX sessions_by_parent ON sessions (parent);

  CREATE TABLE records (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (session_id, seq)
  );

  CREATE TABLE owners (
    session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    pid BIGINT NOT NULL,
    started TEXT NOT NULL,
    at BIGINT NOT NULL
  );

  CREATE TABLE stack_log (
    seq BIGINT PRIMARY KEY,
    events TEXT NOT NULL,
    at BIGINT NOT NULL
  );

  CREATE TABLE plans (
    rowid BIGINT GENERATED ALWAYS AS IDENTITY,
    id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    pid BIGINT NOT NULL,
    started TEXT NOT NULL,
    at BIGINT NOT NULL
  );
  CREATE INDEX plans_by_age ON plans (created_at);

  CREATE TABLE agent_tasks (
    rowid BIGINT GENERATED ALWAYS AS IDENTITY,
    id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    pid BIGINT NOT NULL,
    started TEXT NOT NULL,
    at BIGINT NOT NULL
  );
  CREATE TABLE agent_task_events (
    task_id TEXT NOT NULL REFERENCES agent_tasks (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (task_id, seq)
  );

  CREATE TABLE schedules (
    id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    next_at BIGINT NOT NULL,
    pid BIGINT NOT NULL,
    started TEXT NOT NULL,
    at BIGINT NOT NULL
  );
  CREATE INDEX schedules_by_time ON schedules (next_at);

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
  `,
  `
  CREATE TABLE asks (
    session_id TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    answer TEXT NOT NULL,
    pid BIGINT NOT NULL,
    started TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (session_id, id)
  );
  `,
  `
  CREATE TABLE stack_run_events (
    seq BIGINT PRIMARY KEY,
    data TEXT NOT NULL,
    starts BIGINT NOT NULL
  );
  `,
  `
  CREATE TABLE running_agents (
    id TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    stop BIGINT NOT NULL,
    pid BIGINT NOT NULL,
    started TEXT NOT NULL,
    at BIGINT NOT NULL
  );
  `,
  `
  CREATE TABLE documents (
    rowid BIGINT GENERATED ALWAYS AS IDENTITY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
  );
  CREATE INDEX documents_by_time ON documents (kind, next_at);

  CREATE TABLE jobs (
    rowid BIGINT GENERATED ALWAYS AS IDENTITY,
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    spec TEXT NOT NULL,
    state TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    session TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL,
    news TEXT NOT NULL,
    stop BIGINT NOT NULL,
    pid BIGINT NOT NULL,
    started TEXT NOT NULL,
    at BIGINT NOT NULL
  );

  ALTER TABLE agent_task_events RENAME TO earlier_events;
  ALTER INDEX agent_task_events_pkey RENAME TO earlier_events_pkey;
  CREATE TABLE agent_task_events (
    task_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (task_id, seq)
  );

  CREATE TABLE job_asks (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    answer TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (job, id)
  );
  ${copyToJobs('BIGINT')}`,
];
