// @module-tag long
import {once} from 'node:events';
import {request, type IncomingMessage} from 'node:http';
import {expect, test} from 'vitest';
import {say, until} from '../support/model-script.ts';
import {startModelServer} from '../support/model-server.ts';
import {runWeft, TempPlace} from '../support/run-weft.ts';
import {pointedAt} from '../support/scene.ts';
import {WeftServer} from '../support/weft-server.ts';

const path = '/api/task-stack/run';

/** Follows the runs; the answer has begun when this settles. */
async function follow({url, token}: WeftServer, lastEventId = 0): Promise<IncomingMessage> {
  const outgoing = request({
    host: url.hostname,
    port: url.port,
    path,
    agent: false,
    headers: {authorization: `Bearer ${token}`, ...(lastEventId === 0 ? {} : {'last-event-id': String(lastEventId)})},
  });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream']);
  return response;
}

/** The events up to the end of the run, with the number of the first. */
async function untilEnd(response: IncomingMessage): Promise<readonly object[]> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk);
    if (/"type":"run_finished".*\n\n/u.test(text)) break;
  }
  return text
    .split('\n\n')
    .filter(frame => frame.startsWith('id: '))
    .map(frame => JSON.parse(frame.split('\n')[1]?.slice('data: '.length) ?? ''));
}

test('the task stack is run, followed, stopped and gone on with over HTTP; one run at a time, whoever runs it', async () => {
  using place = new TempPlace();
  await using model = await startModelServer((_, number) =>
    number === 1 ? [say('I begin.'), until(new Promise(() => {}))] : say('Done.'),
  );
  await using server = await WeftServer.start({place, environment: pointedAt(model)});
  const {body: task} = await server.ask('POST', '/api/tasks/create', {
    body: {description: {overall_description: 'work'}},
  });
  await server.ask('POST', '/api/layers/create', {body: {}});
  await server.ask('POST', '/api/layers/0/tasks', {body: {task_id: task.id}});

  expect(await server.ask('POST', `${path}/stop`)).toMatchObject({status: 200, body: {state: 'stopped'}});
  const idle = await follow(server);
  expect(await server.ask('POST', path)).toMatchObject({status: 202, body: {state: 'running'}});
  await model.received(1);
  expect(await server.ask('POST', path, {body: {}})).toMatchObject({
    status: 409,
    body: {error: 'The task stack is already running.'},
  });
  expect(await runWeft(['stack', 'run'], {place, environment: pointedAt(model)})).toMatchObject({
    code: 1,
    stderr: 'weft: the task stack is already running in another weft process.\n',
  });
  // Who comes later gets the run from its beginning.
  const late = await follow(server);
  expect(await server.ask('POST', `${path}/stop`)).toMatchObject({status: 200, body: {state: 'stopped'}});
  const session_id = expect.stringMatching(/^[0-9a-f-]{36}$/u);
  const started = {type: 'task_started', task_id: task.id, session_id, description: 'work'};
  const first = [
    {type: 'run_started'},
    {...started, resumed: false},
    {type: 'task_finished', task_id: task.id, status: 'IN_PROGRESS', reason: ''},
    {type: 'run_finished', outcome: 'stopped', reason: ''},
  ];
  expect(await untilEnd(idle)).toEqual(first);
  expect(await untilEnd(late)).toEqual(first);

  expect((await server.ask('POST', path, {body: {once: true, keep_going: true}})).status).toBe(202);
  expect(await untilEnd(await follow(server, 4))).toEqual([
    {type: 'run_started'},
    {...started, resumed: true},
    {type: 'text', task_id: task.id, content: 'Done.'},
    {type: 'task_finished', task_id: task.id, status: 'COMPLETED', reason: ''},
    {type: 'run_finished', outcome: 'done', reason: ''},
  ]);
  expect((await server.ask('GET', `/api/tasks/${task.id}`)).body).toMatchObject({
    status: 'COMPLETED',
    results: {answer: 'Done.'},
  });
  expect((await server.ask('POST', path, {body: {once: 1}})).status).toBe(400);
});

test('where no model can be asked the stack does not run, and the answer says why', {tags: 'smoke'}, async () => {
  await using server = await WeftServer.start();
  const {status, body} = await server.ask('POST', path);
  expect([status, body]).toEqual([409, {error: expect.stringContaining("Can't run the task stack: ")}]);
  expect((await server.ask('POST', path)).status).toBe(409);
});
