// @module-tag long
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, realpathSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {request} from 'node:http';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say, until} from '../support/model-script.ts';
import {running} from '../support/processes.ts';
import {putFile} from '../support/put-file.ts';
import {toldResults} from '../support/scene.ts';
import {WeftServer} from '../support/weft-server.ts';
import {type AgentMessage, agentEvents, serve} from '../support/agent-server.ts';

import {auto, skipWithoutOverlay} from './support/overlay.ts';

/** Sends a prompt and reads its events one by one. */
const events = (server: WeftServer, body: object): AsyncGenerator<AgentMessage> =>
  agentEvents(server, 'POST', '/agent/', {body});

async function all(stream: AsyncIterable<AgentMessage>): Promise<readonly AgentMessage[]> {
  const found: AgentMessage[] = [];
  for await (const message of stream) found.push(message);
  return found;
}

const done = {type: 'done', cost: expect.any(Number), duration: expect.any(Number)};
const id = expect.stringMatching(/^[0-9a-f-]{36}$/u);

test(
  'over HTTP no review is opened and nothing is suggested; the session keeps what needs nobody',
  {tags: 'smoke'},
  async () => {
    await using scene = await serve([
      [
        call('OpenCodeReview', {}),
        call('SuggestNewConversation', {summary: 'x'}),
        call('SuggestPrompt', {prompt: 'next'}),
        call('CreateDocuments', {documents: [{title: 'Plan', content: 'First.'}]}),
      ],
      say('Done.'),
    ]);
    const told = await all(events(scene.server, {prompt: 'Go.', workDir: scene.place.work}));
    expect(told.flatMap(({type, isError}) => (type === 'tool_result' ? [isError] : []))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  },
);

test('an agent reads of the changes of its background agent that it subscribed to, and of its end', async () => {
  const [blocked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const start = call('StartAgent', {
    name: 'helper',
    prompt: 'WORK',
    run_in_background: true,
    lifecycle_subscription: ['blocked', 'in_progress'],
  });
  const look = call('Glob', {pattern: '*'});
  await using scene = await serve(({body}) => {
    const told = JSON.stringify(body.messages);
    if (!told.includes('MAIN')) return told.includes('tool_result') ? say('The helper is done.') : write;
    if (!told.includes('helper, general')) return start;
    if (!told.includes('helper, blocked')) return [until(blocked.promise), look];
    answered.resolve();
    return told.includes('The helper is done.') ? say('Good.') : say('I wait.');
  });
  const write = call('Write', {file_path: 'a.txt', content: 'a'});
  const found: AgentMessage[] = [];
  for await (const message of events(scene.server, {prompt: 'MAIN', workDir: scene.place.work})) {
    found.push(message);
    const {permission} = message;
    if (permission === undefined) continue;
    blocked.resolve();
    void answered.promise.then(() =>
      scene.server.ask('POST', '/agent/permission', {
        body: {sessionId: found[0]?.sessionId, permissionId: permission.id, decision: 'allow'},
      }),
    );
  }
  const told = JSON.stringify(scene.model.requests.at(-1)?.body.messages);
  const notes = [...told.matchAll(/\[agent [0-9a-f-]+: (helper, [^\]]*)\]/gu)].map(([, note]) => note);
  expect(notes).toEqual([
    expect.stringMatching(/^helper, general, in the background/u),
    'helper, in_progress',
    expect.stringMatching(/^helper, blocked: /u),
    'helper, in_progress',
    expect.stringMatching(/^helper, general, 2 turns, 1 call, /u),
  ]);
  expect(found.at(-1)).toMatchObject({type: 'done'});
});

test('a prompt is answered as events, kept as a session, and gone on with', async () => {
  await using scene = await serve([
    call('Glob', {pattern: '*'}, {id: 'c1'}),
    say('Nothing here.'),
    say('Still nothing.'),
  ]);
  const {server, place} = scene;
  const first = await all(events(server, {prompt: 'What is here?', workDir: place.work}));
  expect(first).toEqual([
    {type: 'session', sessionId: id},
    {type: 'tool_use', id: 'c1', name: 'Glob', input: {pattern: '*'}},
    {type: 'tool_result', toolUseId: 'c1', output: expect.any(String), isError: false, outcome: 'success'},
    {type: 'text', content: 'Nothing here.'},
    done,
  ]);
  const sessionId = first[0]?.sessionId ?? '';
  const rest = await server.ask('GET', `/agent/sessions/${sessionId}/events`, {headers: {'last-event-id': '3'}});
  const frames = first.map((message, index) => `id: ${index + 1}\ndata: ${JSON.stringify(message)}\n\n`);
  expect([rest.status, rest.text]).toEqual([200, frames.slice(3).join('')]);
  expect((await server.ask('GET', `/agent/sessions/${sessionId}/events`)).text).toBe(frames.join(''));
  const second = await all(events(server, {prompt: 'And now?', sessionId}));
  expect(second).toEqual([{type: 'session', sessionId}, {type: 'text', content: 'Still nothing.'}, done]);
  expect(JSON.stringify(scene.model.requests.at(-1)?.body.messages)).toContain('What is here?');
  const kept = await server.ask('GET', `/agent/sessions/${sessionId}`);
  expect([kept.status, kept.body]).toMatchObject([200, {id: sessionId, workDir: place.work, running: false}]);
  expect((await server.ask('GET', '/agent/sessions')).body).toEqual([kept.body]);
  const messages = await server.ask('GET', `/agent/sessions/${sessionId}/messages`);
  expect([messages.status, messages.body]).toMatchObject([
    200,
    [
      {type: 'user', message: {role: 'user', content: [{type: 'text', text: 'What is here?'}]}, session_id: sessionId},
      {type: 'assistant', message: {role: 'assistant', content: [{type: 'tool_use', id: 'c1', name: 'Glob'}]}},
      {type: 'user', message: {content: [{type: 'tool_result', tool_use_id: 'c1'}]}},
      {type: 'assistant', message: {content: [{type: 'text', text: 'Nothing here.'}]}},
      {type: 'user', message: {content: [{type: 'text', text: 'And now?'}]}},
      {type: 'assistant', message: {content: [{type: 'text', text: 'Still nothing.'}]}, uuid: id},
    ],
  ]);
  const stopped = await server.ask('POST', `/agent/stop/${sessionId}`);
  expect([stopped.status, stopped.body]).toEqual([200, {sessionId, state: 'stopped'}]);
});

test('what the agent may not do unasked is asked, and each answer counts once', async () => {
  await using scene = await serve([
    call('Write', {file_path: 'a.txt', content: 'a'}, {id: 'c1'}),
    call('Write', {file_path: 'b.txt', content: 'b'}, {id: 'c2'}),
    say('Done.'),
  ]);
  const {server, place} = scene;
  let sessionId = '';
  const asked: string[] = [];
  const ends: unknown[] = [];
  for await (const {type, permission, ...message} of events(server, {prompt: 'Write.', workDir: place.work})) {
    sessionId = message.sessionId ?? sessionId;
    if (type === 'tool_result') ends.push(message);
    if (type !== 'permission_request' || permission === undefined) continue;
    asked.push(permission.id);
    expect(permission).toMatchObject({
      toolName: 'Write',
      input: {file_path: permission.id === 'c1' ? 'a.txt' : 'b.txt'},
      title: expect.any(String),
      reasons: expect.any(Array),
      options: expect.arrayContaining(['allow', 'deny']),
    });
    const decision = permission.id === 'c1' ? 'allow' : 'deny';
    const answer = {sessionId, permissionId: permission.id, decision};
    expect((await server.ask('POST', '/agent/permission', {body: answer})).status).toBe(200);
    expect((await server.ask('POST', '/agent/permission', {body: answer})).status).toBe(409);
    expect((await server.ask('POST', '/agent/permission', {body: {...answer, permissionId: 'x'}})).status).toBe(404);
  }
  expect(asked).toEqual(['c1', 'c2']);
  expect(ends).toMatchObject([
    {toolUseId: 'c1', isError: false, outcome: 'success'},
    {toolUseId: 'c2', isError: true, outcome: 'cancelled', reason: 'declined'},
  ]);
  const kept = await server.ask('GET', `/agent/sessions/${sessionId}/messages`);
  expect(kept.body).toContainEqual(
    expect.objectContaining({
      message: {
        role: 'user',
        content: [expect.objectContaining({tool_use_id: 'c2', outcome: 'cancelled', reason: 'declined'})],
      },
    }),
  );
  expect(['a.txt', 'b.txt'].map(name => existsSync(join(place.work, name)))).toEqual([true, false]);
  const late = {sessionId, permissionId: 'c2', decision: 'allow'};
  expect((await server.ask('POST', '/agent/permission', {body: late})).status).toBe(409);
});

test('a question is answered by its labels', async () => {
  const question = {
    question: 'Which?',
    header: 'Which',
    options: [
      {label: 'A', description: 'a'},
      {label: 'B', description: 'b'},
    ],
    multiSelect: false,
  };
  await using scene = await serve([call('AskUserQuestion', {questions: [question]}, {id: 'q1'}), say('B it is.')]);
  const {server, place} = scene;
  let sessionId = '';
  for await (const {type, permission, ...message} of events(server, {prompt: 'Ask.', workDir: place.work})) {
    sessionId = message.sessionId ?? sessionId;
    if (type !== 'permission_request') continue;
    expect(permission).toMatchObject({toolName: 'AskUserQuestion', questionId: 'q1'});
    const body = {sessionId, questionId: permission?.questionId, answers: {'Which?': 'B'}};
    expect((await server.ask('POST', '/agent/question', {body})).status).toBe(200);
    expect((await server.ask('POST', '/agent/question', {body})).status).toBe(409);
  }
  expect(JSON.stringify(scene.model.requests.at(-1)?.body.messages.at(-1))).toContain('B');
});

test('changes of a command that ran unasked are asked about, and each answer keeps or drops them', async ({skip}) => {
  const command = 'echo new >a.ts';
  const calls = ['c1', 'c2'].map(at => call('Bash', {command}, {id: at}));
  await using scene = await serve([...calls, say('Done.')], auto.environment);
  const {server, place} = scene;
  await skipWithoutOverlay({place}, skip);
  let sessionId = '';
  const seen: unknown[] = [];
  const ends: unknown[] = [];
  for await (const {type, permission, ...message} of events(server, {prompt: 'Go.', workDir: place.work})) {
    sessionId = message.sessionId ?? sessionId;
    if (type === 'tool_result') ends.push(message);
    if (type !== 'permission_request' || permission === undefined) continue;
    seen.push(existsSync(join(place.work, 'a.ts')));
    expect(permission).toMatchObject({
      toolName: 'Bash',
      input: {command},
      title: `Keep changes of: ${command}`,
      options: ['allow', 'allow_session', 'deny'],
      changes: [{path: 'a.ts', kind: 'created'}],
    });
    const decision = permission.id === 'c1' ? 'deny' : 'allow';
    const body = {sessionId, permissionId: permission.id, decision};
    expect((await server.ask('POST', '/agent/permission', {body})).status).toBe(200);
  }
  expect([seen, existsSync(join(place.work, 'a.ts'))]).toEqual([[false, false], true]);
  expect(ends).toMatchObject([
    {toolUseId: 'c1', isError: true, outcome: 'cancelled', reason: 'declined'},
    {toolUseId: 'c2', isError: false, outcome: 'success'},
  ]);
});

test('a prompt waits for the sub-agents that it has left at work in the background: its session ends with it', async () => {
  const [slow, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using scene = await serve(({body}) => {
    if (JSON.stringify(body.messages[0]).includes('SLOW')) return [until(slow.promise), say('Slowly.')];
    const answered = body.messages.filter(({role}) => role === 'assistant').length;
    if (answered === 1) asked.resolve();
    const left = {description: 'slow', prompt: 'SLOW', run_in_background: true};
    return [call('Agent', left, {id: 'c1'}), say('I go on.'), say('It has answered.')][answered] ?? say('never');
  });
  const {server, place} = scene;
  const told = all(events(server, {prompt: 'MAIN', workDir: place.work}));
  await asked.promise;
  slow.resolve();
  expect((await told).filter(({type}) => type === 'text')).toEqual([
    {type: 'text', content: 'I go on.'},
    {type: 'text', content: 'It has answered.'},
  ]);
});

test('a prompt that runs is stopped, and stopped with the server', async () => {
  await using scene = await serve([
    call('Bash', {command: 'sleep 600', is_read_only: true}, {id: 'c1'}),
    say('Later.'),
  ]);
  const {server, place} = scene;
  const types: string[] = [];
  for await (const message of events(server, {prompt: 'Wait.', workDir: place.work})) {
    types.push(message.type);
    if (message.type === 'session') {
      const path = `/agent/stop/${message.sessionId ?? ''}`;
      const again = {prompt: 'x', sessionId: message.sessionId};
      expect((await server.ask('POST', '/agent', {body: again})).status).toBe(409);
      expect((await server.ask('POST', path)).status).toBe(200);
    }
  }
  expect(types.slice(-2)).toEqual(['error', 'done']);
  expect(await server.end('SIGTERM')).toBe(143);
});

test('a reader that leaves changes nothing, and one that comes back misses nothing', async () => {
  const gate = Promise.withResolvers<void>();
  await using scene = await serve([[until(gate.promise), say('All of it.')]]);
  const {server, place} = scene;
  let sessionId = '';
  for await (const message of events(server, {prompt: 'Go on.', workDir: place.work})) {
    sessionId = message.sessionId ?? '';
    break;
  }
  const back = server.ask('GET', `/agent/sessions/${sessionId}/events`, {headers: {'last-event-id': '1'}});
  gate.resolve();
  const datas = (await back).text.match(/(?<=data: ).*/gu) ?? [];
  expect(datas.map(data => JSON.parse(data))).toEqual([{type: 'text', content: 'All of it.'}, done]);
});

test('SIGTERM stops what runs and keeps it', async () => {
  await using scene = await serve([call('Bash', {command: 'sleep 600', is_read_only: true}, {id: 'c1'})]);
  const {server, place} = scene;
  let sessionId = '';
  for await (const message of events(server, {prompt: 'Wait.', workDir: place.work})) {
    sessionId = message.sessionId ?? sessionId;
    if (message.type === 'tool_use') break;
  }
  expect(await server.end('SIGTERM')).toBe(143);
  await using next = await WeftServer.start({place});
  const kept = await next.ask('GET', `/agent/sessions/${sessionId}`);
  expect([kept.status, kept.body.running]).toEqual([200, false]);
  const {body} = await next.ask('GET', `/agent/sessions/${sessionId}/messages`);
  expect(body[0]).toMatchObject({type: 'user', message: {content: [{type: 'text', text: 'Wait.'}]}});
});

test('requests that do not fit, and sessions that are not there', async () => {
  await using scene = await serve([]);
  const {server} = scene;
  const ask = async (path: string, body: object) => (await server.ask('POST', path, {body})).status;
  const unknown = '00000000-0000-4000-8000-000000000000';
  const misfits = [
    {},
    {prompt: ''},
    {prompt: 'x', workDir: 'relative'},
    {prompt: 'x', workDir: join(scene.place.work, 'missing')},
    {prompt: 'x', images: [{type: 'image', data: '!', mimeType: 'image/png'}]},
    {prompt: 'x', images: [{type: 'image', data: 'AAAA', mimeType: 'text/plain'}]},
    {prompt: 'x', conversation: [{role: 'nobody', content: ''}]},
  ];
  for (const body of misfits) expect([body, await ask('/agent', body)]).toEqual([body, 400]);
  for (const sessionId of [unknown, 'x']) {
    expect(await ask('/agent', {prompt: 'x', sessionId})).toBe(404);
    expect(await ask(`/agent/stop/${sessionId}`, {})).toBe(404);
    expect(await ask('/agent/permission', {sessionId, permissionId: 'x', decision: 'allow'})).toBe(404);
    expect(await ask('/agent/question', {sessionId, questionId: 'x', answers: {}})).toBe(404);
    expect((await server.ask('GET', `/agent/sessions/${sessionId}`)).status).toBe(404);
    expect((await server.ask('GET', `/agent/sessions/${sessionId}/messages`)).status).toBe(404);
    expect((await server.ask('GET', `/agent/sessions/${sessionId}/events`)).status).toBe(404);
  }
  expect(await ask('/agent/permission', {sessionId: unknown, permissionId: 'x', decision: 'perhaps'})).toBe(400);
  expect(scene.model.requests).toEqual([]);
});

test('sandbox backends, MCP servers and skills are those of the commands', async () => {
  await using scene = await serve([]);
  const {server, place} = scene;
  mkdirSync(join(place.home, '.claude', 'skills', 'greet'), {recursive: true});
  writeFileSync(
    join(place.home, '.claude', 'skills', 'greet', 'SKILL.md'),
    '---\nname: greet\ndescription: Says hello\n---\nHello.\n',
  );
  writeFileSync(join(place.work, '.mcp.json'), JSON.stringify({mcpServers: {one: {command: 'true'}}}));
  const folder = `?workDir=${encodeURIComponent(place.work)}`;
  const providers = await server.ask('GET', '/sandbox/providers');
  expect([providers.status, providers.body[0]]).toMatchObject([200, {provider: 'native', installed: true}]);
  const skills = await server.ask('GET', `/skills${folder}`);
  expect([skills.status, skills.body]).toMatchObject([200, [{name: 'greet', scope: 'user', offered: true}]]);
  const servers = await server.ask('GET', `/mcp/servers${folder}`);
  expect([servers.status, servers.body]).toMatchObject([200, [{name: 'one', status: 'untrusted'}]]);
  for (const path of ['/skills', '/mcp/servers']) {
    expect((await server.ask('GET', path)).status).toBe(200);
    expect((await server.ask('GET', `${path}?workDir=relative`)).status).toBe(400);
  }
});

test('what is allowed for the session, and what runs in the background, is there for its next prompt', async () => {
  await using scene = await serve([
    call('Bash', {command: 'touch one'}),
    say('First.'),
    call('Bash', {command: 'touch one'}),
    say('Second.'),
  ]);
  const {server, place} = scene;
  const asked: string[] = [];
  const prompt = async (body: object): Promise<string> => {
    let session = '';
    for await (const event of events(server, body)) {
      session = event.sessionId ?? session;
      if (event.permission === undefined) continue;
      asked.push(event.permission.toolName);
      const answer = {sessionId: session, permissionId: event.permission.id, decision: 'allow_session'};
      expect((await server.ask('POST', '/agent/permission', {body: answer})).status).toBe(200);
    }
    return session;
  };
  const sessionId = await prompt({prompt: 'one', workDir: place.work});
  expect(await prompt({prompt: 'two', sessionId})).toBe(sessionId);
  expect([asked, scene.model.requests.length]).toEqual([['Bash'], 4]);
  // It is closed when it is stopped, and then another weft can have it.
  expect((await server.ask('POST', `/agent/stop/${sessionId}`)).status).toBe(200);
});

test('what runs unasked starts no file monitor of the repository', async () => {
  await using scene = await serve([]);
  const {server, place} = scene;
  execFileSync('git', ['init', '-q', place.work]);
  execFileSync('git', ['-C', place.work, 'config', 'core.fsmonitor', 'touch monitored; false']);
  const body = {cwd: place.work, command: 'git status', provider: 'native'};
  expect(await server.ask('POST', '/sandbox/exec', {body})).toMatchObject({status: 200, body: {exitCode: 0}});
  expect(existsSync(join(place.work, 'monitored'))).toBe(false);
});

test('a command and a script file run to their end, judged like any other', async () => {
  await using scene = await serve([]);
  const {server, place} = scene;
  const exec = (body: object) =>
    server.ask('POST', '/sandbox/exec', {body: {cwd: place.work, provider: 'native', ...body}});
  expect(await exec({command: 'echo out; echo err >&2; pwd'})).toMatchObject({
    status: 200,
    body: {
      exitCode: 0,
      stdout: `out\n${realpathSync(place.work)}\n`,
      stderr: 'err\n',
      provider: 'native',
      isolation: {files: false, network: false, processes: false},
    },
  });
  expect(await exec({command: 'rm -rf ~'})).toMatchObject({
    status: 403,
    body: {error: expect.stringContaining("This needs the user's approval: ")},
  });
  expect((await exec({command: 'ls', cwd: 'relative'})).status).toBe(400);
  expect((await exec({command: 'ls', provider: 'nothing'})).status).toBe(400);
  const script = join(place.work, 'own.sh');
  writeFileSync(script, 'echo "$1"; exit 3');
  const run = (body: object) => server.ask('POST', '/sandbox/run/file', {body});
  expect((await run({path: script, args: ['x'], provider: 'native'})).status).toBe(403);
  mkdirSync(join(place.work, '.weft'));
  expect((await run({path: join(place.work, 'none.sh')})).status).toBe(400);
  expect((await run({path: place.work})).status).toBe(400);
});

const isGone = (seconds: number): boolean => running(`sleep ${String(seconds)}`).length === 0;

test('a run ends with all that it started: with its command, with its client, and with the server', async () => {
  await using scene = await serve([]);
  const {server, place} = scene;
  putFile(join(place.home, 'weft', 'settings.json'), JSON.stringify({permissions: {allow: ['Bash']}}));
  const exec = (command: string) => ({body: {cwd: place.work, provider: 'native', command}});
  const run = (seconds: number) => exec(`sleep ${String(seconds)}`);
  const left = await server.ask('POST', '/sandbox/exec', exec('sleep 7401 & exit 3'));
  expect([left.body.exitCode, isGone(7401)]).toEqual([3, true]);

  const leaving = request({
    host: server.url.hostname,
    port: server.url.port,
    method: 'POST',
    path: '/sandbox/exec',
    agent: false,
    headers: {authorization: `Bearer ${server.token}`, 'content-type': 'application/json'},
  });
  leaving.on('error', () => {});
  leaving.end(JSON.stringify(run(7402).body));
  await lookUntil(
    () => !isGone(7402),
    () => 'not started',
  );
  leaving.destroy();
  await lookUntil(
    () => isGone(7402),
    () => 'still there',
  );

  const killed = server.ask('POST', '/sandbox/exec', run(7403)).catch(() => {});
  await lookUntil(
    () => !isGone(7403),
    () => 'not started',
  );
  expect(await server.end('SIGKILL')).toBe('SIGKILL');
  await killed;
  await lookUntil(
    () => isGone(7403),
    () => 'still there',
  );
});

test('a file that the agent keeps has a URL, which gives it out to keep, and only with the token', async () => {
  await using scene = await serve([call('UploadArtifact', {file_path: 'page é.html'}, {id: 'c1'}), say('Kept.')]);
  const {server, place} = scene;
  const page = '<script>alert(1)</script>\n';
  writeFileSync(join(place.work, 'page é.html'), page);
  const messages = await all(events(server, {prompt: 'Keep it.', workDir: place.work}));
  const {sessionId = ''} = messages[0] ?? {};
  const [output = ''] = toldResults(scene.model.requests[1]);
  const url = new URL(/with the server's token it can be downloaded from (http:\S+)$/u.exec(output)?.[1] ?? 'none:');
  const sha256 = createHash('sha256').update(page).digest('hex');
  expect([url.origin, url.pathname]).toEqual([server.url.origin, `/agent/sessions/${sessionId}/artifacts/${sha256}`]);
  const got = await server.ask('GET', url.pathname);
  expect([got.status, got.text, got.headers['content-type'], got.headers['x-content-type-options']]).toEqual([
    200,
    page,
    'application/octet-stream',
    'nosniff',
  ]);
  expect(got.headers['content-disposition']).toBe(
    `attachment; filename="page__.html"; filename*=UTF-8''page%20%C3%A9.html`,
  );
  const without = await server.ask('GET', url.pathname, {headers: {authorization: ''}});
  const others = [
    `/agent/sessions/${sessionId}/artifacts/${sha256.replace(/^./u, digit => (digit === '0' ? '1' : '0'))}`,
    `/agent/sessions/${sessionId}/artifacts/..%2f${sha256}`,
    `/agent/sessions/..%2f..%2f${sessionId}/artifacts/${sha256}`,
    `/agent/sessions/00000000-0000-4000-8000-000000000001/artifacts/${sha256}`,
  ].map(async path => (await server.ask('GET', path)).status);
  expect([without.status, ...(await Promise.all(others))]).toEqual([401, 404, 404, 404, 404]);
});

test('/compact compacts a session over HTTP and says so', async () => {
  await using scene = await serve([
    say(`First answer. ${'word '.repeat(1000)}`),
    say('THE SUMMARY'),
    say('Second answer.'),
  ]);
  const first = await all(events(scene.server, {prompt: 'First prompt.', workDir: scene.place.work}));
  const sessionId = first[0]?.sessionId ?? '';
  expect(await all(events(scene.server, {prompt: '/compact', sessionId}))).toEqual([
    {type: 'session', sessionId},
    {type: 'text', content: expect.stringMatching(/^Compacted the conversation: /u)},
    done,
  ]);
  await all(events(scene.server, {prompt: 'Second prompt.', sessionId}));
  expect(JSON.stringify(scene.model.requests[2]?.body.messages)).toContain('THE SUMMARY');
});

test('a prompt without an answer ends with an error that says so', async () => {
  await using scene = await serve([say(''), say('')]);
  const [, ...rest] = await all(events(scene.server, {prompt: 'Go.', workDir: scene.place.work}));
  const message = 'The model ended without an answer. Try again, or use another model.';
  expect(rest).toEqual([
    {type: 'notice', message: 'The answer was empty. Asked the model again.'},
    {type: 'error', message},
    done,
  ]);
});
