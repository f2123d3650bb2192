// @module-tag long
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {request} from 'node:http';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say, until} from '../support/model-script.ts';
import {openPty, type PtyTerminal} from '../support/pty-terminal.ts';
import {putFile} from '../support/put-file.ts';
import {finish, startWeft} from '../support/run-weft.ts';
import type {WeftServer} from '../support/weft-server.ts';
import {type AgentServer, serve} from '../support/agent-server.ts';

const attach = ({place, server}: AgentServer, ...args: readonly string[]): PtyTerminal =>
  openPty({
    place,
    environment: {WEFT_SERVER_TOKEN: server.token},
    size: [80, 24],
    args: ['attach', server.url.origin, ...args],
    answers: 'all',
  });

/** Sends a prompt, and reads its events to the end. */
async function prompt(server: WeftServer, body: object): Promise<readonly {type: string; sessionId?: string}[]> {
  const text = (await server.ask('POST', '/agent', {body})).text;
  return text
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => JSON.parse(line.slice('data: '.length)));
}

test('a run of the server is watched and answered from a terminal, which leaves it running', async () => {
  const gate = Promise.withResolvers<void>();
  await using scene = await serve([
    [say('I make it.'), call('Bash', {command: 'touch made'})],
    [say('Nearly.'), until(gate.promise), say(' There.')],
    say('Again.'),
  ]);
  const {server, place} = scene;
  const running = prompt(server, {prompt: 'make it', workDir: place.work});
  let sessionId = '';
  await lookUntil(
    async () => {
      const rows: readonly {id: string; running: boolean}[] = (await server.ask('GET', '/agent/sessions')).body;
      sessionId = rows.find(row => row.running)?.id ?? '';
      return sessionId !== '';
    },
    () => 'nothing runs',
  );
  using terminal = attach(scene, sessionId.slice(0, 8));
  await terminal.until(/make it[^]*I make it\.[^]*Tab: answer/u);
  terminal.type('\t');
  await terminal.until(/Run this command\?/u);
  terminal.type('y');
  await terminal.until(/touch made[^]*Nearly\./u);
  expect(existsSync(join(place.work, 'made'))).toBe(true);
  terminal.type('\u0004');
  expect(await terminal.exited).toBe(0);
  gate.resolve();
  expect((await running).map(({type}) => type).join(' ')).toBe(
    'session text tool_use permission_request tool_result text done',
  );
  expect((await prompt(server, {prompt: 'again', sessionId})).map(({type}) => type)).toEqual([
    'session',
    'text',
    'done',
  ]);
});

test.each(['/branch', '/branch 1'])('%s in an attached terminal says how to branch', async command => {
  await using scene = await serve([say('Done.')]);
  const [session] = await prompt(scene.server, {prompt: 'first', workDir: scene.place.work});
  using terminal = attach(scene, session?.sessionId ?? '');
  await terminal.until(/Done\./u);
  terminal.type(`${command}\r`);
  await terminal.until(/Can't branch from here\.[^]*--fork-session/u);
});

test.each([
  ['Ctrl+C twice', '\u0003\u0003', {}],
  ['Ctrl+C twice in screen reader mode', '\u0003\u0003', {accessible: true}],
  ['/exit', '/exit\r', {}],
  ['a hang-up', 'SIGHUP', {}],
] as const)('%s leaves what runs on the server running', async (_title, keys, settings) => {
  const gate = Promise.withResolvers<void>();
  await using scene = await serve([[say('I begin.\n\nAnd '), until(gate.promise), say('I end.')]]);
  const {server, place} = scene;
  putFile(join(place.home, 'weft', 'settings.json'), JSON.stringify(settings));
  const running = prompt(server, {prompt: 'go', workDir: place.work});
  await lookUntil(
    async () => (await server.ask('GET', '/agent/sessions')).body.some((row: {running: boolean}) => row.running),
    () => 'nothing runs',
  );
  const [{id}] = (await server.ask('GET', '/agent/sessions')).body;
  using terminal = attach(scene, id);
  await terminal.until(/I begin/u);
  if (keys === 'SIGHUP') process.kill(terminal.pid, 'SIGHUP');
  else for (const key of keys) terminal.type(key);
  await terminal.exited;
  expect(terminal.log()).not.toContain('Stopping');
  gate.resolve();
  const events = await running;
  expect(events.at(-1)).toMatchObject({type: 'done'});
  expect(JSON.stringify(events)).toContain('I end.');
});

test('another session is opened beside the one that runs on the server, which is entered again live', async () => {
  const gate = Promise.withResolvers<void>();
  await using scene = await serve([
    [say('One.'), until(gate.promise), call('Bash', {command: 'touch made'})],
    say('Two.'),
    say('It is made.'),
  ]);
  const {place} = scene;
  using terminal = attach(scene, '--cwd', place.work);
  await terminal.until(/Attached to/u);
  terminal.type('First\r');
  await terminal.until(/One\./u);
  terminal.type('/clear\r');
  await terminal.until(/Session "First" continues in the background/u);
  terminal.type('Second\r');
  await terminal.until(/Two\./u);
  gate.resolve();
  await terminal.until(/Session "First" needs your answer[^]*1 session needs input/u);
  terminal.type('/resume\r');
  await terminal.until(/❯ 1 {2}First {2}needs your answer/u);
  terminal.type('\r');
  await terminal.until(/Session resumed[^]*One\.[^]*Run this command\?/u);
  terminal.type('y');
  await terminal.until(/It is made\./u);
  expect(existsSync(join(place.work, 'made'))).toBe(true);
  terminal.type('\u0004');
  expect(await terminal.exited).toBe(0);
});

test('a new session of a terminal is one of the server, and two front ends on it agree', async () => {
  await using scene = await serve([say('From the terminal.'), say('From the program.')]);
  const {server, place} = scene;
  using terminal = attach(scene, '--cwd', place.work);
  await terminal.until(/Attached to 127\.0\.0\.1/u);
  terminal.type('hello\r');
  await terminal.until(/From the terminal\./u);
  const [{id}] = (await server.ask('GET', '/agent/sessions')).body;
  const read = await prompt(server, {prompt: 'and you?', sessionId: id});
  expect(read.map(({type}) => type)).toEqual(['session', 'text', 'done']);
  await terminal.until(/and you\?[^]*From the program\./u);
  expect((await server.ask('POST', '/agent', {body: {prompt: 'x', sessionId: id, workDir: place.work}})).status).toBe(
    409,
  );
  expect(await server.end('SIGTERM')).toBe(143);
  await terminal.until(/Lost the connection to the server/u);
});

test('who may not ask may not attach, and what is not there says so', async () => {
  await using scene = await serve([]);
  const {server, place} = scene;
  const upgrade = async (path: string, headers: Record<string, string>): Promise<number | undefined> => {
    const outgoing = request({
      host: server.url.hostname,
      port: server.url.port,
      path,
      agent: false,
      headers: {connection: 'Upgrade', upgrade: 'weft-client', ...headers},
    });
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    response.resume();
    return response.statusCode;
  };
  const token = {authorization: `Bearer ${server.token}`};
  const own = {...token, 'x-weft-version': '0.0.0'};
  expect(await upgrade('/agent/attach', {})).toBe(401);
  expect(await upgrade('/agent/attach', {authorization: 'Bearer x'})).toBe(401);
  expect(await upgrade('/agent/attach', {...own, origin: 'https://example.com'})).toBe(403);
  expect(await upgrade('/agent/attach', {...own, host: 'example.com'})).toBe(403);
  expect(await upgrade('/agent/attach', own)).toBe(409);
  expect(await upgrade('/agent/other', own)).toBe(404);
  expect(await upgrade('/agent/attach', {...own, upgrade: 'websocket'})).toBe(404);

  using unknown = attach(scene, '00000000');
  await unknown.until(/weft: the server has no session 00000000/u);
  const piped = await finish(startWeft(['attach', server.url.origin], {place}));
  expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining('weft attach needs a terminal')]);
});
