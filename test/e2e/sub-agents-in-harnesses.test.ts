// @module-tag long
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import type {Script} from '../support/model-server.ts';
import {finish} from '../support/run-weft.ts';
import {agentEvents} from '../support/agent-server.ts';
import {WeftServer} from '../support/weft-server.ts';
import {answerTo, isType, prompt as userMessage, startRpc} from './support/rpc-client.ts';
import {fileComes, openScene, pointedAt, processGone, type Scene, toldResults} from '../support/scene.ts';

const agent = fileURLToPath(new URL('support/acp-agent.mjs', import.meta.url));

/** A scene in which `own` is a harness of the user's: a program that speaks ACP. */
async function sceneWithHarness(script: Script, name = 'own'): Promise<Scene> {
  const scene = await openScene(script);
  const folder = join(scene.place.home, 'weft');
  mkdirSync(folder, {recursive: true});
  const harnesses = {[name]: {command: process.execPath, args: [agent]}};
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({harnesses}));
  return scene;
}

const agentCall = (prompt: string, harness = 'own') => call('Agent', {description: 'x', prompt, harness});
const ask = (wanted: object, harness = 'own') => agentCall(`ASK ${JSON.stringify(wanted)}`, harness);
const search = (path: string) => ask({kind: 'search', title: 'x', rawInput: {pattern: 'x', path}});
const answersIn = ({server}: Scene) =>
  server.requests.slice(1).map(request => /^It may(?: not)?\./u.exec(toldResults(request)[0] ?? '')?.[0]);
const idIn = (text: string | undefined): string => /\[agent ([0-9a-f-]{36}):/u.exec(text ?? '')?.[1] ?? expect.fail();

test('a harness does the task, and goes on in the same conversation', async () => {
  await using scene = await sceneWithHarness([
    agentCall('Say something.'),
    call('SendMessage', {to: 'x', message: 'And again.'}),
    say('Good.'),
  ]);
  const {code, stdout} = await scene.run(['--prompt', 'MAIN']);
  expect({code, stdout}).toEqual({code: 0, stdout: 'Good.\n'});
  expect(toldResults(scene.server.requests[1])).toEqual([
    expect.stringMatching(/^Prompt 1 of acp-session\.\n\n\[agent [0-9a-f-]{36}: x, own, 1 turn\]$/u),
  ]);
  expect(toldResults(scene.server.requests[2])).toEqual([expect.stringMatching(/^Prompt 2 of acp-session\./u)]);
});

test('a harness that changed files gets the failure of a condition once, and the model gets both answers', async () => {
  const mend = call('Write', {file_path: 'good.txt', content: 'good'});
  const script = [agentCall('RUN it'), say('Done.'), mend, say('Good.')];
  const given = ['--prompt', 'MAIN', '--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash(touch:*)'];
  const goal = ['--goal', 'file: good.txt exists'];
  await using scene = await sceneWithHarness(script);
  expect((await scene.run([...given, ...goal])).code).toBe(0);
  expect(toldResults(scene.server.requests[1])[0]).toMatch(/^Made it\.\n\nPrompt 2 of acp-session\.\n/u);

  // A harness that changed nothing is asked nothing, nor is one whose work meets the condition.
  await using idle = await sceneWithHarness([agentCall('Say something.'), ...script.slice(1)]);
  expect((await idle.run([...given, ...goal])).code).toBe(0);
  expect(toldResults(idle.server.requests[1])[0]).toMatch(/^Prompt 1 of acp-session\.\n/u);
  await using done = await sceneWithHarness([agentCall('RUN it'), say('Good.')]);
  expect((await done.run([...given, '--goal', 'file: made.txt exists'])).code).toBe(0);
  expect(toldResults(done.server.requests[1])[0]).toMatch(/^Made it\.\n\n\[agent/u);
});

test('a harness that ends at the failure of a condition is a failure that the model reads', async () => {
  const mend = call('Write', {file_path: 'CRASH.txt', content: 'good'});
  await using scene = await sceneWithHarness([agentCall('RUN it'), say('Done.'), mend, say('Good.')]);
  const given = ['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash(touch:*)'];
  expect((await scene.run(['--prompt', 'MAIN', ...given, '--goal', 'file: CRASH.txt exists'])).code).toBe(0);
  expect(toldResults(scene.server.requests[1])[0]).toMatch(/exited with code 3\.\s+It had answered: Made it\./u);
});

test('Ctrl+C while a condition of a harness is checked ends the check', async () => {
  await using scene = await sceneWithHarness([agentCall('RUN it'), say('Done.')]);
  writeFileSync(join(scene.place.work, 'hang.sh'), 'echo $$ > pid; sleep 1000');
  const child = scene.start(['--prompt', 'MAIN', '--allowed-tools', 'Bash(touch:*)', '--require-check', 'sh hang.sh']);
  const pid = Number(await fileComes(join(scene.place.work, 'pid')));
  child.kill('SIGINT');
  expect((await finish(child)).code).toBe(130);
  await processGone(pid);
  expect(scene.server.requests.length).toBe(1);
});

test('a harness that does not say what it cost is named beside the cost that is known', async () => {
  await using scene = await sceneWithHarness([agentCall('Say something.'), say('Good.')]);
  const flags = ['--model', 'claude-sonnet-4-6', '--max-cost', '1', '--output-format', 'json'];
  const {code, stdout, stderr} = await scene.run(['--prompt', 'MAIN', ...flags]);
  expect([code, JSON.parse(stdout).unknown_costs]).toEqual([0, ['own']]);
  expect(stderr).toBe('weft: the cost of own is unknown, so --max-cost does not count it\n');
});

test('--continue goes on with a harness that an earlier run of weft has started', async () => {
  await using scene = await sceneWithHarness(({body}) => {
    const told = JSON.stringify(body.messages);
    if (!told.includes('Say something.')) return agentCall('Say something.');
    if (!told.includes('LATER')) return say('Good.');
    return told.includes('And again.') ? say('Better.') : call('SendMessage', {to: idIn(told), message: 'And again.'});
  });
  expect((await scene.run(['--prompt', 'MAIN'])).stdout).toBe('Good.\n');
  expect((await scene.run(['--continue', '--prompt', 'LATER'])).stdout).toBe('Better.\n');
  expect(toldResults(scene.server.requests.at(-1))).toEqual([
    expect.stringMatching(/^Prompt 1 of acp-session, loaded\./u),
  ]);
});

test('what a harness asks for is judged by the rules of the user; nobody to ask is a no', async () => {
  await using scene = await sceneWithHarness([agentCall('RUN it'), say('So be it.')]);
  const denied = await scene.run(['--prompt', 'MAIN', '--output-format', 'json']);
  expect(denied.code).toBe(3);
  expect(JSON.parse(denied.stdout)).toMatchObject({
    permission_denials: [{tool_name: 'Bash', tool_input: {command: 'touch made.txt'}}],
  });
  expect(existsSync(join(scene.place.work, 'made.txt'))).toBe(false);

  await using other = await sceneWithHarness([agentCall('RUN it'), say('It is there.')]);
  const allowed = await other.run(['--prompt', 'MAIN', '--allowed-tools', 'Bash(touch:*)']);
  expect({code: allowed.code, stdout: allowed.stdout}).toEqual({code: 0, stdout: 'It is there.\n'});
  expect(existsSync(join(other.place.work, 'made.txt'))).toBe(true);
  expect(idIn(toldResults(other.server.requests[1])[0])).not.toBe('');
});

test('what weft would run only on conditions that a harness does not keep is asked about, and judged where it runs', async () => {
  const cat = {kind: 'execute', rawInput: {command: 'cat notes.txt', cwd: 'conf'}};
  await using scene = await sceneWithHarness([
    ask({kind: 'execute', rawInput: {command: 'git status'}}),
    ask(cat),
    ask({kind: 'read', rawInput: {command: 'touch made.txt'}, locations: [{path: 'notes.txt'}]}),
    ask({kind: 'read', locations: [{path: 'notes.txt'}]}),
    say('So it is.'),
  ]);
  const rules = ['--allowed-tools', 'Bash(cat:*)', '--disallowed-tools', 'Read(conf/**)'];
  const {stdout} = await scene.run(['--prompt', 'MAIN', '--output-format', 'json', ...rules]);
  expect(answersIn(scene)).toEqual(['It may not.', 'It may not.', 'It may not.', 'It may.']);
  expect(JSON.parse(stdout)).toMatchObject({
    permission_denials: ['git status', 'cat notes.txt', 'touch made.txt'].map(command => ({tool_input: {command}})),
  });
});

test('a harness searches no folder that may hold files which a rule forbids to read', async () => {
  await using scene = await sceneWithHarness([search('conf'), search('.'), search('src'), say('So it is.')]);
  await scene.run(['--prompt', 'MAIN', '--disallowed-tools', 'Read(conf/**)']);
  expect(answersIn(scene)).toEqual(['It may not.', 'It may not.', 'It may.']);
});

const diff = (path: string, oldText: string | null, newText: string) => ({type: 'diff', path, oldText, newText});
const edit = (...content: readonly object[]) => ask({kind: 'edit', title: 'x', content});

test('a program and an HTTP client read the text of what a harness wants to change', async () => {
  const script = [
    edit(diff('a.txt', null, 'new\n')),
    edit(diff('a.txt', null, 'a\n'), diff('b.txt', null, 'b\n')),
    say('Done.'),
  ];
  await using scene = await sceneWithHarness([...script, ...script]);
  const {work} = scene.place;
  const patch = `*** Begin Patch\n*** Add File: ${work}/a.txt\n+a\n*** Add File: ${work}/b.txt\n+b\n*** End Patch`;
  const wanted = [
    ['Write', {file_path: `${work}/a.txt`, content: 'new\n'}],
    ['ApplyPatch', {patch}],
  ];
  const client = startRpc(scene, ['--permission-prompt-tool', 'stdio']);
  client.send(userMessage('MAIN'));
  const asked: unknown[] = [];
  for (const _ of wanted) {
    const {request_id: id, request} = await client.next(isType('control_request'));
    asked.push([Object(request).tool_name, Object(request).input]);
    client.send(answerTo(id, {behavior: 'deny', message: 'no'}));
  }
  await client.finish();
  expect(asked).toEqual(wanted);

  await using server = await WeftServer.start({place: scene.place, environment: pointedAt(scene.server)});
  const seen: unknown[] = [];
  let sessionId = '';
  for await (const message of agentEvents(server, 'POST', '/agent/', {body: {prompt: 'MAIN', workDir: work}})) {
    sessionId = message.sessionId ?? sessionId;
    const {permission} = message;
    if (permission === undefined) continue;
    seen.push([permission.toolName, Object(permission).input]);
    await server.ask('POST', '/agent/permission', {body: {sessionId, permissionId: permission.id, decision: 'deny'}});
  }
  expect(seen).toEqual(wanted);
});

test('a rule for an MCP server allows nothing to a harness of the same name', async () => {
  const create = ask({kind: 'other', title: 'create_issue'}, 'gh');
  await using scene = await sceneWithHarness([create, ask({kind: 'other', title: 'x y'}, 'gh'), say('No.')], 'gh');
  await scene.run(['--prompt', 'MAIN', '--allowed-tools', 'mcp__gh', 'mcp__gh__create_issue', 'mcp__gh__x_y']);
  expect(answersIn(scene)).toEqual(['It may not.', 'It may not.']);

  await using own = await sceneWithHarness([create, ask({kind: 'other', title: 'x y'}, 'gh'), say('No.')], 'gh');
  await own.run(['--prompt', 'MAIN', '--allowed-tools', 'harness__gh__create_issue', 'harness__gh__x_y']);
  expect(answersIn(own)).toEqual(['It may.', 'It may not.']);
});

test('a harness that crashes, and one that is not installed, are errors that the model reads', async () => {
  await using scene = await sceneWithHarness([[agentCall('CRASH'), agentCall('x', 'codex')], say('None of it.')]);
  const {code, stdout} = await scene.run(['--prompt', 'MAIN'], {environment: {PATH: '/usr/bin:/bin'}});
  expect({code, stdout}).toEqual({code: 0, stdout: 'None of it.\n'});
  const [crashed, missing] = toldResults(scene.server.requests[1]);
  expect(crashed).toMatch(/ended.*\n\[agent /su);
  expect(missing).toMatch(/codex/iu);
});

test.each(['SIGINT', 'SIGKILL'] as const)('%s of weft leaves nothing of a harness', async signal => {
  await using scene = await sceneWithHarness([agentCall('SLEEP'), say('never')]);
  const run = scene.start(['--prompt', 'MAIN']);
  const pid = Number(await fileComes(join(scene.place.work, 'pid')));
  run.kill(signal);
  const {code} = await finish(run);
  if (signal === 'SIGINT') expect(code).toBe(130);
  await processGone(pid);
});
