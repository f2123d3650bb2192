// @module-tag long
import {mkdirSync, readdirSync, realpathSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {expect, test} from 'vitest';
import {type Answer, call, fail, say, until} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {lookUntil} from '../support/look-until.ts';
import {finish} from '../support/run-weft.ts';
import {fileComes, openScene, processGone, type Scene, toldResults, toldSystem} from '../support/scene.ts';

const write = (scene: Scene, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    const at = resolve(scene.place.work, path);
    mkdirSync(dirname(at), {recursive: true});
    writeFileSync(at, text);
  }
};

/** What whoever asks was given to do: the text of the first message. */
const taskOf = ({body}: ReceivedRequest): string => JSON.stringify(body.messages[0]?.content);

/** How many answers the model has given in this conversation. */
const answered = ({body}: ReceivedRequest): number => body.messages.filter(({role}) => role === 'assistant').length;

/** A model for several agents at once: the first script whose word stands in the task answers, in the order of that conversation. */
const scripts =
  (byTask: Readonly<Record<string, readonly Answer[]>>) =>
  (request: ReceivedRequest): Answer => {
    const task = taskOf(request);
    const script = Object.entries(byTask).find(([word]) => task.includes(word))?.[1];
    return script?.[answered(request)] ?? fail(400, {message: `no answer for ${task.slice(0, 200)}`});
  };

const remove = (path: string) => call('Bash', {command: `rm -rf ${path}`});

const exploreHook = (command: string) => [{matcher: 'explore', hooks: [{type: 'command', command}]}];

const requestsOf = (scene: Scene, word: string): readonly ReceivedRequest[] =>
  scene.server.requests.filter(request => taskOf(request).includes(word));

test(
  'an explore agent reads in a context of its own, and its answer is what the model gets',
  {tags: 'smoke'},
  async () => {
    await using scene = await openScene(
      scripts({
        'FIND-IT': [[call('Read', {file_path: 'a.txt'})], say('The word is tea.')],
        MAIN: [
          [call('Agent', {description: 'find the word', prompt: 'FIND-IT in a.txt', subagent_type: 'explore'})],
          say('Tea it is.'),
        ],
      }),
    );
    write(scene, {'a.txt': 'tea\n'});
    const {code, stdout, stderr} = await scene.run(['--prompt', 'MAIN']);
    expect({code, stdout, stderr}).toEqual({code: 0, stdout: 'Tea it is.\n', stderr: ''});
    const [ofAgent] = requestsOf(scene, 'FIND-IT');
    const [ofMain, second] = requestsOf(scene, 'MAIN');
    // The provider reads the beginning of both from its cache.
    expect({system: ofAgent?.body.system, tools: ofAgent?.body.tools, model: ofAgent?.body.model}).toEqual({
      system: ofMain?.body.system,
      tools: ofMain?.body.tools,
      model: ofMain?.body.model,
    });
    expect(toldResults(second)).toEqual([
      expect.stringMatching(
        /^The word is tea\.\n\n\[agent [0-9a-f-]{36}: find the word, explore, 2 turns, 1 call, [\d,]+ tokens, \$[\d.]+\]$/u,
      ),
    ]);
    const sessions = await scene.run(['sessions', 'list', '--json']);
    expect(JSON.parse(sessions.stdout)).toHaveLength(1);
  },
);

test('what a sub-agent runs in the background starts in the folder of its own shell', async () => {
  await using scene = await openScene(
    scripts({
      'GO-BELOW': [
        [call('Bash', {command: 'cd below'})],
        [call('Bash', {command: 'pwd', run_in_background: true})],
        say('Done.'),
      ],
      MAIN: [[call('Agent', {description: 'look below', prompt: 'GO-BELOW', subagent_type: 'general'})], say('Good.')],
    }),
  );
  write(scene, {'below/a.txt': ''});
  expect((await scene.run(['--prompt', 'MAIN'])).code).toBe(0);
  const told = requestsOf(scene, 'GO-BELOW').flatMap(toldResults);
  expect(told.at(-1)).toContain(join(realpathSync(scene.place.work), 'below'));
});

test('what only reads changes nothing, whatever the user allows', async () => {
  await using scene = await openScene(
    scripts({
      LOOK: [[call('Write', {file_path: 'b.txt', content: 'x'})], say('I may not.')],
      MAIN: [[call('Task', {description: 'look', prompt: 'LOOK', subagent_type: 'review'})], say('So be it.')],
    }),
  );
  const {stdout} = await scene.run(['--prompt', 'MAIN', '--permission-mode', 'bypassPermissions']);
  expect(stdout).toBe('So be it.\n');
  expect(toldResults(requestsOf(scene, 'LOOK')[1])).toEqual([
    expect.stringMatching(/^Not permitted: Plan mode changes and runs nothing/u),
  ]);
  expect(() => scene.read('b.txt')).toThrow();
});

test('what nobody can be asked about is denied to a sub-agent, and the end says so', async () => {
  await using scene = await openScene(
    scripts({
      DELETE: [[call('Bash', {command: 'rm -rf a'})], say('It was refused.')],
      MAIN: [[call('Agent', {description: 'clean up', prompt: 'DELETE a'})], say('I could not.')],
    }),
  );
  write(scene, {'a/b.txt': 'x'});
  const {code, stdout} = await scene.run(['--prompt', 'MAIN', '--output-format', 'json']);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    result: 'I could not.',
    permission_denials: [{tool_name: 'Bash', tool_input: {command: 'rm -rf a'}}],
  });
  expect(toldResults(requestsOf(scene, 'DELETE')[1])).toEqual([expect.stringMatching(/there is no one to ask/u)]);
  expect(scene.read('a/b.txt')).toBe('x');
});

test('what a skill allows in a sub-agent holds for its prompt and what that starts, and for nobody else', async () => {
  const removed = Promise.withResolvers<void>();
  const script = scripts({
    'TIDY-UP': [
      [call('Skill', {name: 'tidy'})],
      [remove('one')],
      [remove('kept')],
      [call('Agent', {description: 'below', prompt: 'NESTED'})],
      say('Tidy.'),
      [remove('two')],
      say('Not again.'),
    ],
    NESTED: [[remove('nested')], say('Nested.')],
    // It asks when the other one, which is still at work, may remove what it likes.
    SIBLING: [[until(removed.promise), remove('three')], say('Sibling.')],
    MAIN: [
      [
        call('Agent', {description: 'tidy', prompt: 'TIDY-UP'}),
        call('Agent', {description: 'sibling', prompt: 'SIBLING'}),
      ],
      [remove('four')],
      [call('SendMessage', {to: 'tidy', message: 'Once more.'})],
      say('Done.'),
    ],
  });
  await using scene = await openScene(request => {
    if (taskOf(request).includes('TIDY-UP') && answered(request) === 2) removed.resolve();
    return script(request);
  });
  write(scene, {'one/a': '', 'two/a': '', 'three/a': '', 'four/a': '', 'nested/a': '', 'kept/a': ''});
  write(scene, {
    [join(scene.place.home, '.claude/skills/tidy/SKILL.md')]:
      '---\nname: tidy\ndescription: Tidies up\nallowed-tools: Bash(rm:*)\n---\nRemove what is old.',
  });
  await scene.run(['--prompt', 'MAIN', '--disallowed-tools', 'Bash(rm -rf kept)']);
  expect(readdirSync(scene.place.work).toSorted()).toEqual(['four', 'kept', 'three', 'two']);
  const refusals = scene.server.requests
    .flatMap(toldResults)
    .filter(text => text.startsWith('Not permitted'))
    .map(text => text.replace(/^Not permitted: (?<why>.*?)[,;].*\((?<what>.*)\)[^)]*$/u, '$<why>: $<what>'))
    .toSorted();
  const unasked = "this needs the user's approval";
  expect(refusals).toEqual([
    'Denied by the rule Bash(rm -rf kept): rm -rf kept',
    `${unasked}: rm -rf four`,
    `${unasked}: rm -rf three`,
    `${unasked}: rm -rf two`,
  ]);
});

test('several run at once, and what they cost counts for the session', async () => {
  const both = Promise.withResolvers<void>();
  let came = 0;
  const met = (answer: string): Answer => {
    came += 1;
    if (came === 2) both.resolve();
    // Neither is answered before both have asked.
    return [until(both.promise), say(answer)];
  };
  await using scene = await openScene(request => {
    const task = taskOf(request);
    if (task.includes('LEFT')) return met('left');
    if (task.includes('RIGHT')) return met('right');
    if (answered(request) > 0) return say('Both.');
    return [
      call('Agent', {description: 'left', prompt: 'LEFT', subagent_type: 'explore'}),
      call('Agent', {description: 'right', prompt: 'RIGHT', subagent_type: 'explore'}),
    ];
  });
  const {code, stdout} = await scene.run(['--prompt', 'MAIN', '--output-format', 'json']);
  expect(code).toBe(0);
  expect(toldResults(scene.server.requests.at(-1)).map(text => text.split('\n')[0])).toEqual(['left', 'right']);
  const one = {inputTokens: 10, outputTokens: 5};
  const {modelUsage} = JSON.parse(stdout);
  expect(Object.values(modelUsage)).toEqual([
    expect.objectContaining({inputTokens: 4 * one.inputTokens, outputTokens: 4 * one.outputTokens}),
  ]);
});

test('one whose model fails is an error that the model reads, and so are kinds and harnesses that nobody knows', async () => {
  await using scene = await openScene(
    scripts({
      BREAK: [fail(400, {message: 'no such thing'})],
      MAIN: [
        [
          call('Agent', {description: 'break', prompt: 'BREAK'}),
          call('Agent', {description: 'x', prompt: 'x', subagent_type: 'exlore'}),
          call('Agent', {description: 'x', prompt: 'x', harness: 'nobody'}),
          call('SendMessage', {to: 'nobody', message: 'x'}),
        ],
        say('None of it.'),
      ],
    }),
  );
  const {code, stdout} = await scene.run(['--prompt', 'MAIN']);
  expect({code, stdout}).toEqual({code: 0, stdout: 'None of it.\n'});
  expect(toldResults(scene.server.requests.at(-1))).toEqual([
    expect.stringMatching(/no such thing[^]*\[agent [0-9a-f-]{36}: break, general, 1 turn\]$/u),
    'Unknown kind of agent "exlore". Did you mean explore?',
    expect.stringMatching(/^Unknown harness "nobody"\. Available: weft, claude, codex, gemini, opencode, pi/u),
    expect.stringMatching(/^No sub-agent has the id or name "nobody"\. Available: [0-9a-f-]{36} \(break\)\.$/u),
  ]);
});

test('one that says nothing has failed, and stderr names its retries', async () => {
  let breaks = 0;
  const {MAIN, QUIET} = {
    MAIN: [call('Agent', {description: 'quiet one', prompt: 'QUIET'}), say('Noted.')],
    QUIET: [say(''), say('')],
  };
  await using scene = await openScene(request => {
    if (taskOf(request).includes('QUIET') && breaks++ === 0)
      return fail(503, {message: 'busy', headers: {'retry-after': '2'}});
    return scripts({QUIET, MAIN})(request);
  });
  const {code, stdout, stderr} = await scene.run(['--prompt', 'MAIN']);
  expect({code, stdout}).toEqual({code: 0, stdout: 'Noted.\n'});
  expect(stderr).toMatch(/quiet one: retrying in 2 s \(2 of \d+\): .*busy/u);
  expect(toldResults(scene.server.requests.at(-1))).toEqual([expect.stringMatching(/^It ended without an answer\./u)]);
});

test('one in the background goes on beside the agent, and its end is told to the model before the run ends', async () => {
  const told = Promise.withResolvers<void>();
  await using scene = await openScene(request => {
    const task = taskOf(request);
    if (task.includes('SLOWLY')) return [until(told.promise), say('The slow answer.')];
    switch (answered(request)) {
      case 0:
        return call('Agent', {description: 'slow', prompt: 'SLOWLY', run_in_background: true});
      case 1:
        told.resolve();
        return say('I go on.');
      default:
        return say('Now it is done.');
    }
  });
  const {code, stdout} = await scene.run(['--prompt', 'MAIN']);
  expect({code, stdout}).toEqual({code: 0, stdout: 'Now it is done.\n'});
  expect(toldResults(requestsOf(scene, 'MAIN')[1])).toEqual([
    expect.stringMatching(/^It continues in the background\. You will be notified when it ends\. \[agent /u),
  ]);
  expect(JSON.stringify(requestsOf(scene, 'MAIN')[2]?.body.messages.at(-1))).toContain('The slow answer.');
});

test('a message sets one to work again that has ended: it knows what it did', async () => {
  await using scene = await openScene(
    scripts({
      COUNT: [say('Three.'), say('Four, then.')],
      MAIN: [
        call('Agent', {description: 'counter', prompt: 'COUNT', subagent_type: 'explore'}),
        call('SendMessage', {to: 'counter', message: 'One more.'}),
        say('Four.'),
      ],
    }),
  );
  const {code, stdout} = await scene.run(['--prompt', 'MAIN']);
  expect({code, stdout}).toEqual({code: 0, stdout: 'Four.\n'});
  const again = requestsOf(scene, 'COUNT')[1]?.body.messages ?? [];
  expect(again.map(({role}) => role)).toEqual(['user', 'assistant', 'user']);
  expect(JSON.stringify(again.at(-1))).toContain('Message from the agent that started you:\\nOne more.');
  expect(toldResults(requestsOf(scene, 'MAIN')[2])).toEqual([expect.stringMatching(/^Four, then\.\n\n\[agent /u)]);
});

test('an interrupt ends what a sub-agent runs', async () => {
  await using scene = await openScene(
    scripts({
      WAIT: [call('Bash', {command: 'echo $$ > pid; exec sleep 600'}), say('never')],
      MAIN: [call('Agent', {description: 'wait', prompt: 'WAIT'}), say('never')],
    }),
  );
  const run = scene.start(['--prompt', 'MAIN', '--permission-mode', 'bypassPermissions']);
  const pid = Number(await fileComes(join(scene.place.work, 'pid')));
  run.kill('SIGINT');
  const {code} = await finish(run);
  expect(code).toBe(130);
  await processGone(pid);
});

test('after kill -9 of weft nothing of a sub-agent is left', async () => {
  await using scene = await openScene(
    scripts({
      WAIT: [call('Bash', {command: 'echo $$ > pid; exec sleep 600'}), say('never')],
      MAIN: [call('Agent', {description: 'wait', prompt: 'WAIT'}), say('never')],
    }),
  );
  const run = scene.start(['--prompt', 'MAIN', '--permission-mode', 'bypassPermissions']);
  const pid = Number(await fileComes(join(scene.place.work, 'pid')));
  run.kill('SIGKILL');
  await processGone(pid);
});

test("an agent's file says what a sub-agent is, may call and may take; what it asks for in vain is said", async () => {
  await using scene = await openScene(
    scripts({
      WORK: [[call('Bash', {command: 'ls'})], [call('Read', {file_path: 'a.txt'})], say('never')],
      MAIN: [call('Agent', {description: 'work', prompt: 'WORK', subagent_type: 'reader'}), say('Stopped.')],
    }),
  );
  write(scene, {
    'a.txt': 'tea\n',
    [join(scene.place.home, '.claude/agents/reader.md')]:
      '---\nname: reader\ndescription: Reads files\ntools: Read\nmaxTurns: 2\neffort: high\n---\nYou read.\n',
  });
  const {code, stdout} = await scene.run(['--prompt', 'MAIN']);
  expect({code, stdout}).toEqual({code: 0, stdout: 'Stopped.\n'});
  const [first, second] = requestsOf(scene, 'WORK');
  expect(toldSystem(first)).toBe('You read.');
  expect(first?.body.tools?.map(({name}) => name)).toEqual(['Read']);
  expect(toldResults(second)).toEqual([expect.stringMatching(/^No tool named "Bash" here/u)]);
  expect(JSON.stringify(requestsOf(scene, 'MAIN')[0]?.body.tools)).toContain('- reader: Reads files');
  expect(toldResults(requestsOf(scene, 'MAIN')[1])).toEqual([
    expect.stringMatching(/^Stopped after 2 turns\.\nIgnored fields of the agent reader: effort\. \[agent /u),
  ]);
});

test('a sub-agent does not overwrite what another one has changed since it read it', async () => {
  const read = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  await using scene = await openScene(request => {
    const task = taskOf(request);
    const at = answered(request);
    if (task.includes('SLOW')) {
      if (at === 0) return call('Read', {file_path: 'a.txt'});
      if (at === 1) read.resolve();
      const overwrite = call('Write', {file_path: 'a.txt', content: 'slow\n'});
      return at === 1 ? [until(changed.promise), overwrite] : say('I was late.');
    }
    if (task.includes('FAST')) {
      const edit = call('Edit', {file_path: 'a.txt', old_string: 'tea', new_string: 'fast'});
      if (at === 0) return call('Read', {file_path: 'a.txt'});
      if (at === 1) return [until(read.promise), edit];
      changed.resolve();
      return say('Changed.');
    }
    return at === 0
      ? [call('Agent', {description: 'slow', prompt: 'SLOW'}), call('Agent', {description: 'fast', prompt: 'FAST'})]
      : say('Done.');
  });
  write(scene, {'a.txt': 'tea\n'});
  const {code} = await scene.run(['--prompt', 'MAIN', '--permission-mode', 'acceptEdits']);
  expect({code, text: scene.read('a.txt')}).toEqual({code: 0, text: 'fast\n'});
  expect(toldResults(requestsOf(scene, 'SLOW')[2])).toEqual([
    expect.stringContaining('it changed since it was read; read it again.'),
  ]);
  expect(toldResults(requestsOf(scene, 'MAIN')[1])[1]).toMatch(/^Changed\.\n\n\[agent .*, changed a\.txt\]$/su);
});

test('hooks hear of the beginning and the end of a sub-agent, give it context, and may send it on', async () => {
  await using scene = await openScene(
    scripts({
      LOOK: [say('Not quite.'), say('Now it is.')],
      MAIN: [call('Agent', {description: 'look', prompt: 'LOOK', subagent_type: 'explore'}), say('Done.')],
    }),
  );
  const context = JSON.stringify({
    hookSpecificOutput: {hookEventName: 'SubagentStart', additionalContext: 'Be brief.'},
  });
  const hooks = {
    SubagentStart: exploreHook(`cat > start.json; echo '${context}'`),
    SubagentStop: exploreHook('cat > stop.json; [ -e once ] && exit 0; touch once; echo look again >&2; exit 2'),
    Stop: [{matcher: '', hooks: [{type: 'command', command: 'echo x >> stops'}]}],
  };
  const {code, stdout} = await scene.run(['--prompt', 'MAIN', '--settings', JSON.stringify({hooks})]);
  expect({code, stdout}).toEqual({code: 0, stdout: 'Done.\n'});
  expect(taskOf(requestsOf(scene, 'LOOK')[0] ?? expect.fail())).toContain('Be brief.');
  expect(JSON.stringify(requestsOf(scene, 'LOOK')[1]?.body.messages.at(-1))).toContain('look again');
  expect(toldResults(requestsOf(scene, 'MAIN')[1])).toEqual([expect.stringMatching(/^Now it is\.\n/u)]);
  const [start, end] = ['start.json', 'stop.json'].map(name => JSON.parse(scene.read(name)));
  expect([start, end]).toMatchObject([
    {hook_event_name: 'SubagentStart', agent_type: 'explore', agent_id: expect.stringMatching(/^[0-9a-f-]{36}$/u)},
    {hook_event_name: 'SubagentStop', agent_type: 'explore', agent_id: start.agent_id},
  ]);
  // That of the agent itself came once, and not for the sub-agent.
  expect(scene.read('stops')).toBe('x\n');
});

test('after --continue a message goes to a sub-agent of the earlier run, which knows what it did', async () => {
  await using scene = await openScene(request => {
    const told = JSON.stringify(request.body.messages);
    if (taskOf(request).includes('COUNT')) return say(answered(request) === 0 ? 'Three.' : 'Four.');
    if (answered(request) === 0) return call('Agent', {description: 'counter', prompt: 'COUNT'});
    if (!told.includes('LATER')) return say('Three it is.');
    const id = /\[agent ([0-9a-f-]{36}):/u.exec(told)?.[1] ?? expect.fail();
    return told.includes('One more.') ? say('Four it is.') : call('SendMessage', {to: id, message: 'One more.'});
  });
  expect((await scene.run(['--prompt', 'MAIN'])).stdout).toBe('Three it is.\n');
  expect((await scene.run(['--continue', '--prompt', 'LATER'])).stdout).toBe('Four it is.\n');
  expect(requestsOf(scene, 'COUNT')[1]?.body.messages.map(({role}) => role)).toEqual(['user', 'assistant', 'user']);
  expect(toldResults(scene.server.requests.at(-1))).toEqual([expect.stringMatching(/^Four\.\n\n\[agent /u)]);
});

test('weft ps of another process lists a sub-agent at work; weft agents stop ends it, and the agent goes on', async () => {
  const gate = Promise.withResolvers<void>();
  await using scene = await openScene(
    scripts({
      'LOOK-LONG': [[until(gate.promise), say('Late.')]],
      MAIN: [
        [call('Agent', {description: 'look long', prompt: 'LOOK-LONG', subagent_type: 'explore'})],
        say('I go on without it.'),
      ],
    }),
  );
  const none = await scene.run(['ps']);
  expect([none.code, none.stderr]).toEqual([0, 'weft: no background commands or sub-agents\n']);
  const main = scene.start(['--prompt', 'MAIN']);
  const finished = finish(main);
  const agents = async () => JSON.parse((await scene.run(['ps', '--json'])).stdout);
  await lookUntil(
    async () => requestsOf(scene, 'LOOK-LONG').length === 1 && (await agents()).length === 1,
    async () => JSON.stringify(await agents()),
  );
  const [agent] = await agents();
  const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/u);
  expect(agent).toEqual({
    type: 'agent',
    id: uuid,
    parent: uuid,
    name: 'look long',
    kind: 'explore',
    harness: 'weft',
    directory: realpathSync(scene.place.work),
    startedAt: expect.stringMatching(/Z$/u),
    pid: main.pid,
  });
  expect((await scene.run(['ps'])).stdout).toMatch(
    /^[0-9a-f-]{36} {2}look long\n {4}agent explore, since .*, in .*, of session /u,
  );
  const wrong = await scene.run(['agents', 'stop', 'x']);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    `weft: No running sub-agent has the id x. Running: ${agent.id} (look long).\n`,
  ]);
  const stopped = await scene.run(['agents', 'stop', agent.id]);
  expect([stopped.code, stopped.stderr]).toEqual([0, 'weft: stopped look long\n']);
  gate.resolve();
  expect((await finished).stdout).toBe('I go on without it.\n');
  expect(await agents()).toEqual([]);
});
