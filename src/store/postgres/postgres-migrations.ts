import {fileRecordsIndex, sessionCounts, sessionIndexes, sessionTexts, tablesIn} from '../migrations.ts';

const tables = tablesIn({
  integer: 'BIGINT',
  rowid: 'rowid BIGINT GENERATED ALWAYS AS IDENTITY,',
  table: '',
  keyed: '',
});

const counts = sessionCounts({integer: 'BIGINT', real: 'DOUBLE PRECISION', table: '', keyed: ''});

/**
 * The queue of an earlier version of weft holds jobs that wait for a worker, or whose worker died. They are queued
 * again with their original request. A task that was stopped on purpose has an end time.
 */
const queuedEarlier = `
  DO $$ BEGIN
    IF to_regclass('weft_queue.job') IS NULL THEN RETURN; END IF;
    CREATE TEMPORARY TABLE earlier_queue ON COMMIT DROP AS
    SELECT id::text AS id, data, data->>'kind' AS kind, CAST(extract(epoch FROM created_on) * 1000 AS BIGINT) AS at
    FROM weft_queue.job WHERE name = 'weft_runs' AND state IN ('created', 'retry', 'active');

    UPDATE jobs SET state = 'queued', stop = 0, spec = data::text FROM earlier_queue
    WHERE earlier_queue.kind = 'execution' AND jobs.id = data->>'task' AND jobs.state = 'stopped' AND ended_at = 0;

    UPDATE jobs SET state = 'queued', stop = 0, reason = '', news = 'none' FROM earlier_queue
    WHERE earlier_queue.kind = 'scheduled' AND jobs.id = 'schedule ' || (data->>'schedule') AND reason = 'weft was cut off';

    INSERT INTO jobs (id, kind, key, spec, state, attempt, session, created_at, started_at, ended_at, reason, outcome, news, stop,
      pid, started, at)
    SELECT id, 'stack', 'stack', data::text, 'queued', 0, '', at, 0, 0, '', '', 'none', 0, 0, '', 0 FROM earlier_queue
    WHERE kind = 'stack' LIMIT 1;
  END $$;`;

/**
 * The schema in Postgres, step by step as in SQLite: a step never changes once released. Text columns hold what SQLite's hold, so that
 * statements are the same. SQLite has `rowid` and the two functions built in.
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

  ${tables.owners}
  ${tables.stackLog}
  ${tables.plans}
  ${tables.agentTasks}
  ${tables.schedules}

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
  tables.asks,
  tables.stackRunEvents,
  tables.runningAgents,
  `${tables.documents}
  ALTER TABLE agent_task_events RENAME TO earlier_events;
  ALTER INDEX agent_task_events_pkey RENAME TO earlier_events_pkey;
  ${tables.jobs}
  ${queuedEarlier}`,
  `${counts.columns}
  CREATE FUNCTION count_record() RETURNS TRIGGER LANGUAGE plpgsql AS $$
  BEGIN ${counts.trigger}
    RETURN NULL;
  END $$;
  CREATE TRIGGER records_counted AFTER INSERT ON records FOR EACH ROW EXECUTE FUNCTION count_record();`,
  sessionIndexes,
  sessionTexts(''),
  fileRecordsIndex,
];
