import * as z from 'zod/mini';
import {type Json, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {type AgentTaskId, parseSessionId, planId, scheduleId} from '../domain/ids.ts';
import {
  type Claim,
  cutOff,
  type Job,
  type JobChange,
  jobKey,
  type JobSpec,
  jobStates,
  type JobStore,
  type NewJob,
} from '../domain/job.ts';
import {providerNames} from '../domain/sandbox.ts';
import type {Database, Row} from './database.ts';
import {isSameProcess, type ProcessMark} from './process-mark.ts';
import {sessionIdSchema} from './record-body.ts';
import {toStorableText} from './session-rows.ts';

/** Keeps jobs in the user's database. */
export function makeJobStore(db: Database, clock: () => number): JobStore {
  const now = (): number => Math.trunc(clock());
  const transaction = <T>(work: () => T): T => db.transaction('jobs', work);
  let isClosed = false;
  return {
    add: async (job, state) => transaction(() => insertJob(db, job, {state, now: now()})),
    claim: async id =>
      transaction(() => {
        settleDeadJobs(db);
        const row = db.first('SELECT * FROM jobs WHERE id = ?', id);
        const [job] = row === undefined ? [] : jobFromRow(row);
        if (row === undefined || job === undefined) return failed('unknown');
        if (job.state === 'running') return failed('running');
        const canResume = job.state === 'stopped' && job.startedAt > 0 && row['stop'] === 0;
        if (job.state !== 'queued' && !(canResume && activeJob(db, String(row['key'])) === 'none'))
          return failed('ended');
        // Questions of an earlier attempt are void.
        db.run('DELETE FROM job_asks WHERE job = ?', id);
        const {pid, started, at} = db.mark();
        const claimed = {attempt: job.attempt + 1, startedAt: now()};
        db.run(
          `UPDATE jobs SET state = 'running', attempt = ?, started_at = ?, ended_at = 0, reason = '', pid = ?, started = ?, at = ?
           WHERE id = ?`,
          claimed.attempt,
          claimed.startedAt,
          pid,
          started,
          at,
          id,
        );
        return ok({...job, ...claimed, state: 'running', endedAt: 0, reason: ''});
      }),
    change: async (claim, change) =>
      isClosed
        ? 'kept'
        : transaction(() => {
            settleDeadJobs(db);
            return changeJob(db, claim, {change, now: now()});
          }),
    async append({id, attempt}, event) {
      if (isClosed) return 'kept';
      const kept = db.all(
        `INSERT INTO agent_task_events (task_id, seq, data)
         SELECT id, CAST(? AS BIGINT), CAST(? AS TEXT) FROM jobs WHERE id = ? AND attempt = ? ON CONFLICT DO NOTHING RETURNING seq`,
        event.id,
        event.data,
        id,
        attempt,
      );
      return kept.length > 0 ? 'kept' : 'lost';
    },
    remove: async id => db.run('DELETE FROM jobs WHERE id = ?', id),
    list: async of => jobsOf(db, of),
    async events(of, after, most) {
      const sql = `SELECT seq, data FROM agent_task_events JOIN jobs ON id = task_id WHERE ${columnOf(of)} = ? AND seq > ? ORDER BY seq LIMIT ?`;
      return db.all(sql, valueOf(of), after, most).map(row => ({id: Number(row['seq']), data: String(row['data'])}));
    },
    async lastEvent(of, which) {
      const left = which === 'all' ? [] : jobsOf(db, of).filter(isActive);
      const ended = left.length === 0 ? '' : `AND id NOT IN (${left.map(() => '?').join(', ')})`;
      const sql = `SELECT MAX(seq) AS last FROM agent_task_events JOIN jobs ON id = task_id WHERE ${columnOf(of)} = ? ${ended}`;
      return Number(db.first(sql, valueOf(of), ...left.map(({id}) => id))?.['last'] ?? 0);
    },
    async running() {
      return new Set(jobsOf(db, {state: 'running'}).flatMap(({session}) => (session === 'not-open' ? [] : session)));
    },
    ask: async ({id: job}, {id, title}) =>
      db.run(
        `INSERT INTO job_asks (job, id, title, answer, at) VALUES (?, ?, ?, '', ?)
         ON CONFLICT (job, id) DO UPDATE SET title = excluded.title, answer = '', at = excluded.at`,
        job,
        id,
        toStorableText(title),
        now(),
      ),
    settle: async ({id}, ask) =>
      db.run("UPDATE job_asks SET answer = 'settled' WHERE job = ? AND id = ? AND answer = ''", id, ask),
    answer: async (session, ask, answer) =>
      transaction(() => {
        settleDeadJobs(db);
        const row = db.first(`SELECT job, answer FROM ${openQuestionsSql} AND job_asks.id = ?`, session, ask);
        if (row === undefined) return 'unknown';
        if (row['answer'] !== '') return 'already-answered';
        const sql = 'UPDATE job_asks SET answer = ? WHERE job = ? AND id = ?';
        db.run(sql, JSON.stringify(answer), String(row['job']), ask);
        return 'taken';
      }),
    async waiting(session) {
      const sql = `SELECT job, title FROM ${openQuestionsSql} AND answer = '' ORDER BY job_asks.at, job_asks.id`;
      const running = new Set(jobsOf(db, {state: 'running'}).map(({id}) => id));
      return db.all(sql, session).flatMap(({job, title}) => (running.has(String(job)) ? String(title) : []));
    },
    async heard({id, attempt}) {
      const row = db.first('SELECT stop FROM jobs WHERE id = ? AND attempt = ?', id, attempt);
      if (row === undefined) return 'lost';
      const answers = db
        .all("SELECT id, answer FROM job_asks WHERE job = ? AND answer NOT IN ('', 'settled')", id)
        .flatMap(given => parseColumn(jobAnswer, given['answer']).map(answer => ({id: String(given['id']), answer})));
      return {stop: row['stop'] === 1, answers};
    },
    stop: async of =>
      transaction(() => {
        settleDeadJobs(db);
        const row = db.first(
          `SELECT id, kind, state FROM jobs WHERE ${columnOf(of)} = ? AND ${isActiveSql}`,
          valueOf(of),
        );
        if (row === undefined) return 'unknown';
        const id = String(row['id']);
        if (row['state'] === 'running') {
          db.run('UPDATE jobs SET stop = 1 WHERE id = ?', id);
          return 'asked';
        }
        if (row['kind'] === 'stack') db.run('DELETE FROM jobs WHERE id = ?', id);
        else db.run("UPDATE jobs SET state = 'stopped', stop = 1, ended_at = ? WHERE id = ?", now(), id);
        return 'stopped';
      }),
    close() {
      isClosed = true;
      db.close();
    },
  };
}

const isActiveSql = "state IN ('queued', 'running')";
const newestFirst = 'ORDER BY created_at DESC, rowid DESC';
const openQuestionsSql = "job_asks JOIN jobs ON jobs.id = job WHERE session = ? AND state = 'running'";

const columnOf = (of: object): string => ['id', 'session', 'key', 'kind', 'state'].find(column => column in of) ?? 'id';
const valueOf = (of: Parameters<JobStore['list']>[0]): string => Object.values(of).join('');

/** Reads jobs without writing, so that a reader neither waits for a lock nor fails because of one. */
function jobsOf(db: Database, of: Parameters<JobStore['list']>[0]): readonly Job[] {
  const orRunningSql = 'state' in of ? "OR state = 'running'" : '';
  return db
    .all(`SELECT * FROM jobs WHERE ${columnOf(of)} = ? ${orRunningSql} ${newestFirst}`, valueOf(of))
    .flatMap(row => currentJob(db, row))
    .filter(({state}) => !('state' in of) || state === of.state);
}

/** Returns the queued or running job with this key. */
export const activeJob = (db: Database, key: string): Job | 'none' => jobsOf(db, {key}).find(isActive) ?? 'none';

const isActive = ({state}: Job): boolean => state === 'queued' || state === 'running';

/** Returns the newest job of each key, for jobs of one kind. */
export const newestJobs = (db: Database, kind: JobSpec['kind']): ReadonlyMap<string, Job> =>
  new Map(
    db
      .all(`SELECT * FROM jobs WHERE kind = ? ORDER BY created_at, rowid`, kind)
      .flatMap(row => currentJob(db, row))
      .map(job => [jobKey(job.spec), job]),
  );

/** Adds a job in this process's name. Also keeps the previous one of recurring jobs. Call it in a transaction. */
export function insertJob(
  db: Database,
  {id, spec, session}: NewJob,
  {state, now: at}: {readonly state: 'queued' | 'running'; readonly now: number},
): 'added' | 'used' | 'busy' {
  settleDeadJobs(db);
  const key = jobKey(spec);
  if (db.first('SELECT 1 FROM jobs WHERE id = ?', id) !== undefined) return 'used';
  if (activeJob(db, key) !== 'none') return 'busy';
  if (spec.kind !== 'execution')
    db.run(
      `DELETE FROM jobs WHERE key = ? AND id <> (SELECT id FROM jobs WHERE key = ? ${newestFirst} LIMIT 1)`,
      key,
      key,
    );
  const mark = db.mark();
  const [attempt, startedAt] = state === 'running' ? [1, Math.trunc(at)] : [0, 0];
  db.run(
    `INSERT INTO jobs (id, kind, key, spec, state, attempt, session, created_at, started_at, ended_at, reason, outcome, news, stop,
       pid, started, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '', '', 'none', 0, ?, ?, ?)`,
    id,
    spec.kind,
    key,
    JSON.stringify(spec),
    state,
    attempt,
    session === 'not-open' ? '' : session,
    Math.trunc(at),
    startedAt,
    mark.pid,
    mark.started,
    mark.at,
  );
  return 'added';
}

/** Call it in a transaction. */
export function changeJob(
  db: Database,
  {id, attempt}: Claim,
  {change, now: at}: {readonly change: JobChange; readonly now: number},
): 'kept' | 'lost' {
  const row = db.first('SELECT * FROM jobs WHERE id = ? AND attempt = ?', id, attempt);
  const [job] = row === undefined ? [] : jobFromRow(row);
  if (job === undefined) return 'lost';
  const {state, session, reason, cost, files, news} = {...job, ...change};
  const endedAt = change.state === undefined || change.state === 'running' ? job.endedAt : Math.trunc(at);
  db.run(
    'UPDATE jobs SET state = ?, session = ?, ended_at = ?, reason = ?, outcome = ?, news = ? WHERE id = ?',
    state,
    session === 'not-open' ? '' : session,
    endedAt,
    toStorableText(reason),
    JSON.stringify({cost, files}),
    news,
    id,
  );
  return 'kept';
}

/** True if this process runs the job. */
export function isOwnJob(db: Database, {id}: Claim): boolean {
  const row = db.first('SELECT * FROM jobs WHERE id = ?', id);
  return row !== undefined && isSameProcess(ownerFromRow(row), db.mark());
}

const ownerFromRow = (row: Row): ProcessMark => ({
  pid: Number(row['pid']),
  started: String(row['started']),
  at: Number(row['at']),
});

/** Marks jobs as stopped if their process died, and deletes those that leave nothing to report. Call it in a transaction. */
export function settleDeadJobs(db: Database): void {
  for (const row of db.all("SELECT * FROM jobs WHERE state = 'running'")) {
    const settled = outcomeAfterDeath(db, row);
    if (settled === 'at-work') continue;
    const which = [String(row['id']), Number(row['attempt'])] as const;
    if (settled === 'gone') db.run("DELETE FROM jobs WHERE id = ? AND attempt = ? AND state = 'running'", ...which);
    else
      db.run(
        "UPDATE jobs SET state = 'stopped', reason = ?, news = ? WHERE id = ? AND attempt = ? AND state = 'running'",
        settled.reason,
        settled.news,
        ...which,
      );
  }
}

/** Returns what becomes of a running job if its process has died. */
function outcomeAfterDeath(db: Database, row: Row): 'at-work' | 'gone' | Required<Pick<JobChange, 'reason' | 'news'>> {
  const owner = ownerFromRow(row);
  if (isSameProcess(owner, db.mark()) || db.isAlive(owner)) return 'at-work';
  const {kind} = row;
  return kind === 'agent' || kind === 'prompt'
    ? 'gone'
    : {reason: cutOff, news: kind === 'scheduled' ? 'untold' : 'none'};
}

/** Returns the job in its current state, or nothing if `settleDeadJobs` would delete it. */
function currentJob(db: Database, row: Row): readonly Job[] {
  const settled = row['state'] === 'running' ? outcomeAfterDeath(db, row) : 'at-work';
  if (settled === 'gone') return [];
  return jobFromRow(settled === 'at-work' ? row : {...row, ...settled, state: 'stopped'});
}

const plan = z.pipe(z.string(), z.transform(planId));
const schedule = z.pipe(z.string(), z.transform(scheduleId));

const jobSpec = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('execution'),
    plan,
    prompt: z.string(),
    directory: z.string(),
    sandbox: z.enum([...providerNames, 'of-settings']),
    model: z.string(),
    baseUrl: z.string(),
    skills: z.string(),
    conditions: z.optional(z.object({goal: z.string(), requireChecks: z.array(z.string())})),
  }),
  z.object({kind: z.literal('direct'), id: z.custom<AgentTaskId>(), prompt: z.string(), directory: z.string()}),
  z.object({kind: z.literal('scheduled'), schedule}),
  z.object({
    kind: z.literal('stack'),
    harness: z.string(),
    afterFailure: z.enum(['stop', 'go-on']),
    positions: z.enum(['all', 'one']),
    directory: z.string(),
  }),
  z.object({
    kind: z.literal('agent'),
    agent: z.object({
      id: sessionIdSchema,
      parent: sessionIdSchema,
      name: z.string(),
      kind: z.string(),
      harness: z.string(),
      directory: z.string(),
      startedAt: z.number(),
      pid: z.number(),
    }),
  }),
  z.object({kind: z.literal('prompt'), session: sessionIdSchema}),
]);

const jobAnswer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('approval'),
    decision: z.enum(['allow', 'allow_session', 'deny']),
    message: z.string(),
  }),
  z.object({
    kind: z.literal('question'),
    answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  }),
]);

const outcome = z.object({
  cost: z.number(),
  files: z.array(
    z.object({
      path: z.string(),
      action: z.enum(['created', 'modified', 'deleted', 'renamed']),
      at: z.number(),
      toolUseId: z.string(),
    }),
  ),
});

/** Parses a JSON column. Returns an empty list if the value does not match the schema. */
export function parseColumn<T>(schema: z.ZodMiniType<T>, column: unknown): readonly T[] {
  const json: Outcome<Json, unknown> = parseJson(String(column));
  const read = z.safeParse(schema, json.tag === 'ok' ? json.value : undefined);
  return read.success ? [read.data] : [];
}

/** Converts a row. Returns an empty list for a damaged row, or for a kind that only a newer version of weft knows. */
function jobFromRow(row: Row): readonly Job[] {
  const [spec] = parseColumn<JobSpec>(jobSpec, row['spec']);
  const state = jobStates.find(each => each === row['state']);
  if (spec === undefined || state === undefined) return [];
  const [{cost, files} = {cost: 0, files: []}] = parseColumn(outcome, row['outcome']);
  return [
    {
      id: String(row['id']),
      spec,
      state,
      attempt: Number(row['attempt']),
      session: parseSessionId(String(row['session'])) ?? 'not-open',
      createdAt: Number(row['created_at']),
      startedAt: Number(row['started_at']),
      endedAt: Number(row['ended_at']),
      reason: String(row['reason']),
      cost,
      files,
      news: (['untold', 'told'] as const).find(each => each === row['news']) ?? 'none',
    },
  ];
}
