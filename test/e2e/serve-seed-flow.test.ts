// @module-tag long
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {type AgentServer, agentEvents, serve} from '../support/agent-server.ts';
import {call, fail, say} from '../support/model-script.ts';
import {runWeft} from '../support/run-weft.ts';
import {pointedAt} from '../support/scene.ts';
import {seedText} from '../support/seeds.ts';
import {WeftServer} from '../support/weft-server.ts';

interface Message {
  readonly [field: string]: unknown;
  readonly type: string;
  readonly sessionId?: string;
  readonly plan?: {readonly id: string};
  readonly permission?: {readonly id: string};
}

/** A request of a client that knows nothing but an address. */
const send = (server: WeftServer, path: string, body?: object): Promise<Response> =>
  fetch(`${server.url.href}${path}`, {
    ...(body === undefined ? {} : {method: 'POST', body: JSON.stringify(body)}),
    headers: {'Content-Type': 'application/json'},
  });

const got = async (server: WeftServer, path: string): Promise<unknown> => (await send(server, path)).json();

/** Sends a prompt, allows what is asked, and returns the messages. */
async function streamed(server: WeftServer, path: string, body: object): Promise<readonly Message[]> {
  const response = await send(server, path, body);
  expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, 'text/event-stream']);
  const found: Message[] = [];
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter(each => each.startsWith('data: '))) {
      const message: Message = JSON.parse(line.slice('data: '.length));
      found.push(message);
      if (message.permission === undefined) continue;
      const answer = {sessionId: found[0]?.sessionId, permissionId: message.permission.id, decision: 'allow'};
      expect((await send(server, '/agent/permission', answer)).status).toBe(200);
    }
  }
  return found;
}

const typesOf = (messages: readonly Message[]): string => messages.map(({type}) => type).join(' ');

const makesPlan = call('ExitPlanMode', {goal: 'The file is there', steps: ['Write it'], notes: ''});
const marks = call('TodoWrite', {
  todos: [{id: '1', content: 'Write it', status: 'completed', activeForm: 'Writing it'}],
});

const start = (scene: AgentServer, ...args: readonly string[]): Promise<WeftServer> =>
  WeftServer.start({place: scene.place, args, environment: pointedAt(scene.model)});

/** The fields of each message that the seed shows. */
const shown = [...seedText('plan-execute-flow').matchAll(/^.*Data: \{(?<inner>.*)\}/gmu)].map(({groups}) => {
  const [type = '', ...fields] = [
    ...(groups?.['inner'] ?? '').replaceAll(/\{[^}]*\}/gu, '').matchAll(/(\w+): *('\w+')?/gu),
  ];
  return {type: type[2]?.slice(1, -1), fields: fields.map(([, name = '']) => name)};
});

/** The fields of the seed's AgentMessage that it gives to one type of message. */
const described = [
  ...(seedText('plan-execute-flow').split('Agent Message (SSE)')[1]?.split('Task Plan')[0] ?? '').matchAll(
    /^ {2}(?<field>\w+)\??: (?<as>\w+|\{\.\.\.\}),? *\/\/ (?<of>\w+):/gmu,
  ),
].map(({groups: {field = '', as = '', of = ''} = {}}) => ({field, of, as: /^[a-z]+$/u.test(as) ? as : 'object'}));

test('a client of the seed plans and executes without a token and without approving', {tags: 'smoke'}, async () => {
  await using scene = await serve([
    makesPlan,
    [say('I write.'), call('Write', {file_path: 'a.txt', content: 'a'}, {id: 'w1'})],
    marks,
    say('Done.'),
    fail(400),
  ]);
  await using server = await start(scene, '--seed-clients');
  expect(server.url.pathname).toMatch(/^\/[\w-]{43}$/u);
  const modelConfig = {apiKey: 'a-key', baseUrl: scene.model.baseUrl.anthropic, model: 'claude-opus-4-8'};
  const planned = await streamed(server, '/agent/plan', {prompt: 'Write a file', modelConfig});
  expect(typesOf(planned)).toBe('session tool_use plan tool_result done');
  const workDir = join(scene.place.home, 'Library', 'workany', 'sessions', 'a 1');
  const skillsPath = join(scene.place.home, 'skills');
  mkdirSync(skillsPath);
  const execute = {
    planId: planned.find(({plan}) => plan !== undefined)?.plan?.id,
    prompt: 'Write a file',
    workDir,
    taskId: 'task-1',
    sandboxConfig: {enabled: false, provider: 'native'},
    skillsPath,
  };
  const running = await streamed(server, '/agent/execute', execute);
  expect(typesOf(running)).toBe(
    'session text tool_use permission_request tool_result tool_use plan tool_result text done',
  );
  expect(readFileSync(join(workDir, 'a.txt'), 'utf8')).toBe('a');
  expect(shown).toHaveLength(8);
  for (const {type, fields} of shown) {
    const messages = [...planned, ...running].filter(message => message.type === type);
    expect([type, messages.length > 0]).toEqual([type, true]);
    for (const message of messages) expect(Object.keys(message)).toEqual(expect.arrayContaining(fields));
  }
  const failing = await streamed(server, '/agent', {prompt: 'x', workDir});
  expect(typesOf(failing)).toBe('session error done');
  expect(described).toHaveLength(10);
  for (const {field, of, as} of described) {
    const messages = [...planned, ...running, ...failing].filter(message => message.type === of);
    expect([of, messages.length > 0]).toEqual([of, true]);
    expect(messages.map(message => typeof message[field])).toEqual(messages.map(() => as));
  }
  const plan = planned.find(message => message.plan !== undefined)?.plan;
  expect(plan).toMatchObject({
    id: expect.any(String),
    goal: 'The file is there',
    steps: [{id: expect.any(String), description: 'Write it', status: 'pending'}],
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u),
  });
  expect(await got(server, '/agent/tasks/task-1/files')).toMatchObject([
    {path: 'a.txt', action: 'created', toolUseId: 'w1'},
  ]);
});

test('a prompt with a picture runs directly, with a task and files, and goes on with its conversation', async () => {
  const pictures = {
    'image/png': 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'image/gif': 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  };
  await using scene = await serve([
    call('Write', {file_path: 'b.txt', content: 'b'}, {id: 'w1'}),
    say('Done.'),
    say('Because.'),
  ]);
  await using server = await start(scene, '--seed-clients');
  const attachments = Object.values(pictures).map(data => ({type: 'image', data}));
  const workDir = scene.place.work;
  const first = await streamed(server, '/agent/', {prompt: 'Look', attachments, workDir, taskId: 'own'});
  expect(typesOf(first)).toBe('session tool_use permission_request tool_result text done');
  const sent = JSON.stringify(scene.model.requests[0]?.body.messages);
  for (const [type, data] of Object.entries(pictures)) {
    expect(sent).toContain(`"media_type":"${type}"`);
    expect(sent).toContain(data);
  }
  const conversation = [
    {role: 'user', content: 'Look'},
    {role: 'assistant', content: 'Done.'},
  ];
  const second = await streamed(server, '/agent/', {prompt: 'Why?', conversation, workDir, images: []});
  expect(typesOf(second)).toBe('session text done');
  expect(scene.model.requests.at(-1)?.body.messages.map(({role, content}) => [role, JSON.stringify(content)])).toEqual([
    ['user', expect.stringContaining('"text":"Look"')],
    ['assistant', expect.stringContaining('"text":"Done."')],
    ['user', expect.stringContaining('"text":"Why?"')],
  ]);
  const tasks = await got(server, '/agent/tasks');
  expect(tasks).toMatchObject([
    {planId: null, prompt: 'Why?', state: 'completed', sessionId: second[0]?.sessionId, workDir},
    {id: 'own', planId: null, prompt: 'Look', state: 'completed', sessionId: first[0]?.sessionId, workDir},
  ]);
  expect(await got(server, '/agent/tasks/own/files')).toMatchObject([
    {path: 'b.txt', action: 'created', toolUseId: 'w1'},
  ]);
  await server.end('SIGTERM');
  await using again = await scene.again();
  const kept: unknown[] = [];
  for await (const message of agentEvents(again, 'GET', '/agent/tasks/own/events')) kept.push(message);
  expect(kept).toEqual(first);
});

/** The text of the deltas, and whether there is also a whole text. */
const deltasOf = (messages: readonly Message[]): unknown => [
  messages.flatMap(({type, content}) => (type === 'text_delta' ? [content] : [])).join(''),
  messages.some(({type}) => type === 'text'),
];

test('with deltas text comes as it arrives, for every kind of prompt', async () => {
  await using scene = await serve([
    say('one two three'),
    [say('I look.'), makesPlan],
    [say('I write.'), marks],
    say('All done.'),
  ]);
  const {server} = scene;
  const told = async (path: string, body: object): Promise<readonly Message[]> => {
    const found: Message[] = [];
    for await (const message of agentEvents(server, 'POST', path, {body})) found.push({...message});
    return found;
  };
  const {work: workDir} = scene.place;
  expect(deltasOf(await told('/agent?deltas=1', {prompt: 'Count', workDir}))).toEqual(['one two three', false]);
  const planned = await told('/agent/plan?deltas=true', {prompt: 'Plan', workDir});
  expect(deltasOf(planned)).toEqual(['I look.', false]);
  const planId = planned.find(({plan}) => plan !== undefined)?.plan?.id ?? '';
  await server.ask('POST', `/agent/plan/${planId}/approve`);
  const running = await told('/agent/execute?deltas=1', {planId, prompt: 'Plan', workDir});
  expect(deltasOf(running)).toEqual(['I write.All done.', false]);
  expect(running.at(-1)).toMatchObject({type: 'done', state: 'completed'});
});

test('unknown fields are refused by name; folders and approvals only where the server was told', async () => {
  await using scene = await serve([makesPlan, say('No.')]);
  const {server, place} = scene;
  const status = async (path: string, body: object, on = server) => (await on.ask('POST', path, {body})).status;
  const misspelt = await server.ask('POST', '/agent', {body: {prompt: 'x', attachement: []}});
  expect([misspelt.status, misspelt.body.error]).toEqual([400, expect.stringContaining('attachement')]);
  for (const [path, body] of [
    ['/agent/plan', {prompt: 'x', steps: 1}],
    ['/agent/plan/x/approve', {step: []}],
    ['/agent/plan/x/reject', {why: ''}],
    ['/agent/execute', {planId: 'x', task: 'y'}],
    ['/agent', {prompt: 'x', modelConfig: {key: 'x'}}],
    ['/agent', {prompt: 'x', images: [{type: 'image', data: Buffer.from('no picture').toString('base64')}]}],
  ] as const)
    expect([path, body, await status(path, body)]).toEqual([path, body, 400]);
  const root = join(place.home, 'made');
  await using strict = await start(scene, '--work-root', root, '--approve-on-execute');
  expect(await status('/agent', {prompt: 'x', workDir: join(place.home, 'made-not', 'a')}, strict)).toBe(400);
  expect(await status('/agent', {prompt: 'x', workDir: join(root, '..', 'b')}, strict)).toBe(400);
  const planned: Message[] = [];
  const body = {prompt: 'Plan', workDir: join(root, 'deep', 'er')};
  for await (const message of agentEvents(strict, 'POST', '/agent/plan', {body})) planned.push({...message});
  const planId = planned.find(({plan}) => plan !== undefined)?.plan?.id;
  expect(await status('/agent/execute', {planId, approve: true})).toBe(409);
  expect(await status('/agent/execute', {planId}, strict)).toBe(409);
  expect(await status('/agent/execute', {planId, approve: true}, strict)).toBe(200);
});

test('the path of clients is secret, stays, and opens this machine alone', async () => {
  await using scene = await serve([]);
  const {pathname} = scene.server.url;
  expect(pathname).toBe('/');
  await using server = await start(scene, '--seed-clients');
  const plain = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(new URL(path, server.url), {headers})).status;
  const path = server.url.pathname;
  expect(await plain(`${path}/agent/tasks`)).toBe(200);
  expect(await plain('/agent/tasks')).toBe(401);
  expect(await plain(`${path}x/agent/tasks`)).toBe(401);
  expect(await plain(`/${'A'.repeat(43)}/agent/tasks`)).toBe(401);
  expect(await plain(`${path}/agent/tasks`, {origin: 'https://example.com'})).toBe(403);
  expect(path).not.toContain(server.token);
  await server.end('SIGTERM');
  await using again = await start(scene, '--seed-clients');
  expect(again.url.pathname).toBe(path);
  const {code, stderr} = await runWeft(['serve', '--seed-clients', '--host', '0.0.0.0'], {place: scene.place});
  expect([code, stderr]).toEqual([2, expect.stringContaining('--seed-clients')]);
});
