// @module-tag long
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {RequestOptions} from '@modelcontextprotocol/sdk/shared/protocol.js';
import {type CallToolResult, CallToolResultSchema, ElicitRequestSchema} from '@modelcontextprotocol/sdk/types.js';
import {afterEach, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {type McpOverHttp, mcpServeOnHttp, mcpServeOnStdio} from '../support/mcp-serve.ts';
import {call, hang, say} from '../support/model-script.ts';
import {processEnds, processStarts, running} from '../support/processes.ts';
import {putFile} from '../support/put-file.ts';
import {weftBin} from '../support/run-weft.ts';
import {fileComes, openScene, type Scene, scriptedKey, toldPrompt} from '../support/scene.ts';

/** The npm package `@modelcontextprotocol/sdk`, unmodified, as MCP clients use it, calls the built program. */

/** The answers of the client's user, in order: a decision, or the fields of a form. `cannot`: the client shows no forms. */
type Answers = readonly (string | Readonly<Record<string, string>>)[] | 'cannot';

interface Caller {
  readonly client: Client;
  /** The messages and fields of the forms that the user saw. */
  readonly asked: {readonly message: string; readonly schema: unknown}[];
  call(name: string, input?: Record<string, unknown>, options?: RequestOptions): Promise<CallToolResult>;
  text(name: string, input?: Record<string, unknown>): Promise<string>;
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function makeCaller(answers: Answers): Caller {
  const client = new Client(
    {name: 'test', version: '1'},
    {capabilities: answers === 'cannot' ? {} : {elicitation: {form: {}}}},
  );
  const asked: {readonly message: string; readonly schema: unknown}[] = [];
  if (answers !== 'cannot')
    client.setRequestHandler(ElicitRequestSchema, ({params}) => {
      const answer = answers[asked.length] ?? 'none';
      asked.push({message: params.message, schema: 'requestedSchema' in params ? params.requestedSchema : undefined});
      if (answer === 'none') return {action: 'decline'};
      return {action: 'accept', content: typeof answer === 'string' ? {decision: answer} : {...answer}};
    });
  const makeCall: Caller['call'] = async (name, input = {}, options = {}) =>
    CallToolResultSchema.parse(await client.callTool({name, arguments: input}, undefined, options));
  return {client, asked, call: makeCall, text: async (name, input) => textOf(await makeCall(name, input))};
}

const textOf = ({content}: CallToolResult): string =>
  content.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');

/** Connects a client to `weft mcp serve` on stdin and stdout. */
async function overStdio(scene: Scene, answers: Answers, flags: readonly string[] = []): Promise<Caller> {
  const caller = makeCaller(answers);
  await caller.client.connect(new StdioClientTransport(mcpServeOnStdio(scene, flags)));
  closing.push(() => caller.client.close());
  return caller;
}

async function overHttp({url, token}: McpOverHttp, answers: Answers): Promise<Caller> {
  const caller = makeCaller(answers);
  const headers = {authorization: `Bearer ${token}`};
  await caller.client.connect(new StreamableHTTPClientTransport(url, {requestInit: {headers}}));
  closing.push(() => caller.client.close());
  return caller;
}

test('a client lists tools with hints, reads, and cannot change anything unasked', {tags: 'smoke'}, async () => {
  await using scene = await openScene([]);
  writeFileSync(join(scene.place.work, 'a.txt'), 'one\ntwo\n');
  const caller = await overStdio(scene, 'cannot');
  const {tools} = await caller.client.listTools();
  expect(tools.map(({name, annotations}) => [name, annotations?.readOnlyHint])).toEqual([
    ['Bash', false],
    ['BashInput', false],
    ['BashOutput', true],
    ['Read', true],
    ['Edit', false],
    ['Write', false],
    ['Grep', true],
    ['Glob', true],
    ['SearchCodebase', true],
    ['WebFetch', false],
    ['run_agent', false],
  ]);
  expect(await caller.text('Read', {file_path: 'a.txt'})).toBe('1\tone\n2\ttwo');
  expect(await caller.text('Bash', {command: 'cat a.txt'})).toMatch(/^one\ntwo\n/u);
  const edit = await caller.call('Edit', {file_path: 'a.txt', old_string: 'two', new_string: 'three'});
  expect([edit.isError, textOf(edit)]).toEqual([
    true,
    expect.stringMatching(
      /Edits ask first.*--allowed-tools "Edit\(a\.txt\)".*weft permissions add allow "Edit\(a\.txt\)"/su,
    ),
  ]);
  const remove = await caller.call('Bash', {command: 'rm a.txt'});
  expect([remove.isError, textOf(remove)]).toEqual([true, expect.stringContaining('with the rule Bash(rm a.txt)')]);
  expect(scene.read('a.txt')).toBe('one\ntwo\n');
  expect(await caller.text('Read', {file_path: 'none.txt'})).toBe('none.txt: there is no such file.');
  await expect(caller.call('TodoWrite', {todos: []})).rejects.toThrow('Unknown tool "TodoWrite"');
});

test('flags and rules allow and forbid', async () => {
  await using scene = await openScene([]);
  const caller = await overStdio(scene, 'cannot', [
    '--allowed-tools',
    'Edit(src/**)',
    '--disallowedTools',
    'WebFetch',
    'Read(secret/**)',
  ]);
  putFile(join(scene.place.work, 'secret/a'), 'hidden');
  const {tools} = await caller.client.listTools();
  expect(tools.map(({name}) => name)).not.toContain('WebFetch');
  expect(await caller.text('Write', {file_path: 'src/a.ts', content: 'x\n'})).toBe('Created src/a.ts (+1 -0)');
  expect((await caller.call('Write', {file_path: 'a.ts', content: 'x\n'})).isError).toBe(true);
  const forbidden = await caller.call('Read', {file_path: 'secret/a'});
  expect([forbidden.isError, textOf(forbidden)]).toEqual([true, expect.not.stringContaining('hidden')]);
  expect((await scene.run(['mcp', 'serve', '--no-such-flag'])).code).toBe(2);
});

test("a form asks the client's user, who allows once, for the session, or not", async () => {
  await using scene = await openScene([]);
  const caller = await overStdio(scene, ['allow-once', 'deny', 'nonsense', 'allow-session']);
  const write = (content: string) => caller.call('Write', {file_path: 'a.txt', content});
  expect(textOf(await write('one\n'))).toBe('Created a.txt (+1 -0)');
  expect((await write('two\n')).isError).toBe(true);
  expect((await write('three\n')).isError).toBe(true);
  expect(scene.read('a.txt')).toBe('one\n');
  expect(textOf(await write('four\n'))).toBe('Changed a.txt (+1 -1)');
  expect(textOf(await write('five\n'))).toBe('Changed a.txt (+1 -1)');
  expect(caller.asked.map(({message}) => message)).toEqual([
    'Edit a.txt?\n\na.txt (+1 -0)\n+one\n\n- Edits ask first in this mode',
    'Edit a.txt?\n\na.txt (+1 -1)\n-one\n+two\n\n- Edits ask first in this mode',
    'Edit a.txt?\n\na.txt (+1 -1)\n-one\n+three\n\n- Edits ask first in this mode',
    'Edit a.txt?\n\na.txt (+1 -1)\n-one\n+four\n\n- Edits ask first in this mode',
  ]);
  expect(scene.read('a.txt')).toBe('five\n');
});

test('what destroys files needs the word of its card, and undo brings them back', async () => {
  await using scene = await openScene([]);
  writeFileSync(join(scene.place.work, 'a.txt'), 'one\n');
  const caller = await overStdio(scene, ['allow-once', {decision: 'allow-once', confirm: 'a.txt'}]);
  expect((await caller.call('Bash', {command: 'rm -rf a.txt'})).isError).toBe(true);
  expect(existsSync(join(scene.place.work, 'a.txt'))).toBe(true);
  const removed = await caller.call('Bash', {command: 'rm -rf a.txt'});
  expect([removed.isError, existsSync(join(scene.place.work, 'a.txt'))]).toEqual([undefined, false]);
  expect(caller.asked[1]?.message).toContain('It deletes 1 file.');
  const {_meta: meta} = removed;
  const session = String(meta?.['weft/session_id']);
  await caller.client.close();
  const undone = await scene.run(['sessions', 'rewind', session, '--files', '--yes']);
  expect([undone.code, undone.stderr]).toEqual([0, expect.any(String)]);
  expect(scene.read('a.txt')).toBe('one\n');
  expect((await scene.run(['--continue', '--prompt', 'x'])).stderr).toContain('No session to continue');
});

test('a command goes on in the background, and takes input', async () => {
  await using scene = await openScene([]);
  const caller = await overStdio(scene, 'cannot', ['--permission-mode', 'bypassPermissions']);
  const start = await caller.text('Bash', {command: 'read x; echo "got $x"; sleep 4716.5', run_in_background: true});
  const [, block] = /\b(b\d+)\b/u.exec(start) ?? [];
  await caller.call('BashInput', {block_id: block, input: 'hello', mode: 'line'});
  let shown = '';
  await lookUntil(
    async () => (shown += await caller.text('BashOutput', {block_id: block})).includes('got hello'),
    () => `${start}\n${shown}`,
  );
  await caller.client.close();
  await processEnds('sleep 4716.5');
});

test('hooks and placeholders for secrets are those of a session', async () => {
  await using scene = await openScene([]);
  const command = `${process.execPath} -e "console.error('Not this file'); process.exit(2)"`;
  const hooks = {PreToolUse: [{matcher: 'Read', hooks: [{type: 'command', command}]}]};
  const flags = ['--permission-mode', 'bypassPermissions', '--settings', JSON.stringify({hooks})];
  const caller = await overStdio(scene, 'cannot', flags);
  const read = await caller.call('Read', {file_path: 'a.txt'});
  expect([read.isError, textOf(read)]).toEqual([true, expect.stringContaining('Not this file')]);
  const shown = await caller.text('Bash', {command: `echo ${scriptedKey} > key; cat key`});
  expect(shown).not.toContain(scriptedKey);
});

test('a cancelled command ends, and so does a call that waits', async () => {
  await using scene = await openScene([]);
  const caller = await overStdio(scene, 'cannot');
  const [one, two] = [new AbortController(), new AbortController()];
  const sleeping = caller.call('Bash', {command: 'sleep 4711.5'}, {signal: one.signal}).catch(String);
  const waiting = caller.call('Glob', {pattern: '*'}, {signal: two.signal}).catch(String);
  await processStarts('sleep 4711.5');
  two.abort('enough');
  expect(await waiting).toContain('enough');
  expect(running('sleep 4711.5')).not.toEqual([]);
  one.abort('enough');
  expect(await sleeping).toContain('enough');
  await processEnds('sleep 4711.5');
  expect(await caller.text('Bash', {command: 'echo on'})).toMatch(/^on\n/u);
});

test('an agent answers, reports progress, asks, and goes on with its session', async () => {
  await using scene = await openScene([
    [say('First I write.'), call('Write', {file_path: 'b.txt', content: 'b\n'})],
    say('Done.'),
    say('Again.'),
  ]);
  const caller = await overStdio(scene, ['allow-once']);
  const reports: string[] = [];
  const first = await caller.call(
    'run_agent',
    {prompt: 'Write b.txt.'},
    {onprogress: ({message}) => void reports.push(message ?? '')},
  );
  const {answer, session_id: session} = first.structuredContent ?? {};
  expect([first.isError, answer, textOf(first)]).toEqual([undefined, 'Done.', `Done.\nsession_id: ${String(session)}`]);
  expect(reports).toEqual(['First I write.', 'Edit b.txt', 'Done.']);
  expect(scene.read('b.txt')).toBe('b\n');
  const second = await caller.call('run_agent', {prompt: 'And?', session_id: session});
  expect([second.structuredContent, second.isError]).toEqual([{answer: 'Again.', session_id: session}, undefined]);
  expect(scene.server.requests[2]?.body.messages.length).toBeGreaterThan(4);
  expect(toldPrompt(scene.server.requests[2])).toBe('And?');
});

test('an agent works only in the workspace of the server, and nothing changes unasked', async () => {
  await using scene = await openScene([call('Write', {file_path: 'b.txt', content: 'b\n'}), say('Not possible.')]);
  const caller = await overStdio(scene, 'cannot');
  const outside = await caller.call('run_agent', {prompt: 'Go.', cwd: scene.place.home});
  expect([outside.isError, textOf(outside)]).toEqual([true, expect.stringContaining('--add-dir')]);
  for (const session of ['x', '00000000-0000-4000-8000-000000000000'])
    expect(await caller.text('run_agent', {prompt: 'Go.', session_id: session})).toContain('There is no session');
  expect((await caller.call('run_agent', {prompt: ''})).isError).toBe(true);
  expect((await caller.call('run_agent', {prompt: 'Go.', tools: 'all'})).isError).toBe(true);
  expect(await caller.text('run_agent', {prompt: 'Go.'})).toMatch(
    /^Not possible\.\nnot run because it needs approval: Write/u,
  );
  expect(existsSync(join(scene.place.work, 'b.txt'))).toBe(false);
});

test('tools work without a model, and run_agent says how to get one', async () => {
  await using scene = await openScene([]);
  const caller = makeCaller('cannot');
  const transport = new StdioClientTransport({...mcpServeOnStdio(scene), env: scene.place.environment()});
  await caller.client.connect(transport);
  closing.push(() => caller.client.close());
  expect(await caller.text('Bash', {command: 'echo on'})).toMatch(/^on\n/u);
  expect(await caller.text('run_agent', {prompt: 'Go.'})).toContain('No model is configured');
});

test('a cancelled agent stops', async () => {
  await using scene = await openScene([hang()]);
  const caller = await overStdio(scene, 'cannot');
  const stop = new AbortController();
  const answer = caller.call('run_agent', {prompt: 'Go.'}, {signal: stop.signal}).catch(String);
  await lookUntil(
    () => scene.server.requests.length > 0,
    () => 'the agent never asked its model',
  );
  stop.abort('enough');
  expect(await answer).toContain('enough');
  expect(await caller.text('Bash', {command: 'echo on'})).toMatch(/^on\n/u);
});

test('stdout carries the protocol only, and the end of stdin ends everything', async () => {
  await using scene = await openScene([]);
  const child = scene.start(['mcp', 'serve'], {stdin: 'open'});
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const exited = once(child, 'exit');
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({jsonrpc: '2.0', ...message})}\n`);
  const clientInfo = {name: 'raw', version: '1'};
  child.stdin.write('no json\n');
  child.stdin.write('{"no": "message"}\n');
  send({id: 1, method: 'initialize', params: {protocolVersion: '2025-06-18', capabilities: {}, clientInfo}});
  send({method: 'notifications/initialized'});
  send({id: 2, method: 'ping'});
  send({id: 3, method: 'tools/call', params: {name: 'Bash', arguments: {command: 'touch started; sleep 4712.5'}}});
  send({
    id: 4,
    method: 'tools/call',
    params: {name: 'Bash', arguments: {command: 'sleep 4712.5', run_in_background: true}},
  });
  send({id: 5, method: 'tools/call', params: {name: 'Bash', arguments: {command: 'sleep 4712.5'}}});
  await lookUntil(
    () => running('sleep 4712.5').length > 0 || out.includes('"id":5'),
    () => out,
  );
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  await processEnds('sleep 4712.5');
  const lines = out
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(lines.every(line => line.jsonrpc === '2.0')).toBe(true);
  expect(lines.slice(0, 4).map(({id, error, result}) => [id, error?.code ?? result?.protocolVersion ?? 'ok'])).toEqual([
    [null, -32_700],
    [null, -32_600],
    [1, '2025-06-18'],
    [2, 'ok'],
  ]);
});

test('requests that are piped in get their answers', async () => {
  await using scene = await openScene([]);
  const params = {protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {name: 'pipe', version: '1'}};
  const messages = [
    {id: 1, method: 'initialize', params},
    {method: 'notifications/initialized'},
    {id: 2, method: 'tools/call', params: {name: 'Bash', arguments: {command: 'echo piped'}}},
  ];
  const text = messages.map(message => `${JSON.stringify({jsonrpc: '2.0', ...message})}\n`).join('');
  const {code, stdout} = await scene.run(['mcp', 'serve'], {stdin: {text}});
  expect([code, stdout]).toEqual([0, expect.stringContaining('piped\\n')]);
});

/** Starts weft, calls a command of it, and waits. */
const clientProgram = `
  const {spawn} = require('node:child_process');
  const weft = spawn(process.execPath, process.argv.slice(1), {stdio: ['pipe', 'pipe', 'inherit']});
  const send = message => weft.stdin.write(JSON.stringify({jsonrpc: '2.0', ...message}) + '\\n');
  const params = {protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {name: 'c', version: '1'}};
  send({id: 1, method: 'initialize', params});
  send({method: 'notifications/initialized'});
  send({id: 2, method: 'tools/call', params: {name: 'Bash', arguments: {command: 'sleep 4713.5'}}});
  require('node:fs').writeFileSync('pid', String(weft.pid));
`;

test('kill -9 of the client leaves no process', async () => {
  await using scene = await openScene([]);
  const {work} = scene.place;
  const client = spawn(process.execPath, ['-e', clientProgram, weftBin, 'mcp', 'serve'], {
    cwd: work,
    env: mcpServeOnStdio(scene).env,
  });
  const pid = Number(await fileComes(join(work, 'pid')));
  await processStarts('sleep 4713.5');
  client.kill('SIGKILL');
  await lookUntil(
    () => running('sleep 4713.5').length === 0 && !existsSync(`/proc/${pid}/exe`),
    () => `weft or its command still runs: ${running('sleep 4713.5').join()}`,
  );
});

test('several clients over HTTP have their own sessions, and a token is needed', async () => {
  await using scene = await openScene([say('Done.')]);
  const server = await mcpServeOnHttp(scene);
  const [one, two] = await Promise.all([overHttp(server, ['allow-session']), overHttp(server, 'cannot')]);
  expect(textOf(await one.call('Write', {file_path: 'a.txt', content: 'one\n'}))).toBe('Created a.txt (+1 -0)');
  expect(one.asked.length).toBe(1);
  expect((await two.call('Write', {file_path: 'a.txt', content: 'two\n'})).isError).toBe(true);
  expect(await two.text('Read', {file_path: 'a.txt'})).toBe('1\tone');
  const reports: string[] = [];
  const onprogress = ({message}: {readonly message?: string | undefined}): void => void reports.push(message ?? '');
  const answered = await two.call('run_agent', {prompt: 'Go.'}, {onprogress});
  expect([answered.structuredContent?.['answer'], reports]).toEqual(['Done.', ['Done.']]);

  const body = JSON.stringify({jsonrpc: '2.0', id: 1, method: 'ping'});
  const type = {'content-type': 'application/json', accept: 'application/json, text/event-stream'};
  const authorization = `Bearer ${server.token}`;
  const status = async (headers: Record<string, string>, init: RequestInit = {method: 'POST', body}) =>
    (await fetch(server.url, {...init, headers: {...type, ...headers}})).status;
  expect(await status({})).toBe(401);
  expect(await status({authorization, origin: 'https://evil.test'})).toBe(403);
  expect(await status({authorization})).toBe(400);
  expect(await status({authorization, 'mcp-session-id': 'unknown'})).toBe(404);
  expect(await status({authorization, 'content-type': 'text/plain'})).toBe(415);
  expect(await status({authorization}, {method: 'POST', body: 'no json'})).toBe(400);
});

test('a call over HTTP is cancelled, also when its client is gone', async () => {
  await using scene = await openScene([]);
  const server = await mcpServeOnHttp(scene);
  const caller = await overHttp(server, 'cannot');
  const stop = new AbortController();
  const sleeping = caller.call('Bash', {command: 'sleep 4714.5'}, {signal: stop.signal}).catch(String);
  await processStarts('sleep 4714.5');
  stop.abort('enough');
  expect(await sleeping).toContain('enough');
  await processEnds('sleep 4714.5');
  const left = caller.call('Bash', {command: 'sleep 4715.5'}).catch(String);
  await processStarts('sleep 4715.5');
  await caller.client.close();
  await left;
  await processEnds('sleep 4715.5');
});
