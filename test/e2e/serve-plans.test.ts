// @module-tag long
import {existsSync, readFileSync, realpathSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say, until, type Answer} from '../support/model-script.ts';
import {type AgentMessage, agentEvents, serve} from '../support/agent-server.ts';
import {putFile} from '../support/put-file.ts';
import type {WeftServer} from '../support/weft-server.ts';

const input = {goal: 'Prices are right', steps: ['Write it', 'Check it'], notes: 'Careful'};

const marks = (first: string, second: string): Answer =>
  call('TodoWrite', {
    todos: [
      {content: 'Write it', status: first},
      {content: 'Check it', status: second},
    ],
  });

async function all(stream: AsyncGenerator<AgentMessage>): Promise<readonly AgentMessage[]> {
  const read: AgentMessage[] = [];
  for await (const message of stream) read.push(message);
  return read;
}

const typesOf = (messages: readonly AgentMessage[]): string => messages.map(({type}) => type).join(' ');

/** Has the agent plan; the id of the plan. */
async function planned(server: WeftServer, workDir: string): Promise<string> {
  const read = await all(agentEvents(server, 'POST', '/agent/plan', {body: {prompt: 'mend it', workDir}}));
  return read.find(({type}) => type === 'plan')?.plan?.id ?? expect.fail(JSON.stringify(read));
}

test('a plan is made, changed by the user, approved, executed once, and kept with its task, files and events', async () => {
  await using scene = await serve([
    [say('I look.'), call('Write', {file_path: 'new.txt', content: 'x\n'})],
    call('ExitPlanMode', input),
    [call('Write', {file_path: 'new.txt', content: 'x\n'}, {id: 'w1'})],
    marks('completed', 'in_progress'),
    marks('completed', 'completed'),
    say('Done.'),
  ]);
  const {server, place} = scene;
  const read = await all(agentEvents(server, 'POST', '/agent/plan', {body: {prompt: 'mend it', workDir: place.work}}));
  expect(typesOf(read)).toBe('session text tool_use tool_result tool_use plan tool_result done');
  const plan = read.find(({type}) => type === 'plan')?.plan;
  const id = plan?.id ?? expect.fail();
  expect(plan).toEqual({
    id: expect.stringMatching(/^plan_[\da-f]{8}$/u),
    goal: input.goal,
    steps: input.steps.map((description, at) => ({id: String(at + 1), description, status: 'pending'})),
    notes: 'Careful',
    createdAt: expect.stringMatching(/Z$/u),
    state: 'pending',
    sessionId: read[0]?.sessionId,
    workDir: realpathSync(place.work),
  });
  const execute = {planId: id, prompt: 'mend it', workDir: place.work, taskId: 'own-1'};
  expect((await server.ask('POST', '/agent/execute', {body: execute})).status).toBe(409);
  const approved = await server.ask('POST', `/agent/plan/${id}/approve`, {body: {}});
  expect([approved.status, approved.body.state]).toEqual([200, 'approved']);
  expect((await server.ask('POST', `/agent/plan/${id}/approve`)).status).toBe(409);

  const running: AgentMessage[] = [];
  for await (const message of agentEvents(server, 'POST', '/agent/execute', {body: execute})) {
    running.push(message);
    if (message.permission === undefined) continue;
    const answer = {sessionId: running[0]?.sessionId, permissionId: message.permission.id, decision: 'allow'};
    expect((await server.ask('POST', '/agent/permission', {body: answer})).status).toBe(200);
  }
  expect(typesOf(running)).toBe(
    'session tool_use permission_request tool_result tool_use plan tool_result tool_use plan tool_result text done',
  );
  const statuses = running.flatMap(({plan: now}) => (now === undefined ? [] : [now.steps.map(({status}) => status)]));
  expect(statuses).toEqual([
    ['completed', 'in_progress'],
    ['completed', 'completed'],
  ]);
  expect(running.at(-1)).toEqual({
    type: 'done',
    cost: expect.any(Number),
    duration: expect.any(Number),
    state: 'completed',
  });
  expect((await server.ask('GET', `/agent/plans/${id}`)).body).toMatchObject({
    state: 'completed',
    steps: [{status: 'completed'}, {status: 'completed'}],
  });
  expect((await server.ask('POST', '/agent/execute', {body: {...execute, taskId: 'own-2'}})).status).toBe(409);

  expect(await server.end('SIGTERM')).toBe(143);
  const again = await scene.again();
  const task = (await again.ask('GET', '/agent/tasks/own-1')).body;
  expect(task).toMatchObject({id: 'own-1', planId: id, state: 'completed', prompt: 'mend it', workDir: place.work});
  expect((await again.ask('GET', '/agent/tasks')).body).toEqual([task]);
  expect((await again.ask('GET', '/agent/tasks/own-1/files')).body).toEqual([
    {path: 'new.txt', action: 'created', at: expect.any(String), toolUseId: 'w1'},
  ]);
  expect((await again.ask('GET', '/agent/tasks/own-1/messages')).body[0]).toMatchObject({type: 'user'});
  expect(await all(agentEvents(again, 'GET', '/agent/tasks/own-1/events'))).toEqual(running);
  expect(await all(agentEvents(again, 'GET', '/agent/tasks/own-1/events', {after: 4}))).toEqual(running.slice(4));
});

test('in the background an execution goes on without a reader; stopped it is stopped, and so is its plan', async () => {
  const gate = Promise.withResolvers<void>();
  await using scene = await serve([call('ExitPlanMode', input), [until(gate.promise), say('Late.')]]);
  const {server, place} = scene;
  const id = await planned(server, place.work);
  const steps = ['Only this', {description: 'And that'}];
  expect((await server.ask('POST', `/agent/plan/${id}/approve`, {body: {steps}})).body.steps).toEqual([
    {id: '1', description: 'Only this', status: 'pending'},
    {id: '2', description: 'And that', status: 'pending'},
  ]);
  const started = await server.ask('POST', '/agent/execute', {body: {planId: id, background: true}});
  expect([started.status, started.body]).toEqual([202, {taskId: expect.any(String), sessionId: expect.any(String)}]);
  const {taskId, sessionId} = started.body;
  expect((await server.ask('GET', `/agent/tasks/${taskId}`)).body).toMatchObject({state: 'running', endedAt: null});
  expect((await server.ask('POST', `/agent/stop/${sessionId}`)).status).toBe(200);
  expect((await server.ask('GET', `/agent/tasks/${taskId}`)).body).toMatchObject({state: 'stopped'});
  expect((await server.ask('GET', `/agent/plans/${id}`)).body).toMatchObject({state: 'stopped'});
  const told = await all(agentEvents(server, 'GET', `/agent/tasks/${taskId}/events`));
  expect(told.at(-1)).toMatchObject({type: 'done', state: 'stopped', openSteps: [{id: '1'}, {id: '2'}]});
  gate.resolve();
});

test('after kill -9 plan and task are stopped, and their events can be read', async () => {
  const gate = Promise.withResolvers<void>();
  await using scene = await serve([call('ExitPlanMode', input), [say('I begin.'), until(gate.promise), say('Late.')]]);
  const {server, place} = scene;
  const id = await planned(server, place.work);
  await server.ask('POST', `/agent/plan/${id}/approve`);
  const {taskId} = (await server.ask('POST', '/agent/execute', {body: {planId: id, background: true}})).body;
  await lookUntil(
    () => scene.model.requests.length === 2,
    () => 'no request',
  );
  expect(await server.end('SIGKILL')).toBe('SIGKILL');
  gate.resolve();
  const again = await scene.again();
  expect((await again.ask('GET', `/agent/tasks/${taskId}`)).body).toMatchObject({state: 'stopped'});
  expect((await again.ask('GET', `/agent/plans/${id}`)).body).toMatchObject({state: 'stopped'});
  expect(typesOf(await all(agentEvents(again, 'GET', `/agent/tasks/${taskId}/events`)))).toMatch(/^session/u);
  expect((await again.ask('POST', '/agent/execute', {body: {planId: id}})).status).toBe(409);
});

test('with open steps it has failed; a rejected plan is not executed; a model that only talks gives none', async () => {
  await using scene = await serve([
    call('ExitPlanMode', input),
    marks('completed', 'pending'),
    marks('completed', 'pending'),
    say('All done!'),
    say('No time for it.'),
    call('ExitPlanMode', input),
    say('No.'),
    say('No!'),
  ]);
  const {server, place} = scene;
  const first = await planned(server, place.work);
  await server.ask('POST', `/agent/plan/${first}/approve`);
  const run = await all(agentEvents(server, 'POST', '/agent/execute', {body: {planId: first, taskId: 'one'}}));
  expect(typesOf(run)).toBe('session tool_use plan tool_result tool_use tool_result text text done');
  expect(run.at(-1)).toMatchObject({
    state: 'failed',
    openSteps: [{id: '2', description: input.steps[1], status: 'pending'}],
  });
  expect((await server.ask('GET', `/agent/plans/${first}`)).body.state).toBe('failed');
  expect((await server.ask('GET', '/agent/tasks/one')).body.state).toBe('failed');
  const second = await planned(server, place.work);
  const rejected = await server.ask('POST', `/agent/plan/${second}/reject`, {body: {reason: 'too much'}});
  expect([rejected.status, rejected.body]).toMatchObject([200, {state: 'rejected', reason: 'too much'}]);
  expect((await server.ask('POST', '/agent/execute', {body: {planId: second}})).status).toBe(409);
  expect((await server.ask('POST', `/agent/plan/${second}/approve`)).status).toBe(409);
  const none = await all(agentEvents(server, 'POST', '/agent/plan', {body: {prompt: 'x', workDir: place.work}}));
  expect([typesOf(none), none.at(-2)?.message]).toEqual(['session text text error done', 'The model gave no plan.']);
});

test('requests that do not fit, and what is not there', async () => {
  await using scene = await serve([call('ExitPlanMode', input)]);
  const {server, place} = scene;
  const ask = async (path: string, body?: object): Promise<number> =>
    (await server.ask('POST', path, body === undefined ? {} : {body})).status;
  const id = await planned(server, place.work);
  expect(await ask('/agent/plan', {})).toBe(400);
  expect(await ask('/agent/plan', {prompt: 'x', workDir: 'relative'})).toBe(400);
  expect(await ask(`/agent/plan/${id}/approve`, {steps: []})).toBe(400);
  expect(await ask('/agent/plan/plan_0/approve')).toBe(404);
  expect(await ask('/agent/plan/plan_0/reject')).toBe(404);
  expect(await ask('/agent/execute', {planId: 'plan_0'})).toBe(404);
  expect(await ask('/agent/execute', {})).toBe(400);
  expect(await ask(`/agent/plan/${id}/approve`)).toBe(200);
  for (const wrong of [
    {taskId: 'a b'},
    {workDir: 'relative'},
    {workDir: join(place.work, 'missing')},
    {taskId: 'x'.repeat(101)},
  ])
    expect([wrong, await ask('/agent/execute', {planId: id, ...wrong})]).toEqual([wrong, 400]);
  expect((await server.ask('GET', `/agent/plans/${id}`)).body.state).toBe('approved');
  for (const path of [
    '/agent/plans/x',
    '/agent/tasks/x',
    ...['messages', 'files', 'events'].map(each => `/agent/tasks/x/${each}`),
  ])
    expect([path, (await server.ask('GET', path)).status]).toEqual([path, 404]);
  expect(scene.model.requests).toHaveLength(1);
});

/** Puts a skill into a folder. */
function skillIn(folder: string, name: string): string {
  putFile(join(folder, name, 'SKILL.md'), `---\nname: ${name}\ndescription: Knows ${name} words\n---\nDo.\n`);
  return folder;
}

test('an execution is offered the skills of a folder that it names; untrusted ones of the project are refused', async () => {
  await using scene = await serve([call('ExitPlanMode', input), say('No.'), call('ExitPlanMode', input), say('No.')]);
  const {server, place, model} = scene;
  const own = skillIn(join(place.home, 'own'), 'borrowed');
  const inside = skillIn(join(place.work, 'inside'), 'unread');
  const id = await planned(server, place.work);
  await server.ask('POST', `/agent/plan/${id}/approve`);
  const execute = (body: object) => server.ask('POST', '/agent/execute', {body: {planId: id, ...body}});
  for (const skillsPath of ['own', join(place.home, 'nowhere')]) {
    expect(await execute({skillsPath})).toMatchObject({
      status: 400,
      body: {error: 'Invalid request: not an existing absolute folder, in body.skillsPath'},
    });
  }
  expect((await execute({skillsPath: own})).status).toBe(200);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Knows borrowed words');
  const second = await planned(server, place.work);
  await server.ask('POST', `/agent/plan/${second}/approve`);
  expect(await execute({planId: second, skillsPath: inside})).toMatchObject({
    status: 400,
    body: {
      error:
        'Invalid request: its skills are not offered (unread: you have not trusted this project (review and trust it: weft permissions trust)), in body.skillsPath',
    },
  });
  expect((await execute({planId: second})).status).toBe(200);
});

test('a dry run answers with the changes and changes nothing; an approved plan applies exactly these', async () => {
  await using scene = await serve([
    call('ExitPlanMode', input),
    call('Write', {file_path: 'new.txt', content: 'x\n'}),
    marks('completed', 'completed'),
    say('Done.'),
  ]);
  const {server, place} = scene;
  putFile(join(place.home, 'weft', 'settings.json'), JSON.stringify({permissions: {allow: ['Write', 'Edit']}}));
  const id = await planned(server, place.work);
  const dry = await server.ask('POST', `/agent/plan/${id}/dry-run`, {});
  expect([dry.status, dry.body]).toEqual([
    200,
    {
      id,
      session: expect.any(String),
      tree: expect.any(String),
      exitCode: 0,
      changes: [{path: 'new.txt', kind: 'created'}],
      checks: [],
      leftOut: [],
    },
  ]);
  expect(existsSync(join(place.work, 'new.txt'))).toBe(false);
  expect((await server.ask('POST', `/agent/plan/${id}/apply`, {})).status).toBe(409);
  await server.ask('POST', `/agent/plan/${id}/approve`, {body: {}});
  const applied = await server.ask('POST', `/agent/plan/${id}/apply`, {});
  expect([applied.status, applied.body, readFileSync(join(place.work, 'new.txt'), 'utf8')]).toMatchObject([
    200,
    {id, applied: [{path: 'new.txt', kind: 'created'}]},
    'x\n',
  ]);
  expect((await server.ask('POST', `/agent/plan/${id}/apply`, {})).status).toBe(409);
  expect((await server.ask('POST', `/agent/plan/${id}/dry-run`, {})).status).toBe(409);
});
