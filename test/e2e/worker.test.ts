// @module-tag long
import {createInterface} from 'node:readline/promises';
import {once} from 'node:events';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, hang, say, type Answer} from '../support/model-script.ts';
import {agentEvents} from '../support/agent-server.ts';
import {postgresMissing, type PostgresServer, startPostgres} from '../support/postgres-server.ts';
import {openScene, pointedAt, type Scene, toldPrompt} from '../support/scene.ts';
import {WeftServer} from '../support/weft-server.ts';

let postgres: PostgresServer | undefined;
beforeAll(async () => {
  if (postgresMissing === '') postgres = await startPostgres();
});
afterAll(async () => postgres?.[Symbol.asyncDispose]());
beforeEach(({skip}) => {
  skip(postgresMissing !== '', postgresMissing);
});

const input = {goal: 'Prices are right', steps: ['Write it', 'Check it'], notes: ''};

const marks = (first: string, second: string): Answer =>
  call('TodoWrite', {
    todos: [
      {content: 'Write it', status: first},
      {content: 'Check it', status: second},
    ],
  });

/** A worker that works. */
async function startWorker(scene: Scene, store: string) {
  const child = scene.start(['worker', '--store', store], {stdin: 'open'});
  const first = await createInterface({input: child.stdout})[Symbol.asyncIterator]().next();
  expect(first.value).toBe('weft is working, 2 jobs at a time');
  return {
    async end(signal: NodeJS.Signals): Promise<unknown> {
      const gone = once(child, 'exit');
      child.kill(signal);
      const [code, by] = await gone;
      return code ?? by;
    },
  };
}

const requests = (scene: Scene, count: number) =>
  lookUntil(
    () => scene.server.requests.length >= count,
    () => `requests: ${String(scene.server.requests.length)}`,
  );

test(
  'a worker carries out a plan; killed, another one takes it up from the kept session, and it is done once',
  {tags: 'long', timeout: 90_000},
  async () => {
    const store = (await postgres?.newDatabase()) ?? '';
    await using scene = await openScene([
      call('ExitPlanMode', input),
      marks('completed', 'in_progress'),
      hang(),
      marks('completed', 'completed'),
      say('Done.'),
    ]);
    await using server = await WeftServer.start({
      place: scene.place,
      args: ['--store', store],
      environment: pointedAt(scene.server),
    });
    const {work} = scene.place;
    let plan = '';
    for await (const event of agentEvents(server, 'POST', '/agent/plan', {body: {prompt: 'mend it', workDir: work}}))
      plan = event.plan?.id ?? plan;
    expect((await server.ask('POST', `/agent/plan/${plan}/approve`)).status).toBe(200);
    const execute = {planId: plan, workDir: work, background: true, taskId: 'own'};
    const queued = await server.ask('POST', '/agent/execute', {body: execute});
    expect([queued.status, queued.body]).toEqual([202, {taskId: 'own', sessionId: expect.any(String)}]);
    const {sessionId} = queued.body;
    const task = async () => (await server.ask('GET', '/agent/tasks/own')).body;
    expect(await task()).toMatchObject({state: 'queued', planId: plan, sessionId});
    expect((await server.ask('POST', '/agent/execute', {body: {...execute, taskId: 'twice'}})).status).toBe(409);

    const one = await startWorker(scene, store);
    await requests(scene, 3);
    expect(await task()).toMatchObject({state: 'running'});
    expect(await one.end('SIGKILL')).toBe('SIGKILL');
    // The server of the database hears of its end a moment later.
    await lookUntil(
      async () => (await task()).state === 'stopped',
      async () => JSON.stringify(await task()),
    );

    const other = await startWorker(scene, store);
    await lookUntil(
      async () => (await task()).state === 'completed',
      () => `${String(scene.server.requests.length)} requests`,
      60_000,
    );
    expect(scene.server.requests.length).toBe(5);
    expect(toldPrompt(scene.server.requests[3])).toContain('You were cut off while you carried out this plan.');
    expect((await server.ask('GET', `/agent/plans/${plan}`)).body).toMatchObject({
      state: 'completed',
      steps: [{status: 'completed'}, {status: 'completed'}],
    });
    const types: string[] = [];
    for await (const {type} of agentEvents(server, 'GET', '/agent/tasks/own/events')) types.push(type);
    expect(types.join(' ')).toBe('session tool_use plan tool_result session tool_use plan tool_result text done');
    expect(await other.end('SIGTERM')).toBe(143);
    expect((await server.ask('GET', '/agent/sessions')).body.map(({id}: {id: string}) => id)).toContain(sessionId);
  },
);

test('what a worker runs is followed, answered and stopped over HTTP', {tags: 'long', timeout: 90_000}, async () => {
  const store = (await postgres?.newDatabase()) ?? '';
  await using scene = await openScene([
    call('ExitPlanMode', input),
    call('Write', {file_path: 'new.txt', content: 'x\n'}),
    hang(),
  ]);
  await using server = await WeftServer.start({
    place: scene.place,
    args: ['--store', store],
    environment: pointedAt(scene.server),
  });
  const {work} = scene.place;
  let plan = '';
  for await (const event of agentEvents(server, 'POST', '/agent/plan', {body: {prompt: 'mend it', workDir: work}}))
    plan = event.plan?.id ?? plan;
  await server.ask('POST', `/agent/plan/${plan}/approve`);
  const execute = {planId: plan, workDir: work, background: true, taskId: 'own'};
  const {sessionId} = (await server.ask('POST', '/agent/execute', {body: execute})).body;
  await startWorker(scene, store);
  const types: string[] = [];
  for await (const event of agentEvents(server, 'GET', '/agent/tasks/own/events')) {
    types.push(event.type);
    if (event.permission !== undefined) {
      const answer = {sessionId, permissionId: event.permission.id, decision: 'allow'};
      expect((await server.ask('POST', '/agent/permission', {body: {...answer, permissionId: 'x'}})).status).toBe(404);
      expect((await server.ask('POST', '/agent/permission', {body: answer})).status).toBe(200);
      expect((await server.ask('POST', '/agent/permission', {body: answer})).status).toBe(409);
    }
    if (event.type === 'tool_result') {
      expect(scene.read('new.txt')).toBe('x\n');
      const [running] = (await server.ask('GET', '/agent/sessions')).body;
      expect(running).toMatchObject({id: sessionId, running: true});
      expect((await server.ask('POST', `/agent/stop/${sessionId}`)).status).toBe(200);
      expect((await server.ask('GET', '/agent/tasks/own')).body).toMatchObject({state: 'stopped'});
    }
  }
  expect(types.join(' ')).toBe('session tool_use permission_request tool_result error done');
  expect((await server.ask('GET', `/agent/plans/${plan}`)).body).toMatchObject({state: 'stopped'});
  expect(scene.server.requests.length).toBe(3);
});

test('what waits for a worker can be stopped, and its plan is executed later', {timeout: 90_000}, async () => {
  const store = (await postgres?.newDatabase()) ?? '';
  await using scene = await openScene([call('ExitPlanMode', input), marks('completed', 'completed'), say('Done.')]);
  await using server = await WeftServer.start({
    place: scene.place,
    args: ['--store', store],
    environment: pointedAt(scene.server),
  });
  const {work} = scene.place;
  let plan = '';
  for await (const event of agentEvents(server, 'POST', '/agent/plan', {body: {prompt: 'mend it', workDir: work}}))
    plan = event.plan?.id ?? plan;
  await server.ask('POST', `/agent/plan/${plan}/approve`);
  const execute = (taskId: string) =>
    server.ask('POST', '/agent/execute', {body: {planId: plan, workDir: work, background: true, taskId}});
  const {sessionId} = (await execute('one')).body;
  expect((await server.ask('POST', `/agent/stop/${sessionId}`)).status).toBe(200);
  expect((await server.ask('GET', '/agent/tasks/one')).body).toMatchObject({state: 'stopped'});
  expect((await server.ask('GET', `/agent/plans/${plan}`)).body).toMatchObject({state: 'approved'});
  expect((await execute('two')).status).toBe(202);
  await startWorker(scene, store);
  await lookUntil(
    async () => (await server.ask('GET', '/agent/tasks/two')).body.state === 'completed',
    () => `${String(scene.server.requests.length)} requests`,
  );
  expect(scene.server.requests.length).toBe(3);
  expect((await server.ask('GET', '/agent/tasks/one')).body).toMatchObject({state: 'stopped'});
});

test('a schedule is run by a worker, once for all who look', {timeout: 90_000}, async () => {
  const store = (await postgres?.newDatabase()) ?? '';
  await using scene = await openScene([call('Write', {file_path: 'new.txt', content: 'x\n'}), hang()]);
  const environment = {WEFT_STORE: store};
  expect((await scene.run(['schedule', 'add', '* * * * * *', 'Look'], {environment})).code).toBe(0);
  await startWorker(scene, store);
  await startWorker(scene, store);
  const list = async () => JSON.parse((await scene.run(['schedule', 'list', '--json'], {environment})).stdout)[0].last;
  await lookUntil(
    async () => (await list())?.waiting?.length === 1,
    async () => JSON.stringify(await list()),
  );
  expect(await list()).toMatchObject({state: 'running', waiting: [expect.stringContaining('new.txt')]});
  const shown = await scene.run(['schedule', 'list'], {environment});
  expect(shown.stdout).toMatch(/\n {2}running at .*\n {2}waiting for an answer: .*new\.txt.*\n$/u);
  expect(scene.server.requests.length).toBe(1);
});

test(
  'a worker runs the task stack; the run is followed and stopped over HTTP, and gone on with',
  {tags: 'long', timeout: 90_000},
  async () => {
    const store = (await postgres?.newDatabase()) ?? '';
    await using scene = await openScene([hang(), say('Done.')]);
    await using server = await WeftServer.start({place: scene.place, args: ['--store', store]});
    const path = '/api/task-stack/run';
    const {body: task} = await server.ask('POST', '/api/tasks/create', {
      body: {description: {overall_description: 'work'}},
    });
    await server.ask('POST', '/api/layers/create', {body: {}});
    await server.ask('POST', '/api/layers/0/tasks', {body: {task_id: task.id}});
    expect((await server.ask('POST', path)).status).toBe(202);
    expect((await server.ask('POST', path)).status).toBe(409);
    const types: string[] = [];
    const follow = async (after?: number): Promise<void> => {
      for await (const {type} of agentEvents(server, 'GET', path, after === undefined ? {} : {after})) {
        types.push(type);
        if (type === 'run_finished') break;
      }
    };
    const first = follow();
    await startWorker(scene, store);
    await requests(scene, 1);
    expect((await server.ask('POST', path)).status).toBe(409);
    expect((await scene.run(['stack', 'run'], {environment: {WEFT_STORE: store}})).stderr).toBe(
      'weft: the task stack is already running in another weft process.\n',
    );
    expect((await server.ask('POST', `${path}/stop`)).status).toBe(200);
    await first;
    expect(types.splice(0)).toEqual(['run_started', 'task_started', 'task_finished', 'run_finished']);
    const second = follow(4);
    expect((await server.ask('POST', path)).status).toBe(202);
    await second;
    expect(types.at(-1)).toBe('run_finished');
    expect((await server.ask('GET', `/api/tasks/${task.id}`)).body).toMatchObject({status: 'COMPLETED'});
  },
);
