// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {type Answer, call, fail, say, until} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {openScene, type Scene, toldSystem} from '../support/scene.ts';
import {ask, type Conversation, readAll, resultIn} from './support/agent-sdk.ts';
import {kindsOf} from './support/messages.ts';
import {answerTo, isType, prompt, request as controlRequest, startRpc} from './support/rpc-client.ts';

const isOfAgent = ({body}: ReceivedRequest): boolean => JSON.stringify(body.messages[0]).includes('READ-IT');

/** A model that has the agent `reader` read a file, and that agent itself. */
const reading = (kind: string, inner = call('Read', {file_path: 'a.txt'}, {id: 'inner'})): Promise<Scene> =>
  openScene(request => {
    const answered = request.body.messages.filter(({role}) => role === 'assistant').length;
    const script = isOfAgent(request)
      ? [[say('I look.'), inner], say('It says tea.')]
      : [call('Task', {description: 'read it', prompt: 'READ-IT', subagent_type: kind}, {id: 'outer'}), say('Tea.')];
    return script[answered] ?? fail(400);
  });

/** What belongs to the sub-agent: the kinds of blocks of each message. */
const ofAgent = ({messages}: Conversation): readonly unknown[] =>
  messages.flatMap(message => {
    if ((message.type !== 'assistant' && message.type !== 'user') || message.parent_tool_use_id !== 'outer') return [];
    const {content} = message.message;
    return Array.isArray(content) ? [[message.type, ...content.map(({type}) => type)]] : [];
  });

test("the client's own agents: their messages carry the call that started them, and tasks tell of them", async () => {
  await using scene = await reading('reader');
  writeFileSync(join(scene.place.work, 'a.txt'), 'tea\n');
  const run = await readAll(
    ask(scene, 'MAIN', {agents: {reader: {description: 'Reads', prompt: 'You only read.', tools: ['Read']}}}),
  );
  expect(resultIn(run)).toMatchObject({subtype: 'success', result: 'Tea.', num_turns: 2});
  expect(toldSystem(scene.server.requests.find(isOfAgent))).toMatch(/^You only read\./u);
  expect(ofAgent(run)).toEqual([
    ['assistant', 'tool_use'],
    ['user', 'tool_result'],
  ]);
  const init = run.messages.find(message => message.type === 'system' && message.subtype === 'init');
  expect(init).toMatchObject({agents: ['general', 'explore', 'plan', 'review', 'reader']});
  const tasks = run.messages.flatMap(message =>
    message.type === 'system' && message.subtype.startsWith('task_') ? [message] : [],
  );
  const usage = {tool_uses: 1, total_tokens: expect.any(Number), duration_ms: expect.any(Number)};
  expect(tasks).toMatchObject([
    {subtype: 'task_started', tool_use_id: 'outer', description: 'read it', subagent_type: 'reader', prompt: 'READ-IT'},
    {subtype: 'task_progress', tool_use_id: 'outer', usage: {tool_uses: 1}},
    {subtype: 'task_updated', patch: {status: 'completed'}},
    {subtype: 'task_notification', tool_use_id: 'outer', status: 'completed', summary: 'It says tea.', usage},
  ]);
  expect(new Set(tasks.map(task => ('task_id' in task ? task.task_id : ''))).size).toBe(1);
});

test('a call of a sub-agent that has no such tool counts, too', async () => {
  await using scene = await reading('reader', call('Bash', {command: 'ls'}));
  const agents = {reader: {description: 'Reads', prompt: 'You only read.', tools: ['Read']}};
  const {messages} = await readAll(ask(scene, 'MAIN', {agents}));
  expect(messages.find(message => 'subtype' in message && message.subtype === 'task_notification')).toMatchObject({
    usage: {tool_uses: 1},
  });
});

test('texts of sub-agents are told where the client asks for them', {tags: 'smoke'}, async () => {
  await using scene = await reading('explore');
  writeFileSync(join(scene.place.work, 'a.txt'), 'tea\n');
  const run = await readAll(ask(scene, 'MAIN', {extraArgs: {'forward-subagent-text': null}}));
  expect(ofAgent(run)).toEqual([
    ['assistant', 'text'],
    ['assistant', 'tool_use'],
    ['user', 'tool_result'],
    ['assistant', 'text'],
  ]);
});

test('canUseTool is asked about what a sub-agent does, with its input and who asks', async () => {
  await using scene = await openScene(request => {
    const answered = request.body.messages.filter(({role}) => role === 'assistant').length;
    const write = call('Write', {file_path: 'b.txt', content: 'made'}, {id: 'inner'});
    const script = isOfAgent(request)
      ? [write, say('Written.')]
      : [call('Agent', {description: 'write it', prompt: 'READ-IT'}), say('Done.')];
    return script[answered] ?? fail(400);
  });
  const asked: unknown[] = [];
  const run = await readAll(
    ask(scene, 'MAIN', {
      canUseTool: async (name, input, {toolUseID, agentID}) => {
        asked.push([name, input, toolUseID, typeof agentID]);
        return {behavior: 'allow', updatedInput: input};
      },
    }),
  );
  expect(asked).toEqual([['Write', {file_path: 'b.txt', content: 'made'}, 'inner', 'string']]);
  expect(resultIn(run)).toMatchObject({subtype: 'success', result: 'Done.'});
  expect(scene.read('b.txt')).toBe('made');
});

/** A model whose sub-agent works in the background until the gate opens; then the agent does what `heard` says. */
async function slowAgent(...heard: readonly Answer[]) {
  const gate = Promise.withResolvers<void>();
  const left = {description: 'slow', prompt: 'READ-IT', run_in_background: true};
  const scene = await openScene(request => {
    if (isOfAgent(request)) return [until(gate.promise), say('It says tea.')];
    const answered = request.body.messages.filter(({role}) => role === 'assistant').length;
    return [call('Agent', left, {id: 'outer'}), say('I go on.'), ...heard][answered] ?? fail(400);
  });
  return {...scene, open: () => gate.resolve()};
}

/** Without the messages that stand for the time that passes. */
const toldKinds = (stdout: string): readonly string[] => kindsOf(stdout).filter(kind => kind !== 'keep_alive');

test('the end of one in the background is told at once, and has a turn and a result of its own while input stays open', async () => {
  const write = call('Write', {file_path: 'b.txt', content: 'tea'}, {id: 'written'});
  await using scene = await slowAgent(write, say('Tea, then.'), say('You are welcome.'));
  const client = startRpc(scene, ['--permission-prompt-tool', 'stdio']);
  client.send(prompt('MAIN'));
  expect(await client.next(isType('result'))).toMatchObject({result: 'I go on.'});
  scene.open();
  const ended = await client.next(({subtype}) => subtype === 'task_notification');
  expect(ended).toMatchObject({tool_use_id: 'outer', status: 'completed', summary: 'It says tea.'});
  const asked = await client.next(isType('control_request'));
  expect(asked['request']).toMatchObject({subtype: 'can_use_tool', tool_use_id: 'written'});
  client.send(answerTo(asked['request_id'], {behavior: 'allow'}));
  const heard = await client.next(isType('result'));
  expect(heard).toMatchObject({subtype: 'success', result: 'Tea, then.', origin: {kind: 'task-notification'}});
  expect(scene.read('b.txt')).toBe('tea');
  client.send(prompt('Thanks.'));
  const thanked = await client.next(isType('result'));
  expect([thanked['result'], thanked['origin']]).toEqual(['You are welcome.', undefined]);
  const {code, stdout} = await client.finish();
  const turns = [
    'system/init assistant:tool_use system/background_tasks_changed system/task_started user:tool_result assistant:text result/success',
    'system/task_updated system/task_notification system/background_tasks_changed',
    'system/init assistant:tool_use control_request/undefined user:tool_result assistant:text result/success',
    'system/init assistant:text result/success',
  ];
  expect([code, toldKinds(stdout)]).toEqual([0, turns.flatMap(turn => turn.split(' '))]);
});

test('after the end of the input weft stays until the last one has ended and its turn is over, unless it is told to stop', async () => {
  await using scene = await slowAgent(say('Tea, then.'));
  const client = startRpc(scene);
  client.send(prompt('MAIN'));
  await client.next(isType('result'));
  client.child.stdin.end();
  scene.open();
  const {code, stdout} = await client.ended;
  expect([code, toldKinds(stdout).slice(-5)]).toEqual([
    0,
    ['system/task_notification', 'system/background_tasks_changed', 'system/init', 'assistant:text', 'result/success'],
  ]);
  await using other = await slowAgent();
  const stopped = startRpc(other);
  stopped.send(prompt('MAIN'));
  await stopped.next(isType('result'));
  stopped.child.stdin.end();
  stopped.child.kill('SIGTERM');
  expect((await stopped.ended).code).toBe(143);
});

const start = (command: string, id: string): Answer => call('Bash', {command, run_in_background: true}, {id});

test('weft waits for a background command after a string prompt, and the model hears of its end', async () => {
  const input = {command: 'sleep 4; touch made', description: 'make it', run_in_background: true};
  await using scene = await openScene([call('Bash', input, {id: 'makes'}), say('Started.'), say('Noted.')]);
  const bypass = {permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true} as const;
  const {messages} = await readAll(ask(scene, 'MAIN', bypass));
  expect(messages.flatMap(message => (message.type === 'result' ? [message] : []))).toMatchObject([
    {subtype: 'success', result: 'Started.'},
    {subtype: 'success', result: 'Noted.', origin: {kind: 'task-notification'}},
  ]);
  const told = messages.filter(message => message.type === 'system' && message.subtype !== 'init');
  expect(told).toMatchObject([
    {subtype: 'background_tasks_changed', tasks: [{description: 'make it'}]},
    {subtype: 'task_started', description: 'make it', tool_use_id: 'makes'},
    {subtype: 'task_updated', patch: {status: 'completed'}},
    {subtype: 'task_notification', status: 'completed', tool_use_id: 'makes'},
    {subtype: 'background_tasks_changed', tasks: []},
  ]);
  expect(scene.read('made')).toBe('');
  expect(JSON.stringify(scene.server.requests.at(-1)?.body.messages.at(-1))).toContain(
    'has ended (exit code 0): sleep 4',
  );
});

test('a client moves a running command to the background', async () => {
  await using scene = await openScene([
    call('Bash', {command: 'echo up; until test -e go; do sleep 0.05; done'}, {id: 'waits'}),
    say('Moved.'),
    say('Noted.'),
  ]);
  const running = ask(scene, 'MAIN', {
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    extraArgs: {'include-tool-progress': null},
  });
  const moved: boolean[] = [];
  const results: unknown[] = [];
  for await (const message of running) {
    if (message.type === 'tool_progress' && moved.length === 0)
      moved.push(await running.backgroundTasks('nothing'), await running.backgroundTasks('waits'));
    if (message.type !== 'result') continue;
    if (results.length === 0) writeFileSync(join(scene.place.work, 'go'), '');
    results.push(message.subtype === 'success' ? message.result : message.subtype);
  }
  expect([moved, results]).toEqual([
    [false, true],
    ['Moved.', 'Noted.'],
  ]);
});

test('weft does not wait for a background server after a string prompt', async () => {
  const server = `${process.execPath} -e 'require("net").createServer().listen(0, "127.0.0.1", () => console.log("up"))'`;
  await using scene = await openScene([call('Bash', {command: server, run_in_background: true}), say('Started.')]);
  const bypass = {permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true} as const;
  const run = await readAll(ask(scene, 'MAIN', bypass));
  expect(resultIn(run)).toMatchObject({subtype: 'success', result: 'Started.'});
});

test('a background command is a task, from its start to its end, and stop_task stops it', async () => {
  await using scene = await openScene(request => {
    const answered = request.body.messages.filter(({role}) => role === 'assistant').length;
    const script = [
      start('until test -e go; do sleep 0.05; done; exit 3', 'waits'),
      start('sleep 1000', 'sleeps'),
      say('Both run.'),
      say('Heard.'),
    ];
    return script[answered] ?? fail(400);
  });
  const client = startRpc(scene, ['--dangerously-skip-permissions']);
  client.send(prompt('MAIN'));
  await client.next(isType('result'));
  const started = await Promise.all(
    ['waits', 'sleeps'].map(id =>
      client.next(message => message['subtype'] === 'task_started' && message['tool_use_id'] === id),
    ),
  );
  const [waits = '', sleeps = ''] = started.map(message => String(message['task_id']));
  expect(started).toMatchObject([
    {task_type: 'local_bash', description: 'until test -e go; do sleep 0.05; done; exit 3', is_backgrounded: true},
    {task_type: 'local_bash', description: 'sleep 1000', is_backgrounded: true},
  ]);
  writeFileSync(join(scene.place.work, 'go'), '');
  const ofTask = (id: string, subtype: string): Promise<unknown> =>
    client.next(message => message['subtype'] === subtype && message['task_id'] === id);
  expect(await ofTask(waits, 'task_updated')).toMatchObject({
    patch: {status: 'failed', error: 'Exit code 3', end_time: expect.any(Number)},
  });
  expect(await ofTask(waits, 'task_notification')).toMatchObject({
    tool_use_id: 'waits',
    status: 'failed',
    summary: 'Exit code 3',
  });
  client.send(controlRequest('r1', {subtype: 'stop_task', task_id: sleeps}));
  client.send(controlRequest('r2', {subtype: 'stop_task', task_id: waits}));
  expect(await ofTask(sleeps, 'task_updated')).toMatchObject({patch: {status: 'killed'}});
  expect(await ofTask(sleeps, 'task_notification')).toMatchObject({tool_use_id: 'sleeps', status: 'stopped'});
  const {code, stdout} = await client.finish();
  const messages = stdout
    .trimEnd()
    .split('\n')
    .map(line => Object(JSON.parse(line)));
  const sets = messages.filter(({subtype}) => subtype === 'background_tasks_changed');
  expect(sets.map(({tasks}) => tasks.map((task: {task_id: string}) => task.task_id))).toEqual([
    [waits],
    [waits, sleeps],
    [sleeps],
    [],
  ]);
  const answers = messages.filter(({type}) => type === 'control_response').map(({response}) => response);
  expect(answers).toMatchObject([
    {subtype: 'success', request_id: 'r1'},
    {subtype: 'error', request_id: 'r2', error: `No running task has the id "${waits}".`},
  ]);
  expect(code).toBe(0);
});
