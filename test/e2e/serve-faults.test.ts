// @module-tag long
import {once} from 'node:events';
import {existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import {agentEvents, serve, type AgentServer} from '../support/agent-server.ts';
import {lookUntil} from '../support/look-until.ts';
import {call, say} from '../support/model-script.ts';
import {postgresMissing, startPostgres} from '../support/postgres-server.ts';
import {startWeft} from '../support/run-weft.ts';

const secret = `ghp_${'aB3dE5gH7j'.repeat(4).slice(0, 36)}`;

/** From now on the database refuses new rows in a table, as a broken disk does. */
function refuse({place}: AgentServer, table: string): void {
  const database = new DatabaseSync(join(place.home, 'weft', 'weft.db'));
  database.exec(
    `CREATE TRIGGER refused BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'broken disk ${secret}'); END`,
  );
  database.close();
}

const pathOf = ({place}: AgentServer): string => join(place.home, 'weft', 'logs', 'weft.log');
const logOf = (scene: AgentServer): string => readFileSync(pathOf(scene), 'utf8');

const isUp = async ({server}: AgentServer): Promise<number> => (await server.ask('GET', '/health')).status;

test('a failing route answers 500, the log says why without secrets, and the server goes on', async () => {
  await using scene = await serve([]);
  refuse(scene, 'stack_log');
  const body = {description: {overall_description: 'x'}};
  const failed = await scene.server.ask('POST', '/api/tasks/create', {body});
  const error = 'The server failed. See its stderr, or logs/weft.log in its data folder.';
  expect([failed.status, failed.body]).toEqual([500, {error}]);
  expect(logOf(scene)).toMatch(/^\S+Z \d+ POST \/api\/tasks\/create failed: .*broken disk \[\[secret:/u);
  expect(logOf(scene) + scene.server.stderr).not.toContain(secret);
  expect(statSync(pathOf(scene)).mode & 0o777).toBe(0o600);
  expect(await isUp(scene)).toBe(200);
});

/** Fails in the background, in both ways, when the process gets SIGUSR2. */
const failing = `data:text/javascript,${encodeURIComponent(
  "process.on('SIGUSR2', () => { void Promise.reject(new Error('nobody waits')); setImmediate(() => { throw new Error('nobody catches'); }); })",
)}`;
const unwaited = /background work failed: nobody waits\n[^]*background work failed: nobody catches\n/u;

const environment = {NODE_OPTIONS: `--import=${failing}`};

async function isLogged(scene: AgentServer): Promise<void> {
  const log = (): string => (existsSync(pathOf(scene)) ? logOf(scene) : '');
  await lookUntil(() => unwaited.test(log()), log);
}

test('work in the background that fails does not end the server', {tags: 'smoke'}, async () => {
  await using scene = await serve([], environment);
  process.kill(scene.server.pid, 'SIGUSR2');
  await isLogged(scene);
  expect(await isUp(scene)).toBe(200);
});

test('nor a worker', async ({skip}) => {
  skip(postgresMissing !== '', postgresMissing);
  await using scene = await serve([]);
  await using postgres = await startPostgres();
  const args = ['worker', '--store', await postgres.newDatabase()];
  const worker = startWeft(args, {place: scene.place, environment, stdin: 'open'});
  await once(worker.stdout, 'data');
  worker.kill('SIGUSR2');
  await isLogged(scene);
  const gone = once(worker, 'exit');
  worker.kill('SIGTERM');
  expect(await gone).toEqual([143, null]);
});

test('a log that is full begins anew, and is kept once', async () => {
  await using scene = await serve([]);
  refuse(scene, 'stack_log');
  mkdirSync(dirname(pathOf(scene)));
  writeFileSync(pathOf(scene), 'x'.repeat(5_300_000), {mode: 0o644});
  await scene.server.ask('POST', '/api/tasks/create', {body: {description: {overall_description: 'x'}}});
  expect([logOf(scene).length < 1000, statSync(`${pathOf(scene)}.1`).size]).toEqual([true, 5_300_000]);
});

test('a run whose events cannot be kept ends as failed', async () => {
  await using scene = await serve([
    call('ExitPlanMode', {goal: 'It is there', steps: ['Make it'], notes: ''}),
    call('Bash', {command: 'echo hi'}),
    say('Done.'),
  ]);
  const {server, place} = scene;
  let id = '';
  const body = {prompt: 'Plan it', workDir: place.work};
  for await (const event of agentEvents(server, 'POST', '/agent/plan', {body})) id = event.plan?.id ?? id;
  await server.ask('POST', `/agent/plan/${id}/approve`);
  refuse(scene, 'agent_task_events');
  const execute = {planId: id, workDir: place.work, background: true, taskId: 'own'};
  expect((await server.ask('POST', '/agent/execute', {body: execute})).status).toBe(202);
  const task = async () => (await server.ask('GET', '/agent/tasks/own')).body;
  await lookUntil(
    async () => (await task()).state === 'failed',
    async () => JSON.stringify(await task()),
  );
  expect(logOf(scene)).toContain('broken disk');
  expect(await isUp(scene)).toBe(200);
});

test.each([
  ['with a NUL', (work: string) => `${work}/a\0b`],
  ['of 5,000 characters', () => `/${'x'.repeat(5000)}`],
  ['of 2,500 folders', () => '/x'.repeat(2500)],
  ['in a loop of links', (work: string) => `${work}/loop/a`],
])('a path %s answers 400', async (_name, pathIn) => {
  await using scene = await serve([call('ExitPlanMode', {goal: 'It is there', steps: ['Make it'], notes: ''})]);
  const {server, place} = scene;
  symlinkSync('loop', join(place.work, 'loop'));
  const path = pathIn(place.work);
  let planId = '';
  const plan = {prompt: 'Plan it', workDir: place.work};
  for await (const {plan: made} of agentEvents(server, 'POST', '/agent/plan', {body: plan}))
    planId = made?.id ?? planId;
  await server.ask('POST', `/agent/plan/${planId}/approve`);
  const bodies: readonly (readonly [string, object])[] = [
    ['/agent', {prompt: 'x', workDir: path}],
    ['/agent/plan', {prompt: 'x', workDir: path}],
    ['/agent/execute', {planId, workDir: path}],
    ['/agent/execute', {planId, workDir: place.work, skillsPath: path}],
    ['/sandbox/exec', {command: 'true', cwd: path}],
    ['/sandbox/run/file', {path: `${path}.sh`}],
  ];
  const posted = await Promise.all(bodies.map(([route, body]) => server.ask('POST', route, {body})));
  const query = `?workDir=${encodeURIComponent(path)}`;
  const got = await Promise.all(['/mcp/servers', '/skills'].map(route => server.ask('GET', route + query)));
  expect([...posted, ...got].map(({status}) => status)).toEqual(Array.from({length: 8}, () => 400));
  expect((await server.ask('GET', `/agent/plans/${planId}`)).body.state).toBe('approved');
});
