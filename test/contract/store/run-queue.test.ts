import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline/promises';
import {fileURLToPath} from 'node:url';
import {beforeEach, expect, test} from 'vitest';
import {parseSessionId, planId} from '../../../src/domain/ids.ts';
import {makeJobStore} from '../../../src/store/job-store.ts';
import {planSteps} from '../../../src/domain/plan.ts';
import {PlanStore} from '../../../src/store/plan-store.ts';
import {openRunQueue} from '../../../src/store/postgres/run-queue.ts';
import {lookUntil} from '../../support/look-until.ts';
import {postgresMissing, startPostgres} from '../../support/postgres-server.ts';
import {openDatabase} from './open-database.ts';
import {uuid} from './temporary-store.ts';

beforeEach(({skip}) => {
  skip(postgresMissing !== '', postgresMissing);
});

const fixed = {prompt: 'p', directory: '/w', sandbox: 'of-settings', model: '', baseUrl: '', skills: '/s'} as const;

test('a run comes to a worker as it was queued, and waits there once', {tags: 'long'}, async () => {
  await using server = await startPostgres();
  const troubles: string[] = [];
  const queue = await openRunQueue(await server.newDatabase(), trouble => troubles.push(trouble));
  const runs = ['a', 'b'];
  for (const run of runs) {
    expect(await queue.add(run)).toBe('added');
    expect(await queue.add(run)).toBe('queued-already');
  }
  const came: string[] = [];
  await queue.work(1, async run => {
    came.push(run);
  });
  await lookUntil(
    () => came.length === 2,
    () => JSON.stringify(came),
  );
  expect(came).toEqual(runs);
  expect(troubles).toEqual([]);
  await queue.close();
});

/** Plans are queued and workers killed; every plan is completed, and only those that were at work begin twice. */
async function killWorkers(count: number, workers: number): Promise<void> {
  await using server = await startPostgres();
  const url = await server.newDatabase();
  const plans = new PlanStore(openDatabase(url), Date.now);
  const jobs = makeJobStore(openDatabase(url), Date.now);
  const queue = await openRunQueue(url, () => {});
  const names = Array.from({length: count}, (_, at) => `plan_${String(at)}`);
  for (const name of names) {
    const session = parseSessionId(uuid(1)) ?? expect.fail();
    const rest = {goal: 'g', notes: '', session, directory: '/w', createdAt: 0, reason: ''};
    plans.add({...rest, id: planId(name), steps: planSteps(['one']), state: 'approved'});
  }
  for (const name of names) {
    const spec = {kind: 'execution', plan: planId(name), ...fixed} as const;
    expect(await jobs.add({id: name, spec, session: 'not-open'}, 'queued')).toBe('added');
  }
  await Promise.all(names.map(name => queue.add(name)));
  const begun: string[] = [];
  const program = fileURLToPath(new URL('queue-child.ts', import.meta.url));
  const children = Array.from({length: workers}, () =>
    spawn(process.execPath, ['--no-warnings', program, url, '2'], {stdio: ['ignore', 'pipe', 'inherit']}),
  );
  try {
    for (const child of children) createInterface({input: child.stdout}).on('line', line => begun.push(line));
    const [victim] = children;
    await lookUntil(
      () => begun.length > count / 4,
      () => `${String(begun.length)} of ${String(count)} begun`,
      60_000,
    );
    const gone = once(victim ?? expect.fail(), 'exit');
    victim?.kill('SIGKILL');
    await gone;
    await lookUntil(
      () => plans.list().every(({state}) => state === 'completed'),
      () => JSON.stringify(plans.list().filter(({state}) => state !== 'completed')).slice(0, 500),
      120_000,
    );
    // The store answers while this thread waits, so it may tell of an end before the worker's line of the beginning is read.
    await lookUntil(
      () => new Set(begun).size === count,
      () => `${String(new Set(begun).size)} of ${String(count)} begun`,
    );
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
  // At most what the victim was at.
  expect(begun.length - count).toBeLessThanOrEqual(2);
  expect(plans.list().length).toBe(count);
  await queue.close();
  jobs.close();
  plans.close();
}

test('of two workers one is killed: what waits is done once', {tags: 'long', timeout: 90_000}, async () => {
  await killWorkers(40, 2);
});

test(
  'a thousand runs, four workers, one of them killed: none is lost, none is done twice',
  {tags: 'long', timeout: 300_000},
  async () => {
    await killWorkers(1000, 4);
  },
);
