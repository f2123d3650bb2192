// @module-tag long
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {CanUseTool} from '@anthropic-ai/claude-agent-sdk';
import {describe, expect, test} from 'vitest';
import {agentEvents, type AgentMessage, serve} from '../support/agent-server.ts';
import {call, say, type Answer} from '../support/model-script.ts';
import {finish} from '../support/run-weft.ts';
import {fileComes, openScene, processGone, type Scene} from '../support/scene.ts';
import {ask, readAll, resultIn} from './support/agent-sdk.ts';
import {asEditor, newSession, prompt, textIn} from './support/editor.ts';
import {jsonLines, resultOf} from './support/messages.ts';

const allowed = ['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash(sh check.sh)'];
const write = (text: string): Answer => call('Write', {file_path: 'a.txt', content: text});

/** A scene whose check prints what `a.txt` holds, and fails until that is `good`. */
async function withCheck(script: readonly Answer[]): Promise<Scene> {
  const scene = await openScene((_, number) => script[number - 1] ?? say('Nothing more.'));
  const check = 'echo run >> runs; echo "took $RANDOM ms"; cat a.txt || echo bad; [ "$(cat a.txt)" = good ]';
  writeFileSync(join(scene.place.work, 'check.sh'), `exec 2>/dev/null; ${check}`);
  return scene;
}

const runs = ({place}: Scene): number => readFileSync(join(place.work, 'runs'), 'utf8').split('\n').length - 1;
const lastText = ({server}: Scene): string => JSON.stringify(server.requests.at(-1)?.body.messages);

describe('--goal', () => {
  test(
    'the failure goes to the model, and the prompt goes on until the command exits with 0',
    {tags: 'smoke'},
    async () => {
      await using scene = await withCheck([say('Done.'), write('good\n'), say('Mended.')]);
      const {code, stdout, stderr} = await scene.run(['--prompt', 'x', '--goal', 'sh check.sh passes', ...allowed]);
      expect([code, stdout, scene.server.requests.length, runs(scene)]).toEqual([0, 'Mended.\n', 3, 2]);
      expect(stderr).toBe('weft: Not met (attempt 1): `sh check.sh`: exit code 1, bad\n');
      expect(JSON.stringify(scene.server.requests[0]?.body.messages)).toContain('`sh check.sh` exits with 0');
      expect(lastText(scene)).toContain('weft checked the goal, and it does not hold');
    },
  );

  test('a goal whose exit code is hidden is refused, wherever it is set', async () => {
    await using scene = await withCheck([]);
    const hidden = '"npm test | tail" can exit with 0 although the check fails: a pipe hides the exit code. Write only';
    for (const [goal, code] of [
      [['x', '--goal', 'npm test | tail'], 2],
      [['/goal npm test | tail'], 1],
      [['x', '--goal', 'check: tail'], 1],
    ] as const) {
      const settings = JSON.stringify({checks: [{name: 'tail', command: 'npm test | tail'}]});
      const end = await scene.run(['--settings', settings, '--prompt', ...goal, ...allowed]);
      expect([end.code, end.stderr]).toEqual([code, expect.stringContaining(hidden)]);
    }
    expect(scene.server.requests.length).toBe(0);
  });

  test('the same failure three times ends it, and the reason says what was tried', async () => {
    await using scene = await withCheck([say('Done.'), write('worse\n'), say('Done.'), write('worse\n'), say('Done.')]);
    const {code, stderr} = await scene.run(['--prompt', 'x', '--goal', 'sh check.sh', ...allowed]);
    // `bad`, then `worse` twice: only two checks in a row brought nothing new.
    expect([code, scene.server.requests.length]).toEqual([1, 6]);
    expect(stderr).toMatch(/the failure stays the same: .*exit code 1, worse.*Tried: 1\. no calls; 2\. Write a\.txt/u);
  });

  test('after a change that follows a met goal, weft checks again', async () => {
    const claim = say('`npm run lint` passes.');
    const script = [write('good\n'), claim, write('bad\n'), say('Done.'), write('good\n'), say('Mended.')];
    await using scene = await withCheck(script);
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x', '--goal', 'sh check.sh', ...allowed]);
    expect([code, stdout, scene.server.requests.length, runs(scene)]).toEqual([0, 'Mended.\n', 6, 3]);
    expect(stderr).toContain('Asked the agent to check.');
    expect(stderr).toContain('Not met (attempt 2)');
  });

  test('three attempts without work end it, however the failure varies', async () => {
    await using scene = await withCheck([]);
    writeFileSync(join(scene.place.work, 'check.sh'), 'echo run >> runs; echo "$RANDOM apples"; exit 1');
    const {code} = await scene.run([
      '--prompt',
      'x',
      '--goal',
      'bash check.sh',
      '--allowed-tools',
      'Bash(bash check.sh)',
    ]);
    expect([code, scene.server.requests.length, runs(scene)]).toEqual([1, 3, 3]);
  });

  test('a stop hook that never lets go does not make an unmet goal met', async () => {
    await using scene = await withCheck([]);
    mkdirSync(join(scene.place.home, 'weft'), {recursive: true});
    const hooks = {Stop: [{hooks: [{type: 'command', command: 'echo more >&2; exit 2'}]}]};
    writeFileSync(join(scene.place.home, 'weft/settings.json'), JSON.stringify({hooks}));
    const {code, stderr} = await scene.run(['--prompt', 'x', '--goal', 'sh check.sh', ...allowed]);
    expect([code, runs(scene)]).toEqual([1, 3]);
    expect(stderr).toContain('Stopped: a hook kept the model going');
  });

  test('at a limit the exit code is that of the limit', async () => {
    await using scene = await withCheck([]);
    const {code} = await scene.run(['--prompt', 'x', '--goal', 'sh check.sh', '--max-turns', '2', ...allowed]);
    expect([code, scene.server.requests.length, runs(scene)]).toEqual([4, 2, 2]);
  });

  test('a command that would ask is not run, and the model is not asked either', async () => {
    await using scene = await withCheck([]);
    const {code, stderr} = await scene.run(['--prompt', 'x', '--goal', 'sh check.sh']);
    expect([code, scene.server.requests.length]).toEqual([3, 0]);
    expect(stderr).toContain('--allowed-tools "Bash(sh check.sh)"');
    expect(() => runs(scene)).toThrow('no such file');
  });

  test.each([
    ['file: made.txt exists', 'made.txt exists: there is no such file'],
    ['file: made.txt contains "good"', 'made.txt contains "good": there is no such file'],
    ['json: made.txt .n >= 3', '.n of made.txt >= 3: there is no such file'],
    ['json: $(cat made.txt) .n[1] == "x"', '.n[1] of the output of `cat made.txt` == "x": not JSON'],
  ])('%s', async (goal, failure) => {
    const content = goal.includes('contains') ? 'so good' : goal.includes('[1]') ? '{"n": [1, "x"]}' : '{"n": 3}';
    await using scene = await withCheck([say('Done.'), call('Write', {file_path: 'made.txt', content}), say('Made.')]);
    const {code, stderr} = await scene.run(['--prompt', 'x', '--goal', goal, ...allowed]);
    expect([code, scene.server.requests.length]).toEqual([0, 3]);
    expect(stderr).toContain(`Not met (attempt 1): ${failure}`);
  });

  test.each(['the tests pass', 'npm test fails', 'no-such-program --x'])('%s: refused with the forms', async goal => {
    await using scene = await withCheck([]);
    const {code, stderr} = await scene.run(['--prompt', 'x', '--goal', goal]);
    expect([code, scene.server.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain(`--goal: weft can't check "${goal}". Write one of: npm test (a command`);
  });

  test('/goal in stream-json: set, kept by --continue, and dropped', async () => {
    await using scene = await withCheck([write('good\n'), say('Mended.')]);
    expect(await scene.run(['--prompt', '/goal "sh check.sh passes"'])).toMatchObject({
      code: 0,
      stdout: 'Goal: `sh check.sh` exits with 0. A prompt now goes on until it holds.\n',
    });
    const json = ['--output-format', 'stream-json', ...allowed];
    const {code, stdout, stderr} = await scene.run(['--continue', '--prompt', 'x', ...json]);
    expect([code, resultOf(stdout)['exit_code']]).toEqual([0, 0]);
    expect(stderr).toContain('This session has an unmet goal: "sh check.sh passes"');
    const said = jsonLines(stdout).flatMap(({subtype, content}) => (subtype === 'informational' ? [content] : []));
    expect(said).toContain('Goal met: `sh check.sh` exits with 0');
    expect(await scene.run(['--continue', '--prompt', '/goal off'])).toMatchObject({
      stdout: 'There is no goal. Set one such as /goal npm test.\n',
    });
  });
});

test('a plan is completed only if the conditions of its steps hold, whatever the agent marks', async () => {
  const marked = call('TodoWrite', {todos: [{content: 'Mend it', status: 'completed'}]});
  const plan = call('ExitPlanMode', {goal: 'Right', steps: ['Mend it\nDone when: `sh check.sh`'], notes: ''});
  const mended = [write('good\n'), marked, say('Mended.')];
  await using scene = await withCheck([plan, marked, say('Done.'), ...mended, plan, marked]);
  const planned = async (): Promise<string> =>
    String(JSON.parse((await scene.run(['plan', 'x', '--output-format', 'json'])).stdout).id);
  const state = async (id: string): Promise<unknown> =>
    JSON.parse((await scene.run(['plan', 'show', id, '--json'])).stdout).state;
  const id = await planned();
  const {code, stdout, stderr} = await scene.run(['plan', 'run', id, ...allowed]);
  expect([code, stdout, await state(id)]).toEqual([0, 'Mended.\n', 'completed']);
  expect(stderr).toContain('Not met (attempt 1): `sh check.sh`');

  writeFileSync(join(scene.place.work, 'a.txt'), 'bad\n');
  const failing = await planned();
  expect((await scene.run(['plan', 'run', failing, ...allowed])).code).toBe(1);
  expect(await state(failing)).toBe('failed');
});

const mark = (first: string, second: string): Answer =>
  call('TodoWrite', {
    todos: [
      {content: 'Mend it', status: first},
      {content: 'Tell it', status: second},
    ],
  });
const planned = async (scene: Scene): Promise<string> =>
  String(JSON.parse((await scene.run(['plan', 'x', '--output-format', 'json'])).stdout).id);
const statuses = async (id: string, scene: Scene): Promise<unknown> => {
  const shown = JSON.parse((await scene.run(['plan', 'show', id, '--json'])).stdout);
  return [shown.state, ...shown.steps.map(({status}: {readonly status: string}) => status)];
};

describe('a step of a plan is marked', () => {
  const steps = ['Mend it\nDone when: `sh check.sh`', 'Tell it'];
  const plan = call('ExitPlanMode', {goal: 'Right', steps, notes: ''});

  test('its condition is checked first: the failure is in the result, and the step stays in progress', async () => {
    const script = [mark('completed', 'pending'), write('good\n'), mark('completed', 'in_progress')];
    await using scene = await withCheck([plan, ...script, mark('completed', 'completed'), say('Done.')]);
    const id = await planned(scene);
    const {code, stderr} = await scene.run(['plan', 'run', id, ...allowed]);
    expect([code, await statuses(id, scene)]).toEqual([0, ['completed', 'completed', 'completed']]);
    // Each mark of the step, and the end of the plan.
    expect(runs(scene)).toBe(3);
    expect(stderr).toBe('weft: Not met (attempt 1): `sh check.sh`: exit code 1, bad\n');
    const read = JSON.stringify(scene.server.requests[2]?.body.messages);
    expect(read).toContain('now has 0 completed, 1 in progress, 1 pending. The step \\"Mend it\\" stays in progress');
    expect(read).toContain('it does not hold: `sh check.sh` exits with 0.\\nexit code 1\\n');
  });

  test('a condition that proves nothing is refused before anyone is asked', async () => {
    const [piped, replaced] = ['npm test | tail', 'PATH=/tmp/x npm test'].map(command =>
      call('ExitPlanMode', {goal: 'Right', steps: [`Mend it\nDone when: \`${command}\``], notes: ''}),
    );
    await using scene = await withCheck([piped ?? plan, replaced ?? plan, plan]);
    await planned(scene);
    expect(JSON.stringify(scene.server.requests[1]?.body.messages)).toContain('a pipe hides the exit code');
    expect(lastText(scene)).toContain('a variable may put another program in its place');
  });

  test('a condition that the user hides with the approval goes back to the agent, too', async () => {
    await using scene = await withCheck([plan, mark('completed', 'pending'), say('Done.')]);
    const run = ask(scene, 'x', {
      permissionMode: 'plan',
      canUseTool: async (name, input) => ({
        behavior: 'allow',
        updatedInput:
          name === 'ExitPlanMode'
            ? {goal: 'Right', steps: ['Mend it\nDone when: `sh check.sh; true`', 'Tell it']}
            : input,
      }),
    });
    await readAll(run);
    expect(lastText(scene)).toContain('Change the condition of a step.');
    expect(existsSync(join(scene.place.work, 'runs'))).toBe(false);
  });

  test('the same failure three times ends the plan, and the step is not done', async () => {
    const marks = [1, 2, 3].map(() => mark('completed', 'in_progress'));
    await using scene = await withCheck([plan, ...marks, say('Never said.')]);
    const id = await planned(scene);
    const {code, stderr} = await scene.run(['plan', 'run', id, ...allowed]);
    expect([code, await statuses(id, scene)]).toEqual([1, ['failed', 'in_progress', 'in_progress']]);
    expect([scene.server.requests.length, runs(scene)]).toEqual([4, 3]);
    expect(stderr).toContain('Not met after 3 attempts, and the failure stays the same');
  });

  test('Ctrl+C stops the check, and the step is not done', async () => {
    await using scene = await withCheck([plan, mark('completed', 'pending')]);
    writeFileSync(join(scene.place.work, 'check.sh'), 'echo $$ > pid; sleep 1000');
    const id = await planned(scene);
    const child = scene.start(['plan', 'run', id, ...allowed]);
    const pid = Number(await fileComes(join(scene.place.work, 'pid')));
    child.kill('SIGINT');
    expect((await finish(child)).code).toBe(130);
    await processGone(pid);
    expect(await statuses(id, scene)).toEqual(['stopped', 'in_progress', 'pending']);
  });
});

describe('a check whose own output says that nothing ran', () => {
  const skipped = {scripts: {test: 'echo "Tests:       3 skipped, 3 total"'}};
  const mended = {scripts: {test: 'echo "Tests:       3 passed, 3 total"'}};
  const mend = call('Bash', {command: `printf %s '${JSON.stringify(mended)}' > package.json`});

  test.each([
    ['--goal', 'npm test'],
    ['--goal', 'check: unit'],
    ['--require-check', 'NODE_ENV=test npm test'],
    ['--require-check', 'unit'],
  ])('does not meet %s %s', async (flag, text) => {
    const settings = JSON.stringify({checks: [{name: 'unit', command: 'HOME=$PWD npm test'}]});
    await using scene = await withCheck([call('Bash', {command: text}), say('All met.'), mend, say('Mended.')]);
    writeFileSync(join(scene.place.work, 'package.json'), JSON.stringify(skipped));
    const given = ['--prompt', 'x', '--permission-mode', 'bypassPermissions', '--settings', settings, flag, text];
    const {code, stderr} = await scene.run(given);
    expect([code, scene.server.requests.length]).toEqual([0, 4]);
    expect(stderr).toMatch(/^weft: Not met \(attempt 1\): `.*npm test`: ran no test, .*3 skipped/mu);
  });

  test('stops a goal after three times', async () => {
    await using scene = await withCheck([]);
    writeFileSync(join(scene.place.work, 'package.json'), JSON.stringify(skipped));
    const given = ['--prompt', 'x', '--permission-mode', 'bypassPermissions', '--goal', 'npm test'];
    const {code, stderr} = await scene.run(given);
    expect([code, scene.server.requests.length]).toEqual([1, 3]);
    expect(stderr).toContain('the failure stays the same: `npm test`: ran no test');
  });
});

describe('--require-check', () => {
  test('weft runs unasked what was named, and the failure goes to the model', {tags: 'smoke'}, async () => {
    await using scene = await withCheck([say('Done.'), write('good\n'), say('Mended.')]);
    const given = ['--prompt', 'x', '--permission-mode', 'acceptEdits', '--require-check', 'sh check.sh'];
    const {code, stderr} = await scene.run(given);
    expect([code, scene.server.requests.length, runs(scene)]).toEqual([0, 3, 2]);
    expect(stderr).toContain('Not met (attempt 1): `sh check.sh`: exit code 1, bad');
  });

  test('the same failure three times ends it without bounds, and goes on within them', async () => {
    await using scene = await withCheck([]);
    const given = ['--prompt', 'x', '--require-check', 'sh check.sh'];
    const {code, stdout} = await scene.run([...given, '--output-format', 'json']);
    expect([code, runs(scene), resultOf(stdout)['num_turns']]).toEqual([1, 3, 3]);
    expect([(await scene.run([...given, '--max-turns', '5'])).code, runs(scene)]).toEqual([4, 8]);
  });

  test('a run of the agent after its last change counts, and each run is a receipt', async () => {
    const run = call('Bash', {command: 'sh check.sh'});
    const other = call('Write', {file_path: 'b.txt', content: 'b'});
    await using scene = await withCheck([write('good\n'), run, say('Mended.'), run, other, say('Done.')]);
    const given = ['--prompt', 'x', '--output-format', 'json', '--require-check', 'sh check.sh', ...allowed];
    const first = await scene.run(given);
    const check = {name: 'sh check.sh', command: 'sh check.sh', exit_code: 0, fresh: true};
    expect([first.code, runs(scene), resultOf(first.stdout)['checks']]).toEqual([
      0,
      1,
      [expect.objectContaining(check)],
    ]);

    // A change after the run: weft runs the check again.
    const second = await scene.run(given);
    expect([second.code, runs(scene), resultOf(second.stdout)['checks']]).toEqual([
      0,
      3,
      [expect.objectContaining(check)],
    ]);
  });

  test.each([
    'npm test | tail -1',
    'npm run all-of-it | tail',
    './x.sh | cat',
    'npm test || true',
    'npm test; echo done',
    'npm test &',
    'if :; then npm test; fi',
    'bash -c "npm test | tail"',
    'PATH=/tmp/x:$PATH npm test',
    'vitest list',
    '',
  ])('%j can not be required', async check => {
    await using scene = await withCheck([]);
    const {code, stderr} = await scene.run(['--prompt', 'x', '--require-check', check]);
    expect([code, scene.server.requests.length]).toEqual([2, 0]);
    expect(stderr).toMatch(check === '' ? /--require-check needs a command/u : /--require-check: .*Write .*/u);
  });

  test.each(['cat a.txt | grep good', 'set -o pipefail; grep good a.txt | tail -1', '! grep bad a.txt'])(
    '%j can be required',
    async check => {
      await using scene = await withCheck([write('good\n'), say('Done.')]);
      expect((await scene.run(['--prompt', 'x', '--require-check', check, ...allowed])).code).toBe(0);
    },
  );

  test('in plan mode it says that nothing was checked', async () => {
    await using scene = await withCheck([]);
    const given = ['--prompt', 'x', '--permission-mode', 'plan', '--require-check', 'sh check.sh'];
    const {code, stderr} = await scene.run(given);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('sh check.sh was not checked: plan mode runs no checks.'),
    ]);
  });

  test('the setting of a project counts once the folder is trusted', async () => {
    await using scene = await withCheck([]);
    mkdirSync(join(scene.place.work, '.weft'));
    writeFileSync(join(scene.place.work, '.weft/settings.json'), '{"requireChecks": ["sh check.sh"]}');
    const given = ['--prompt', 'x', '--max-turns', '1'];
    const before = await scene.run(given);
    expect([before.code, () => runs(scene)]).toEqual([0, expect.any(Function)]);
    expect(before.stderr).toContain('requireChecks');
    expect((await scene.run(['permissions', 'trust', '--yes'])).stdout).toContain('run sh check.sh unasked');
    expect([(await scene.run(given)).code, runs(scene)]).toEqual([4, 1]);
  });

  test.each(['git diff --check', 'npm test', 'make'])(
    '%s is what runs, whatever a check of a project is called',
    async name => {
      const command = 'test ! -e none';
      await using scene = await withCheck([call('Bash', {command}), say('Done.')]);
      mkdirSync(join(scene.place.work, '.weft'));
      const checks = [{name, command, paths: ['none/**']}];
      writeFileSync(join(scene.place.work, '.weft/settings.json'), JSON.stringify({checks}));
      const run = async (): Promise<string> => {
        const given = [
          '--prompt',
          'x',
          '--max-turns',
          '3',
          '--require-check',
          name,
          '--permission-mode',
          'acceptEdits',
        ];
        const {code, stderr} = await scene.run(given);
        expect(code).toBe(4);
        return stderr;
      };
      expect(await run()).toContain(`Not met (attempt 1): \`${name}\``);
      expect((await scene.run(['permissions', 'trust', '--yes'])).stdout).toContain(
        `count ${command} as the check ${name}`,
      );
      expect(await run()).toContain(`Not met (attempt 1): \`${name}\``);
    },
  );

  test.each([
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const)('%s ends a check that hangs, and its processes', async (signal, code) => {
    await using scene = await withCheck([]);
    writeFileSync(join(scene.place.work, 'hang.sh'), 'echo $$ > pid; sleep 1000');
    const child = scene.start(['--prompt', 'x', '--require-check', 'sh hang.sh']);
    const pid = Number(await fileComes(join(scene.place.work, 'pid')));
    child.kill(signal);
    expect((await finish(child)).code).toBe(code);
    await processGone(pid);
  });
});

test('over HTTP: goal and requireChecks of a prompt', async () => {
  await using scene = await serve((_, number) => (number === 2 ? write('good\n') : say('Done.')));
  mkdirSync(join(scene.place.home, 'weft'), {recursive: true});
  writeFileSync(join(scene.place.home, 'weft/settings.json'), '{"permissionMode": "acceptEdits"}');
  const body = {prompt: 'x', workDir: scene.place.work};
  const events = async (asked: object): Promise<readonly AgentMessage[]> => {
    const found: AgentMessage[] = [];
    for await (const message of agentEvents(scene.server, 'POST', '/agent/', {body: asked})) found.push(message);
    return found;
  };
  const told = await events({...body, requireChecks: ['grep good a.txt']});
  expect(told.at(-1)).toMatchObject({type: 'done'});
  expect(JSON.stringify(told)).toContain('Not met (attempt 1): `grep good a.txt`: exit code 2');
  expect(await events({...body, goal: 'file: none.txt exists'})).toContainEqual(
    expect.objectContaining({type: 'error', message: expect.stringContaining('the failure stays the same')}),
  );
  const refused = await scene.server.ask('POST', '/agent', {body: {...body, goal: 'the tests pass'}});
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('body.goal')]);
  for (const conditions of [{requireChecks: ['npm test | tail -1']}, {goal: 'npm test | tail -1'}]) {
    const hidden = await scene.server.ask('POST', '/agent', {body: {...body, ...conditions}});
    expect([hidden.status, hidden.text]).toEqual([400, expect.stringContaining('a pipe hides the exit code')]);
  }
});

test('in the Agent SDK: a flag, and the command that asks for an approval', async () => {
  await using scene = await withCheck([say('Done.'), write('good\n'), say('Mended.')]);
  const asked: unknown[] = [];
  const canUseTool: CanUseTool = async (tool, input) => {
    asked.push([tool, input]);
    return {behavior: 'allow', updatedInput: input};
  };
  const options = {extraArgs: {goal: 'sh check.sh'}, permissionMode: 'acceptEdits', canUseTool} as const;
  const run = await readAll(ask(scene, 'x', options));
  expect([resultIn(run), asked, runs(scene)]).toEqual([
    expect.objectContaining({subtype: 'success', result: 'Mended.'}),
    [['Bash', {command: 'sh check.sh'}]],
    2,
  ]);
  expect(JSON.stringify(run.messages)).toContain('Not met (attempt 1): `sh check.sh`: exit code 1, bad');
});

test('in an editor: /goal, one question, and the failures as messages', async () => {
  await using scene = await withCheck([say('Done.'), write('good\n'), say('Mended.')]);
  const code = await asEditor(scene, async (weft, editor) => {
    const session = await newSession(weft, scene);
    await prompt(weft, session, '/goal sh check.sh');
    expect(textIn(editor.updates, 'agent_message_chunk')).toContain('Goal: `sh check.sh` exits with 0.');
    await prompt(weft, session, 'x');
    expect(editor.asked.map(({toolCall}) => toolCall.title)).toEqual([
      'Run sh check.sh',
      expect.stringContaining('a.txt'),
    ]);
    expect(JSON.stringify(editor.updates)).toContain('Not met (attempt 1): `sh check.sh`: exit code 1, bad');
  });
  expect([code, runs(scene)]).toEqual([0, 2]);
});
