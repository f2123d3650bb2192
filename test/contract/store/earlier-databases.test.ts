import {hash} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, statSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {Client} from 'pg';
import {describe, expect, test} from 'vitest';
import {parseSessionId, planId} from '../../../src/domain/ids.ts';
import {makeJobStore} from '../../../src/store/job-store.ts';
import {migrations} from '../../../src/store/migrations.ts';
import {PlanStore} from '../../../src/store/plan-store.ts';
import {postgresMigrations} from '../../../src/store/postgres/postgres-migrations.ts';
import {openRunQueue} from '../../../src/store/postgres/run-queue.ts';
import {ScheduleStore} from '../../../src/store/schedule-store.ts';
import {openDatabase} from './open-database.ts';
import {onEachDatabase, temporaryFile, uuid} from './temporary-store.ts';

const session = parseSessionId(uuid(1)) ?? expect.unreachable();

const plan = (id: string, state: string) => ({
  id: planId(id),
  goal: "it's",
  steps: [{id: '1', description: 'one \0', status: 'pending'}],
  notes: '',
  state,
  session,
  directory: '/w',
  createdAt: 7,
  reason: '',
});

const task = (id: string, state: string) => ({
  id,
  session,
  plan: 'plan_b',
  prompt: 'a "prompt" \0 of\nmine',
  directory: '/w',
  state,
  createdAt: 8,
  endedAt: state === 'completed' ? 9 : 0,
  cost: 0.25,
  files: state === 'completed' ? [{path: 'f', action: 'created', at: 8, toolUseId: 't'}] : [],
});

const schedule = (id: string, last: object) => ({
  id,
  cron: '0 9 * * *',
  prompt: 'Look',
  directory: '/w',
  mode: 'default',
  createdAt: 1,
  nextAt: 100,
  last,
});

/** What the weft before jobs had kept: statements with their values. The process that all of it belongs to is gone. */
const kept: readonly (readonly [string, ...(string | number)[]])[] = [
  ...[plan('plan_a', 'approved'), plan('plan_b', 'completed'), plan('plan_c', 'executing')].map(
    body =>
      [
        "INSERT INTO plans (id, body, created_at, pid, started, at) VALUES (?, ?, 7, 1, 'gone', 0)",
        body.id,
        JSON.stringify(body),
      ] as const,
  ),
  ...[task('done', 'completed'), task('cut', 'running'), task('waits', 'queued')].map(
    body =>
      [
        "INSERT INTO agent_tasks (id, body, created_at, pid, started, at) VALUES (?, ?, 8, 1, 'gone', 0)",
        body.id,
        JSON.stringify(body),
      ] as const,
  ),
  ['INSERT INTO agent_task_events (task_id, seq, data) VALUES (\'done\', 1, \'{"type":"session"}\')'],
  ['INSERT INTO agent_task_events (task_id, seq, data) VALUES (\'done\', 2, \'{"type":"done"}\')'],
  ...[
    schedule('schedule_a', {state: 'none'}),
    schedule('schedule_b', {state: 'running', at: 5, session}),
    schedule('schedule_c', {state: 'failed', at: 6, session: 'not-open', trouble: 'no model', told: 'yes'}),
  ].map(
    body =>
      [
        "INSERT INTO schedules (id, body, next_at, pid, started, at) VALUES (?, ?, 100, 1, 'gone', 0)",
        body.id,
        JSON.stringify(body),
      ] as const,
  ),
  ["INSERT INTO asks (session_id, id, title, answer, pid, started, at) VALUES ('s', 'stop', '', '', 1, 'gone', 0)"],
  ["INSERT INTO stack_run_events (seq, data, starts) VALUES (1, '{}', 1)"],
  ["INSERT INTO running_agents (id, body, stop, pid, started, at) VALUES ('a', '{}', 0, 1, 'gone', 0)"],
];

/** Makes the database as the version before jobs left it. */
async function makeEarlier(name: string): Promise<void> {
  if (name.startsWith('postgres:')) {
    const client = new Client({connectionString: name});
    await client.connect();
    const steps = postgresMigrations.slice(0, 4);
    await client.query(`CREATE SCHEMA weft; SET search_path = weft, pg_catalog; ${steps.join(';')}`);
    await client.query(`CREATE TABLE schema_version (version BIGINT NOT NULL); INSERT INTO schema_version VALUES (4)`);
    for (const [sql, ...values] of kept) {
      let count = 0;
      await client.query(
        sql.replaceAll('?', () => `$${String((count += 1))}`),
        values,
      );
    }
    await client.end();
    return;
  }
  mkdirSync(dirname(name), {recursive: true});
  const file = new DatabaseSync(name);
  for (const step of migrations.slice(0, 9)) file.exec(step);
  file.exec('PRAGMA user_version = 9');
  for (const [sql, ...values] of kept) file.prepare(sql).run(...values);
  file.close();
}

/** Queues runs as the version before jobs did, each with what has become of it. */
async function queueEarlier(url: string, runs: readonly (readonly [state: string, data: object])[]): Promise<void> {
  await (await openRunQueue(url, () => {})).close();
  const client = new Client({connectionString: url});
  await client.connect();
  for (const [state, data] of runs)
    await client.query("INSERT INTO weft_queue.job (name, data, state) VALUES ('weft_runs', $1, $2)", [data, state]);
  await client.end();
}

const now = (): number => 50;

onEachDatabase(database => {
  test('what an earlier weft had kept is there, and its runs have ended', async () => {
    await makeEarlier(database.name);
    const db = openDatabase(database.name, {now});
    const [plans, schedules, jobs] = [new PlanStore(db, now), new ScheduleStore(db), makeJobStore(db, now)];
    expect(plans.list().toSorted((one, other) => one.id.localeCompare(other.id))).toEqual([
      plan('plan_a', 'approved'),
      plan('plan_b', 'completed'),
      plan('plan_c', 'stopped'),
    ]);
    const [a, b, c] = [schedule('schedule_a', {state: 'none'}), schedule('schedule_b', {}), schedule('schedule_c', {})];
    const cut = {state: 'stopped', at: 5, session, trouble: 'weft was cut off', told: 'no'};
    expect(schedules.list()).toEqual([
      a,
      {...b, last: cut},
      {...c, last: {state: 'failed', at: 6, session: 'not-open', trouble: 'no model', told: 'yes'}},
    ]);
    expect(schedules.takeNews()).toEqual([{...b, last: cut}]);
    const executions = await jobs.list({kind: 'execution'});
    expect(executions.map(({id, state}) => [id, state])).toEqual([
      ['waits', 'stopped'],
      ['cut', 'stopped'],
      ['done', 'completed'],
    ]);
    const {prompt, files} = task('done', 'completed');
    expect(executions[2]).toEqual({
      id: 'done',
      spec: {
        kind: 'execution',
        plan: 'plan_b',
        prompt,
        directory: '/w',
        sandbox: 'of-settings',
        model: '',
        baseUrl: '',
        skills: '',
      },
      state: 'completed',
      attempt: 1,
      session,
      createdAt: 8,
      startedAt: 8,
      endedAt: 9,
      reason: '',
      cost: 0.25,
      files,
      news: 'none',
    });
    expect(await jobs.events({id: 'done'}, 0, 9)).toEqual([
      {id: 1, data: '{"type":"session"}'},
      {id: 2, data: '{"type":"done"}'},
    ]);
    for (const id of ['waits', 'cut', 'done', 'schedule schedule_b'])
      expect(await jobs.claim(id)).toEqual({tag: 'failed', error: 'ended'});
    // What runs from now on finds no trace of it in its way.
    expect(plans.change(planId('plan_a'), each => ({tag: 'ok', value: {...each, state: 'executing'}})).tag).toBe('ok');
    for (const each of [plans, schedules, jobs]) each.close();
  });

  test('what an earlier weft had queued waits for a worker again', {tags: 'long'}, async ({skip}) => {
    skip(!database.name.startsWith('postgres:'), 'a file has no queue');
    await makeEarlier(database.name);
    const execution = {
      kind: 'execution',
      plan: 'plan_b',
      prompt: 'mine',
      directory: '/w',
      sandbox: 'bwrap',
      model: 'large',
      baseUrl: '',
      skills: '/s',
    } as const;
    const stack = {kind: 'stack', harness: 'weft', afterFailure: 'go-on', positions: 'all', directory: '/w'} as const;
    await queueEarlier(database.name, [
      ['created', {...execution, task: 'waits', session}],
      ['completed', {...execution, task: 'cut', session}],
      ['active', {...execution, task: 'done', session}],
      ['retry', {kind: 'scheduled', schedule: 'schedule_b'}],
      ['active', {kind: 'scheduled', schedule: 'schedule_c'}],
      ['created', stack],
    ]);
    const db = openDatabase(database.name, {now});
    const jobs = makeJobStore(db, now);
    const queued = await jobs.list({state: 'queued'});
    expect(queued.map(({id, spec, session: of}) => [id, spec, of])).toEqual([
      [expect.any(String), stack, 'not-open'],
      ['waits', execution, session],
      ['schedule schedule_b', {kind: 'scheduled', schedule: 'schedule_b'}, session],
    ]);
    for (const {id} of queued) expect(await jobs.claim(id)).toMatchObject({tag: 'ok', value: {id, state: 'running'}});
    for (const id of ['cut', 'done', 'schedule schedule_c'])
      expect(await jobs.claim(id)).toEqual({tag: 'failed', error: 'ended'});
    jobs.close();
  });
});

/** The number of steps to the schema of each released version, and the checksum of these steps. */
const released: readonly (readonly [version: string, steps: number, checksum: string])[] = [
  ['weft before jobs', 9, '5fb03564ed603b15a0a52e804799ae73974ba397d6ae187b6f358cee5c63157f'],
  ['weft 1.0.0-rc.1', 13, '8a45ad9f3f86fe15f731913d391bb67531a317c3a0deed18254240c8fa3fbd49'],
];

const schemaOf = (file: DatabaseSync): unknown =>
  file.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all();

describe.each(released)('the database of %s', (_version, steps, checksum) => {
  test('has a schema that nothing changes later', () => {
    expect(hash('sha256', migrations.slice(0, steps).join(';'))).toBe(checksum);
  });

  test('becomes the current one, and a copy that the released weft can open stays', () => {
    using temporary = temporaryFile();
    mkdirSync(dirname(temporary.file));
    const file = new DatabaseSync(temporary.file);
    for (const step of migrations.slice(0, steps)) file.exec(step);
    file.exec(`PRAGMA user_version = ${String(steps)}; PRAGMA journal_mode = WAL`);
    const before = schemaOf(file);
    file.close();
    openDatabase(temporary.file).close();

    const current = new DatabaseSync(':memory:');
    for (const step of migrations) current.exec(step);
    using migrated = new DatabaseSync(temporary.file, {readOnly: true});
    expect(schemaOf(migrated)).toEqual(schemaOf(current));
    const earlier = join(dirname(temporary.file), 'earlier');
    if (steps === migrations.length) return expect(existsSync(earlier)).toBe(false);
    const copy = join(earlier, `weft-v${String(steps)}.db`);
    using copied = new DatabaseSync(copy, {readOnly: true});
    expect([schemaOf(copied), copied.prepare('PRAGMA user_version').get()]).toEqual([before, {user_version: steps}]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    return expect(readdirSync(earlier)).toEqual([basename(copy)]);
  });
});
