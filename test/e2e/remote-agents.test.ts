// @module-tag long
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {loadSqlite} from '../../src/store/sqlite-database.ts';
import {agentEvents} from '../support/agent-server.ts';
import {lookUntil} from '../support/look-until.ts';
import {type Answer, call, hang, say} from '../support/model-script.ts';
import {type ModelServer, type Script, startModelServer} from '../support/model-server.ts';
import {needs} from '../support/programs.ts';
import {putFile} from '../support/put-file.ts';
import {finish, TempPlace} from '../support/run-weft.ts';
import {fileComes, openScene, pointedAt, processGone, type Scene, toldResults} from '../support/scene.ts';
import {openTerminal} from '../support/shell-terminal.ts';
import {WeftServer} from '../support/weft-server.ts';
import {ask, readAll} from './support/agent-sdk.ts';
import {startDisplay} from './support/display.ts';

/** A scene whose settings name a weft server, in a place of its own, as `far`; each has a model of its own. */
async function withFar(script: Script, far: Script, environment: Readonly<Record<string, string>> = {}) {
  const scene = await openScene(script);
  const place = new TempPlace();
  const model = await startModelServer(far);
  const server = await WeftServer.start({place, environment: {...pointedAt(model), ...environment}});
  const tokenFile = join(scene.place.home, 'far.token');
  writeFileSync(tokenFile, server.token);
  setFar(scene, {url: server.url.href, tokenFile, cwd: place.work});
  return {
    scene,
    place,
    model,
    server,
    tokenFile,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await model.close();
      place[Symbol.dispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

function setFar(scene: Scene, far: object): void {
  const folder = join(scene.place.home, 'weft');
  putFile(join(folder, 'settings.json'), JSON.stringify({harnesses: {far}}));
}

const agentCall = call('Agent', {description: 'far away', prompt: 'WORK there', harness: 'far'});
const write: Answer = call('Write', {file_path: 'new.txt', content: 'x\n'});
const requests = (model: ModelServer, count: number) =>
  lookUntil(
    () => model.requests.length === count,
    () => `${String(model.requests.length)} requests`,
  );

test('a sub-agent works on another weft server, asks by the rules of the user here, and takes a message', async () => {
  await using far = await withFar(
    [agentCall, call('SendMessage', {to: 'far away', message: 'And more?'}), say('Good.')],
    [write, say('It is done.'), say('No more.')],
  );
  const {scene} = far;
  const ran = await scene.run(['--prompt', 'MAIN', '--allowed-tools', 'Edit', 'Write']);
  expect([ran.code, ran.stdout]).toEqual([0, 'Good.\n']);
  expect(toldResults(scene.server.requests[1])).toEqual([
    expect.stringMatching(/^It is done\.\n\n\[agent .*: far away, far, /u),
  ]);
  expect(toldResults(scene.server.requests[2])).toEqual([expect.stringMatching(/^No more\./u)]);
  expect(readFileSync(join(far.place.work, 'new.txt'), 'utf8')).toBe('x\n');
  expect(existsSync(join(scene.place.work, 'new.txt'))).toBe(false);
  // Its session lies there.
  const [session] = (await far.server.ask('GET', '/agent/sessions')).body;
  expect(session).toMatchObject({running: false, messages: 5});
});

/** A call in the form of the seed. */
const startAgent = (fields: object): Answer =>
  call('StartAgent', {
    version: 'V2',
    name: 'far away',
    prompt: 'WORK there',
    execution_mode: {
      Remote: {
        environment_id: 'far',
        skill_references: [{name: 'house'}],
        model_id: 'claude-opus-5-5',
        computer_use_enabled: false,
        worker_host: '127.0.0.1',
        harness_type: 'oz',
        title: 'Far away',
        ...fields,
      },
    },
    lifecycle_subscription: ['idle'],
  });

test("StartAgent of the seed works on the server's host, with its model, skills and title", async () => {
  await using far = await withFar([startAgent({}), say('Good.')], [say('It is done.')]);
  const {scene} = far;
  const ran = await scene.run(['--prompt', 'MAIN', '--output-format', 'json']);
  expect([ran.code, JSON.parse(ran.stdout).result]).toEqual([0, 'Good.']);
  expect(toldResults(scene.server.requests[1])).toEqual([
    expect.stringMatching(/^It is done\.\n\n\[agent .*: far away, far, /u),
  ]);
  const asked = far.model.requests[0]?.body;
  expect([asked?.model, JSON.stringify(asked?.messages)]).toEqual([
    'claude-opus-5-5',
    expect.stringContaining('Read these skills first: house.'),
  ]);
  const kept = new (loadSqlite().DatabaseSync)(join(scene.place.home, 'weft', 'weft.db'), {readOnly: true});
  expect(kept.prepare('SELECT title FROM sessions').all()).toContainEqual({title: 'Far away'});
  kept.close();
});

test('StartAgent is refused on another host, on an agent of this machine, and in an unknown version', async () => {
  await using far = await withFar(
    [
      startAgent({worker_host: 'far.example'}),
      startAgent({environment_id: 'codex', worker_host: ''}),
      call('StartAgent', {version: 'V9', name: 'a', prompt: 'b'}),
      call('StartAgent', {name: 'a', prompt: 'b', computer_use_enabled: true}),
      say('So be it.'),
    ],
    [],
  );
  const {scene, server} = far;
  await scene.run(['--prompt', 'MAIN']);
  expect(scene.server.requests.slice(1).map(request => toldResults(request)[0])).toEqual([
    `worker_host "far.example" is not the host of environment_id "far", which is ${server.url.host}. Give that, or leave worker_host out.`,
    'environment_id "codex" is not a weft server. Give the name of one in the setting harnesses, or leave environment_id out.',
    'The input of StartAgent is invalid: version is V9, and weft knows v1 and v2. Give one of them, or leave version out.',
    'The input of StartAgent is invalid: computer_use_enabled is true, and a sub-agent here can never use the computer. Leave it out.',
  ]);
});

test('without computer_use_enabled no one is asked for the screen there', async context => {
  needs('Xvfb', 'xdotool', 'import')(context);
  const use = [
    call('ToolSearch', {query: 'select:RequestComputerUse'}),
    call('RequestComputerUse', {task_summary: 'Look', minutes: 2}),
    say('No.'),
  ];
  await using far = await withFar(
    [startAgent({}), startAgent({computer_use_enabled: true}), say('So be it.')],
    [...use, ...use],
    {DISPLAY: await startDisplay()},
  );
  const asked: string[] = [];
  await readAll(
    ask(far.scene, 'MAIN', {
      env: far.scene.place.environment(pointedAt(far.scene.server)),
      async canUseTool(name, input) {
        asked.push(name);
        return {behavior: 'allow', updatedInput: input};
      },
    }),
  );
  expect(asked).toEqual(['RequestComputerUse']);
  expect([2, 5].map(at => toldResults(far.model.requests[at])[0])).toEqual([
    'The user said no to this.',
    expect.stringMatching(/^The user allows it for 2 minutes\./u),
  ]);
});

test('what is asked where nobody can answer is denied, and changes nothing there', async () => {
  await using far = await withFar([agentCall, say('So be it.')], [write, say('I could not.')]);
  const ran = await far.scene.run(['--prompt', 'MAIN']);
  expect([ran.code, ran.stdout]).toEqual([3, 'So be it.\n']);
  expect(existsSync(join(far.place.work, 'new.txt'))).toBe(false);
});

/** The settings of the server's machine. */
const setThere = (place: TempPlace, settings: object): void => {
  const folder = join(place.home, 'weft');
  putFile(join(folder, 'settings.json'), JSON.stringify(settings));
};

test('the rules here bind what works there, whatever rules and hooks there allow', async () => {
  await using far = await withFar(
    [agentCall, say('So be it.')],
    [
      write,
      call('Bash', {command: 'touch made.txt'}),
      call('Read', {file_path: 'secret/plan.txt'}),
      call('Grep', {pattern: 'x', path: 'secret'}),
      call('Read', {file_path: 'open.txt'}),
      say('I could read one.'),
    ],
  );
  const {place, scene} = far;
  putFile(join(place.work, 'secret', 'plan.txt'), 'x marks the spot');
  writeFileSync(join(place.work, 'open.txt'), 'nothing special');
  setThere(place, {
    permissions: {allow: ['Write', 'Bash', 'Read'], defaultMode: 'bypassPermissions'},
    hooks: {PreToolUse: [{hooks: [{type: 'command', command: allowing('PreToolUse')}]}]},
  });
  const rules = ['Write', 'Edit', 'Bash(touch *)', 'Read(secret/**)'];
  const ran = await scene.run(['--prompt', 'MAIN', '--disallowed-tools', ...rules]);
  expect([ran.stdout, existsSync(join(place.work, 'new.txt')), existsSync(join(place.work, 'made.txt'))]).toEqual([
    'So be it.\n',
    false,
    false,
  ]);
  const told = far.model.requests.slice(1).map(request => toldResults(request)[0] ?? '');
  expect(told.map(text => text.includes('spot'))).toEqual([false, false, false, false, false]);
  expect(told.at(-1)).toContain('nothing special');
});

const allowing = (event: string): string =>
  `echo '${JSON.stringify({hookSpecificOutput: {hookEventName: event, permissionDecision: 'allow'}})}'`;

test('a path of the folder there is one of the folder here to the rules; an edit shows the text that lies there', async () => {
  const outside = '/nowhere-at-all.txt';
  const edit = {old_string: 'before', new_string: 'after'};
  await using far = await withFar([agentCall, say('Good.')], ({body}) => {
    const results = JSON.stringify(body.messages).split('tool_result').length - 1;
    const file = join(far.place.work, 'src', 'a.txt');
    if (results === 0) return call('Read', {file_path: file});
    if (results === 1) return call('Edit', {file_path: file, ...edit});
    if (results === 2) return call('Bash', {command: `cat ${file}`});
    return results === 3 ? call('Write', {file_path: outside, content: ''}) : say('It is done.');
  });
  const {place, scene} = far;
  putFile(join(place.work, 'src', 'a.txt'), 'before\n');
  const ran = await scene.run(['--prompt', 'MAIN', '--permission-mode', 'acceptEdits', '--output-format', 'json']);
  const told = far.model.requests.slice(1).map(request => toldResults(request)[0] ?? '');
  expect(told.slice(0, 3)).toEqual([
    expect.stringContaining('before'),
    expect.stringContaining('a.txt'),
    expect.stringContaining('after'),
  ]);
  expect(readFileSync(join(place.work, 'src', 'a.txt'), 'utf8')).toBe('after\n');
  expect(JSON.parse(ran.stdout)).toMatchObject({
    permission_denials: [{tool_name: 'Write', tool_input: {file_path: outside}}],
  });
});

test('in a terminal its card says who asks and what lies there, and Esc stops what it runs there', async () => {
  const edit = call('Edit', {file_path: 'a.txt', old_string: 'before', new_string: 'after'});
  const run = call('Bash', {command: 'echo $$ > pid; exec sleep 600'});
  await using far = await withFar([agentCall, say('never')], [call('Read', {file_path: 'a.txt'}), edit, run]);
  const {place, scene} = far;
  writeFileSync(join(place.work, 'a.txt'), 'one\nbefore\n');
  await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
  await terminal.type('weft Go.');
  await terminal.press('Enter');
  await terminal.onScreen(/far away: Make this edit to a\.txt\?[^]*1 +one[^]*2 - before[^]*2 \+ after/u);
  await terminal.type('y');
  await terminal.onScreen(/far away: Run this command\?[^]*exec sleep 600/u);
  await terminal.type('y');
  const pid = Number(await fileComes(join(place.work, 'pid')));
  expect(readFileSync(join(place.work, 'a.txt'), 'utf8')).toBe('one\nafter\n');
  await terminal.press('Escape');
  await terminal.until(/Interrupted/u);
  await processGone(pid);
});

test('the work begins with the skills there that the settings name', async () => {
  await using far = await withFar([agentCall, say('Good.')], [call('Skill', {name: 'house'}), say('It is done.')]);
  const {place, scene} = far;
  const folder = join(place.home, '.agents', 'skills', 'house');
  mkdirSync(folder, {recursive: true});
  writeFileSync(
    join(folder, 'SKILL.md'),
    '---\nname: house\ndescription: The rules of the house\n---\nTABS AND NO SPACES\n',
  );
  setFar(scene, {url: far.server.url.href, tokenFile: far.tokenFile, cwd: place.work, skills: ['house']});
  expect((await scene.run(['--prompt', 'MAIN'])).stdout).toBe('Good.\n');
  expect(JSON.stringify(far.model.requests[0]?.body)).toContain(
    'Load these skills before you begin, and work by them: house.',
  );
  expect(JSON.stringify(far.model.requests[1]?.body)).toContain('TABS AND NO SPACES');
});

test('--continue goes on with its conversation; a worktree here is none of it', async () => {
  const inWorktree = call('Agent', {description: 'apart', prompt: 'APART', harness: 'far', isolation: 'worktree'});
  await using far = await withFar(
    ({body}) => {
      const told = JSON.stringify(body.messages);
      if (told.includes('ALONE')) return told.includes('APART') ? say('So be it.') : inWorktree;
      if (!told.includes('WORK there')) return agentCall;
      if (!told.includes('LATER')) return say('Good.');
      const to = /\[agent ([0-9a-f-]{36}):/u.exec(told)?.[1] ?? '';
      return told.includes('And more?') ? say('Better.') : call('SendMessage', {to, message: 'And more?'});
    },
    [say('It is done.'), say('Much more.')],
  );
  const {scene} = far;
  expect((await scene.run(['--prompt', 'MAIN'])).stdout).toBe('Good.\n');
  expect((await scene.run(['--continue', '--prompt', 'LATER'])).stdout).toBe('Better.\n');
  expect(toldResults(scene.server.requests[3])[0]).toMatch(/^Much more\./u);
  expect(JSON.stringify(far.model.requests[1]?.body)).toContain('It is done.');
  execFileSync('git', ['init', '-q'], {cwd: scene.place.work, env: scene.place.environment()});
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  const commit = [...author, 'commit', '-q', '--allow-empty', '-m', 'first'];
  execFileSync('git', commit, {cwd: scene.place.work, env: scene.place.environment()});
  expect((await scene.run(['--prompt', 'ALONE'])).stdout).toBe('So be it.\n');
  expect(toldResults(scene.server.requests[5])[0]).toContain(
    "far works in a folder on its own machine, so it can't use a worktree here.",
  );
});

test('what was used there counts here', async () => {
  await using far = await withFar([agentCall, say('Good.')], [say('It is done.')]);
  const ran = await far.scene.run(['--prompt', 'MAIN', '--output-format', 'stream-json', '--verbose']);
  expect(ran.stdout).toContain('"usage":{"total_tokens":15,');
  const {modelUsage} = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '');
  // One request there, two here.
  expect(modelUsage).toMatchObject({'claude-sonnet-5-5': {inputTokens: 30, outputTokens: 15}});
});

test.each(['SIGTERM', 'SIGKILL'] as const)('what runs there stops when weft here ends by %s', async signal => {
  let asked = 0;
  const answers = () => ((asked += 1) === 1 ? hang() : say('Free again.'));
  await using far = await withFar([agentCall, say('Never.')], answers);
  const main = far.scene.start(['--prompt', 'MAIN'], {stdin: 'open'});
  // Of what was written to a killed process, the rest comes back as an error.
  for (const stream of main.stdio) stream?.on('error', () => {});
  const gone = once(main, 'exit');
  await requests(far.model, 1);
  main.kill(signal);
  await gone;
  const [{id}] = (await far.server.ask('GET', '/agent/sessions')).body;
  let told: readonly string[] = [];
  // A prompt that went on would keep the next one waiting; one that comes too early goes with it.
  await lookUntil(
    async () => {
      const types: string[] = [];
      for await (const {type} of agentEvents(far.server, 'POST', '/agent', {body: {prompt: 'next', sessionId: id}}))
        types.push(type);
      told = types;
      return types.includes('text');
    },
    () => told.join(' '),
  );
  expect(told).toEqual(['session', 'text', 'done']);
});

test('a server that ends, a wrong token, nobody who answers, and a folder that is not there are told', async () => {
  await using far = await withFar(
    [agentCall, say('A.'), agentCall, say('B.'), agentCall, say('C.'), agentCall, say('D.'), agentCall, say('E.')],
    [hang()],
  );
  const {scene, server} = far;
  const main = scene.start(['--prompt', 'MAIN']);
  const ended = finish(main);
  await requests(far.model, 1);
  await server.end('SIGKILL');
  expect((await ended).stdout).toBe('A.\n');
  expect(toldResults(scene.server.requests[1])[0]).toContain(
    `far ended before it was done: it exited with code 1 (it wrote: weft: lost the connection to ${server.url.origin})`,
  );
  await scene.run(['--prompt', 'MAIN']);
  expect(toldResults(scene.server.requests[3])[0]).toContain(`no answer from ${server.url.origin}`);

  await using again = await WeftServer.start({place: far.place, environment: pointedAt(far.model)});
  const tokenFile = join(scene.place.home, 'far.token');
  setFar(scene, {url: again.url.href, tokenFile, cwd: '/nowhere'});
  await scene.run(['--prompt', 'MAIN']);
  expect(toldResults(scene.server.requests[5])[0]).toContain('not an existing absolute folder, in body.workDir');
  writeFileSync(tokenFile, 'wrong');
  await scene.run(['--prompt', 'MAIN']);
  expect(toldResults(scene.server.requests[7])[0]).toMatch(/refused the request: /u);
  // What opens the user's own server is told to no other machine.
  setFar(scene, {url: 'http://far.invalid:4096'});
  await scene.run(['--prompt', 'MAIN']);
  expect(toldResults(scene.server.requests[9])[0]).toContain('No token for http://far.invalid:4096.');
});
