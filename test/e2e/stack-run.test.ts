// @module-tag long
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {openDatabase} from '../contract/store/open-database.ts';
import {StackStore} from '../../src/store/stack-store.ts';
import type {TaskStack} from '../../src/tasks/stack/task-stack.ts';
import {lookUntil} from '../support/look-until.ts';
import {scriptedServer} from '../support/mcp-server.ts';
import {call, say, until} from '../support/model-script.ts';
import {finish} from '../support/run-weft.ts';
import {openScene, toldPrompt, toldResults, type Scene} from '../support/scene.ts';

const agent = fileURLToPath(new URL('support/acp-agent.mjs', import.meta.url));

/** The task stack of a scene, as another process sees it. */
class SceneStack implements Disposable {
  readonly #store: StackStore;

  constructor({place}: Scene) {
    const file = join(place.home, 'weft', 'weft.db');
    this.#store = new StackStore(openDatabase(file), {now: Date.now, digits: () => 'aaaaaa'});
  }

  perform<T>(work: (stack: TaskStack) => T): T {
    return this.#store.perform(work);
  }

  /** Adds a layer with tasks of these descriptions. */
  layer(
    descriptions: readonly string[],
    hooks: Pick<Parameters<TaskStack['insertLayer']>[0], 'pre_hook' | 'post_hook'> = {},
  ) {
    return this.perform(stack => {
      const task_ids = descriptions.map(
        overall_description =>
          stack.createTask({description: {overall_description, input: {}, requirements: [], additional_notes: ''}}).id,
      );
      stack.insertLayer({insert_layer_index: stack.layers().length, task_ids, ...hooks});
      return task_ids;
    });
  }

  statuses(): readonly string[] {
    return this.#store.read(stack => stack.tasks().map(({status}) => status));
  }

  /** Of the last task, as JSON. */
  progress(): string {
    return this.#store.read(stack => JSON.stringify(stack.tasks().at(-1)?.progress));
  }

  messages() {
    return this.#store.read(stack =>
      stack
        .messages()
        .map(({sender_type, content, director_read_status}) => ({sender_type, content, director_read_status})),
    );
  }

  [Symbol.dispose](): void {
    this.#store.close();
  }
}

test('weft stack run: hooks and tasks in order, each task in a session of its own, and what came of it is kept', async () => {
  await using scene = await openScene(request => say(`Did ${toldPrompt(request).split('\n')[0] ?? ''}.`));
  using stack = new SceneStack(scene);
  const [one, two] = stack.perform(each => {
    const [first, second] = [
      {overall_description: 'one', input: {path: 'a.txt'}, requirements: ['It is short'], additional_notes: 'Soon'},
      {overall_description: 'two', input: {}, requirements: [], additional_notes: ''},
    ].map(description => each.createTask({description}).id);
    each.insertLayer({
      insert_layer_index: 0,
      task_ids: [first ?? ''],
      pre_hook: {type: 'command', command: 'echo hooked >hooked.txt'},
      post_hook: {type: 'unheard-of'},
    });
    each.insertLayer({
      insert_layer_index: 1,
      task_ids: [second ?? ''],
      post_hook: {type: 'prompt', prompt: 'Look it over'},
    });
    return [first, second];
  });
  expect(await scene.run(['stack', 'run', '--permission-mode', 'bypassPermissions'])).toEqual({
    code: 0,
    signal: null,
    stdout: [
      'pre-hook of layer 0  done',
      `${one}  started: one`,
      `${one}  completed`,
      'post-hook of layer 0  passed over: weft does not run hooks of type "unheard-of"',
      `${two}  started: two`,
      `${two}  completed`,
      'post-hook of layer 1  done',
      '',
    ].join('\n'),
    stderr: '',
  });
  expect(scene.read('hooked.txt')).toBe('hooked\n');
  const prompts = scene.server.requests.map(toldPrompt);
  expect(prompts).toEqual([
    expect.stringContaining('one\n\nInput:\n{\n  "path": "a.txt"\n}\n\nRequirements:\n- It is short\n\nNotes:\nSoon'),
    expect.stringContaining('two'),
    expect.stringContaining('Look it over'),
  ]);
  expect(stack.statuses()).toEqual(['COMPLETED', 'COMPLETED']);
  expect(stack.messages()).toEqual([
    {sender_type: 'subagent', content: 'Did one.', director_read_status: 'UNREAD'},
    {
      sender_type: 'director',
      content: 'The post-hook of layer 0 was skipped: weft does not run hooks of type "unheard-of".',
      director_read_status: 'UNREAD',
    },
    {sender_type: 'subagent', content: 'Did two.', director_read_status: 'UNREAD'},
  ]);
  expect(stack.perform(each => each.tasks()[0])).toMatchObject({
    progress: {text: 'Did one.', session_id: expect.stringMatching(/^[0-9a-f-]{36}$/u)},
    results: {answer: 'Did one.'},
  });
  // Nothing is left to do: not even the last hook runs again.
  expect(await scene.run(['stack', 'run'])).toMatchObject({code: 0, stdout: ''});
  expect(scene.server.requests).toHaveLength(3);
});

test('a task that fails ends the run with 1, with --keep-going after the others; --once is one position', async () => {
  const refusal = {status: 400, headers: {}, body: undefined, message: 'no', code: undefined};
  await using scene = await openScene(request => (toldPrompt(request).startsWith('bad') ? {refusal} : say('Done.')));
  using stack = new SceneStack(scene);
  stack.layer(['bad one', 'good', 'bad two', 'last']);
  expect((await scene.run(['stack', 'run', '--once'])).code).toBe(1);
  expect(stack.statuses()).toEqual(['FAILED', 'PENDING', 'PENDING', 'PENDING']);
  expect((await scene.run(['stack', 'run'])).code).toBe(1);
  expect(stack.statuses()).toEqual(['FAILED', 'COMPLETED', 'FAILED', 'PENDING']);
  stack.layer(['bad three', 'very last']);
  expect((await scene.run(['stack', 'run', '--keep-going'])).code).toBe(1);
  expect(stack.statuses()).toEqual(['FAILED', 'COMPLETED', 'FAILED', 'COMPLETED', 'FAILED', 'COMPLETED']);
});

test('a hook that needs an approval is refused, and the run ends with 3 before its tasks', async () => {
  await using scene = await openScene([]);
  using stack = new SceneStack(scene);
  stack.layer(['never'], {pre_hook: {type: 'command', command: 'touch made.txt'}});
  const refused = await scene.run(['stack', 'run']);
  expect(refused).toMatchObject({code: 3, stderr: expect.stringContaining('the pre-hook of layer 0 was refused')});
  expect(stack.statuses()).toEqual(['PENDING']);
  stack.perform(each => each.changeHooks(0, {pre_hook: {type: 'command', command: 'exit 7'}}));
  expect(await scene.run(['stack', 'run', '--permission-mode', 'bypassPermissions'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exit code 7'),
  });
  expect(scene.server.requests).toEqual([]);
});

test('a hook with a goal has an agent work until its command exits with 0', async () => {
  const write = call('Write', {file_path: 'a.txt', content: 'good'});
  await using scene = await openScene((_, number) => (number === 2 ? write : say('Done.')));
  using stack = new SceneStack(scene);
  stack.layer([], {post_hook: {type: 'goal', goal: 'grep good a.txt', prompt: 'Mend a.txt'}});
  const mode = ['--permission-mode', 'acceptEdits'];
  expect((await scene.run(['stack', 'run', ...mode])).code).toBe(0);
  expect(scene.server.requests.map(toldPrompt)[0]).toMatch(
    /^Mend a\.txt\n\nWork until `grep good a\.txt` exits with 0\..*exit code 2 grep/su,
  );
  expect(scene.server.requests.length).toBe(3);

  stack.layer([], {post_hook: {type: 'goal', goal: 'grep better a.txt'}});
  expect(await scene.run(['stack', 'run', ...mode])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('failed 3 times, and the failure stays the same: exit code 1'),
  });
  expect(scene.server.requests.length).toBe(5);
});

test('the goal of a hook may be a file, a JSON value or a named check, and no hidden exit code', async () => {
  const settings = {checks: [{name: 'good', command: 'grep good a.txt', directory: 'sub'}]};
  const mode = ['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash', '--settings', JSON.stringify(settings)];
  for (const [goal, wrong, file, content] of [
    ['file: a.txt exists', 'b.txt', 'a.txt', ''],
    ['file: a.txt contains good', 'a.txt', 'a.txt', 'good'],
    ['json: a.json .lines >= 80', 'a.json', 'a.json', '{"lines": 80}'],
    ['check: good', 'a.txt', 'sub/a.txt', 'good'],
  ] as const) {
    const mend = call('Bash', {command: `echo '${content}' > ${file}`});
    await using scene = await openScene((_, number) => (number === 1 ? mend : say('Done.')));
    mkdirSync(join(scene.place.work, 'sub'));
    writeFileSync(join(scene.place.work, wrong), '{"lines": 7}');
    using stack = new SceneStack(scene);
    stack.layer([], {post_hook: {type: 'goal', goal}});
    expect([goal, (await scene.run(['stack', 'run', ...mode])).code]).toEqual([goal, 0]);
    expect(scene.server.requests.length).toBe(2);
  }
  await using scene = await openScene([]);
  using stack = new SceneStack(scene);
  stack.layer([], {post_hook: {type: 'goal', goal: 'npm test | tail'}});
  const {code, stderr} = await scene.run(['stack', 'run', ...mode]);
  expect([code, stderr]).toEqual([3, expect.stringContaining('a pipe hides the exit code')]);
});

test('a hook with a goal whose check runs no test is not done', async () => {
  const mend = call('Write', {file_path: 'b.test.mjs', content: "import {test} from 'node:test';\ntest('b');\n"});
  await using scene = await openScene((_, number) => (number === 1 ? mend : say('Done.')));
  using stack = new SceneStack(scene);
  writeFileSync(join(scene.place.work, 'a.test.mjs'), "import {test} from 'node:test';\ntest.skip('a');\n");
  stack.layer([], {post_hook: {type: 'goal', goal: 'node --test'}});
  const {code, stderr} = await scene.run(['stack', 'run', '--permission-mode', 'bypassPermissions']);
  expect([code, scene.server.requests.length]).toEqual([0, 2]);
  expect([toldPrompt(scene.server.requests[0]), stderr]).toEqual([expect.stringContaining('ran no test'), '']);
});

test('a hook that runs unasked finds no program of the workspace', {tags: 'smoke'}, async () => {
  await using scene = await openScene([]);
  using stack = new SceneStack(scene);
  const programs = join(scene.place.work, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'ls'), '#!/bin/sh\necho ran >ran.log\n', {mode: 0o755});
  stack.layer([], {pre_hook: {type: 'command', command: 'ls'}});
  const environment = {PATH: `${programs}:${scene.place.environment()['PATH'] ?? ''}`};
  expect((await scene.run(['stack', 'run'], {environment})).code).toBe(0);
  expect(existsSync(join(scene.place.work, 'ran.log'))).toBe(false);
});

test('while a task runs: a second run is refused, a message of the user reaches it, a signal leaves it under way', async () => {
  const asked = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  let isResumed = false;
  await using scene = await openScene((request, number) => {
    if (isResumed) return say('Resumed.');
    if (number === 1) return [say('I begin.'), until(asked.promise), call('Glob', {pattern: '*'})];
    // It works on until it has been told.
    if (!JSON.stringify(request.body.messages).includes('Mind the gap')) return call('Glob', {pattern: `${number}*`});
    read.resolve();
    return [say('I see.'), until(new Promise(() => {}))];
  });
  using stack = new SceneStack(scene);
  const [task = ''] = stack.layer(['work']);
  const child = scene.start(['stack', 'run']);
  const finished = finish(child);
  await scene.server.received(1);
  expect(await scene.run(['stack', 'run'])).toMatchObject({
    code: 1,
    stderr: 'weft: the task stack is already running in another weft process.\n',
  });
  expect((await scene.run(['stack', 'message', 'Mind', 'the', 'gap', '--task', task])).code).toBe(0);
  asked.resolve();
  await read.promise;
  child.kill('SIGINT');
  expect((await finished).code).toBe(130);
  expect(stack.statuses()).toEqual(['IN_PROGRESS']);
  expect(stack.messages()).toEqual([{sender_type: 'user', content: 'Mind the gap', director_read_status: 'READ'}]);
  isResumed = true;
  expect(await scene.run(['stack', 'run'])).toMatchObject({
    code: 0,
    stdout: `${task}  resumed: work\n${task}  completed\n`,
  });
  const told = JSON.stringify(scene.server.requests.at(-1)?.body.messages);
  expect([told.split('Mind the gap').length, told.includes('I begin.')]).toEqual([2, true]);
});

test('what a sub-agent has to say while it works becomes a message; no other session has the tool for it', async () => {
  const speak = call('mcp__task_stack__send_message', {message: 'Which name shall it have?'});
  await using scene = await openScene((_, number) =>
    number === 1 ? [speak, call('mcp__calc__add', {a: 1})] : say('I called it x.'),
  );
  using stack = new SceneStack(scene);
  stack.layer(['Name it']);
  const calc = {...scriptedServer({tools: [{name: 'add', does: 'arguments'}]}), required: true};
  const servers = ['--mcp-config', JSON.stringify({mcpServers: {calc}}), '--allowed-tools', 'mcp__calc'];
  expect((await scene.run(['stack', 'run', ...servers])).code).toBe(0);
  expect(stack.messages().map(({content}) => content)).toEqual(['Which name shall it have?', 'I called it x.']);
  expect(toldResults(scene.server.requests[1])).toEqual(['Sent.', expect.stringContaining('"a":1')]);
  await scene.run(['--prompt', 'x']);
  const tools = scene.server.requests.map(({body}) => JSON.stringify(body.tools).includes('task_stack'));
  expect(tools).toEqual([true, true, false]);
});

test('--harness: the agent of another program does the tasks, judged as weft is, and is gone on with', async () => {
  await using scene = await openScene([]);
  using stack = new SceneStack(scene);
  const harnesses = {own: {command: process.execPath, args: [agent]}};
  writeFileSync(join(scene.place.home, 'weft', 'settings.json'), JSON.stringify({harnesses}));
  const run = (...args: readonly string[]) => scene.run(['stack', 'run', '--harness', 'own', ...args]);
  stack.layer(['Say it', 'RUN it', 'RUN it as well', 'CRASH']);
  expect((await run()).code).toBe(1);
  expect(stack.statuses()).toEqual(['COMPLETED', 'FAILED', 'PENDING', 'PENDING']);
  expect(existsSync(join(scene.place.work, 'made.txt'))).toBe(false);
  expect((await run('--allowed-tools', 'Bash(touch:*)')).code).toBe(1);
  expect(stack.statuses()).toEqual(['COMPLETED', 'FAILED', 'COMPLETED', 'FAILED']);
  expect(existsSync(join(scene.place.work, 'made.txt'))).toBe(true);
  expect(stack.perform(each => each.tasks().map(({results}) => results))).toMatchObject([
    {answer: 'Prompt 1 of acp-session.', harness: 'own'},
    {answer: 'I was not allowed to.', error: expect.stringContaining('not run because it needs approval: Bash')},
    {answer: 'Made it.'},
    {error: expect.any(String)},
  ]);

  const [task = ''] = stack.layer(['HANG']);
  const child = scene.start(['stack', 'run', '--harness', 'own', '--json']);
  const finished = finish(child);
  await lookUntil(
    () => stack.progress().includes('acp-session'),
    () => 'the harness never began',
  );
  child.kill('SIGKILL');
  await finished;
  expect(stack.statuses().at(-1)).toBe('IN_PROGRESS');
  expect(await run()).toMatchObject({code: 0, stdout: `${task}  resumed: HANG\n${task}  completed\n`});
  expect(stack.messages().at(-1)?.content).toBe('Prompt 1 of acp-session, loaded.');
  expect(await scene.run(['stack', 'run', '--harness', 'nobody'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Unknown harness "nobody"'),
  });
});

test('killed at any moment, the next run goes on: no task comes to its end twice, and none is lost', async () => {
  // At which request to the model each run is killed; the last one comes to the end.
  const kills = [1, 2, 2, 3, 1, 4];
  let killAt = 0;
  let since = 0;
  let running: ReturnType<Scene['start']> | undefined;
  await using scene = await openScene(request => {
    since += 1;
    if (since === killAt) {
      running?.kill('SIGKILL');
      return until(new Promise(() => {}));
    }
    const turns = request.body.messages.filter(({role}) => role === 'assistant').length;
    return turns === 0 ? [say('I begin.'), call('Glob', {pattern: '*'})] : say('It is done.');
  });
  using stack = new SceneStack(scene);
  const tasks = [...stack.layer(['one', 'two']), ...stack.layer(['three', 'four'])];
  const starts: string[] = [];
  for (const at of [...kills, 0]) {
    [killAt, since] = [at, 0];
    running = scene.start(['stack', 'run']);
    const {code, stdout} = await finish(running);
    expect(code).toBe(at === 0 ? 0 : null);
    starts.push(stdout);
  }
  expect(stack.statuses()).toEqual(tasks.map(() => 'COMPLETED'));
  const lines = starts.join('').split('\n');
  const said = stack.messages();
  expect(said).toEqual(
    tasks.map(() => ({sender_type: 'subagent', content: 'It is done.', director_read_status: 'UNREAD'})),
  );
  for (const task of tasks) {
    expect(lines.filter(line => line.startsWith(`${task}  started: `))).toHaveLength(1);
    expect(lines.filter(line => line === `${task}  completed`).length).toBeLessThanOrEqual(1);
  }
});
