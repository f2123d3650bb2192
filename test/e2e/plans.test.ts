// @module-tag long
import {readdirSync, realpathSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, fail, hang, say, type Answer} from '../support/model-script.ts';
import {finish} from '../support/run-weft.ts';
import {openScene, toldPrompt} from '../support/scene.ts';
import {ask, readAll, toolResults} from './support/agent-sdk.ts';

const input = {goal: 'Prices are right', steps: ['Add a test', 'Mend it'], notes: 'Careful'};
const text = 'Prices are right\n\n1. Add a test\n2. Mend it\n\nCareful\n';

const marks = (first: string, second: string): Answer =>
  call('TodoWrite', {
    todos: [
      {content: 'Add a test', status: first},
      {content: 'Mend it', status: second},
    ],
  });

/** The id that `weft plan --output-format json` printed. */
const idOf = (stdout: string): string => String(JSON.parse(stdout).id);

const asJson = ['--output-format', 'json'];

test('a plan is printed and kept, carried out once, and completed by the marks of the agent alone', async () => {
  await using scene = await openScene([
    call('ExitPlanMode', input),
    marks('completed', 'in_progress'),
    marks('completed', 'completed'),
    say('Done.'),
  ]);
  const planned = await scene.run(['plan', 'mend', 'the', 'prices', ...asJson]);
  const id = idOf(planned.stdout);
  expect([planned.code, JSON.parse(planned.stdout), planned.stderr]).toEqual([
    0,
    {
      id: expect.stringMatching(/^plan_[\da-f]{8}$/u),
      goal: input.goal,
      steps: [
        {id: '1', description: 'Add a test', status: 'pending'},
        {id: '2', description: 'Mend it', status: 'pending'},
      ],
      notes: 'Careful',
    },
    `weft: run it: weft plan run ${id}\n`,
  ]);
  expect((await scene.run(['plan', 'show', id])).stdout).toBe(
    `Prices are right\n\n○ 1. Add a test\n○ 2. Mend it\n\nCareful\n\n${id} · pending · ${realpathSync(scene.place.work)}\n`,
  );
  const ran = await scene.run(['plan', 'run', id]);
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'Done.\n', '']);
  expect(toldPrompt(scene.server.requests[1])).toContain(`approved.\n\n${text.trim()}\n\n`);
  expect(JSON.parse((await scene.run(['plan', 'show', id, '--json'])).stdout)).toMatchObject({
    state: 'completed',
    steps: [{status: 'completed'}, {status: 'completed'}],
  });
  const again = await scene.run(['plan', 'run', id]);
  expect([again.code, again.stdout, again.stderr, scene.server.requests.length]).toEqual([
    1,
    '',
    `weft: plan ${id} has already run (completed). A plan runs only once\n`,
    4,
  ]);
});

const question = 'Step 2 of the plan is not marked. Done?\n\n2. Mend it\n\n';

test('with open steps a plan has failed, whatever the answer says, and the agent was asked about them once', async () => {
  await using scene = await openScene([
    call('ExitPlanMode', input),
    marks('completed', 'in_progress'),
    say('All done!'),
    say('The mending failed.'),
  ]);
  const id = idOf((await scene.run(['plan', 'x', ...asJson])).stdout);
  const ran = await scene.run(['plan', 'run', id, ...asJson]);
  const unfinished = `the plan ${id} ended with steps that are not done: 2`;
  expect([ran.code, JSON.parse(ran.stdout), ran.stderr]).toMatchObject([
    1,
    {
      is_error: true,
      exit_code: 1,
      subtype: 'error_during_execution',
      result: 'The mending failed.',
      errors: [unfinished],
    },
    `weft: ${unfinished}\n`,
  ]);
  expect(toldPrompt(scene.server.requests[3])).toContain(question);
  expect((await scene.run(['plan', 'list'])).stdout).toBe(`${id}  failed     Prices are right\n`);
});

test('steps that were done and not marked are asked about once: the marks complete the plan, the answer stays', async () => {
  await using scene = await openScene([
    call('ExitPlanMode', input),
    marks('completed', 'in_progress'),
    say('All done!'),
    marks('completed', 'completed'),
    call('ExitPlanMode', input),
    call('Glob', {pattern: '*'}),
    say('Nothing marked.'),
    marks('completed', 'cancelled'),
    call('ExitPlanMode', input),
    call('Glob', {pattern: '*'}),
    say('Bounded.'),
    call('ExitPlanMode', input),
    say('I did nothing.'),
    call('ExitPlanMode', input),
    call('Glob', {pattern: '*'}),
    say('The last word.'),
    fail(400),
  ]);
  const plan = async (): Promise<string> => idOf((await scene.run(['plan', 'x', ...asJson])).stdout);
  const first = await scene.run(['plan', 'run', await plan()]);
  expect([first.code, first.stdout, first.stderr, scene.server.requests.length]).toEqual([0, 'All done!\n', '', 4]);
  // A step that the agent drops is not open.
  const second = await scene.run(['plan', 'run', await plan()]);
  expect([second.code, second.stdout, scene.server.requests.length]).toEqual([0, 'Nothing marked.\n', 8]);
  expect(toldPrompt(scene.server.requests[7])).toContain('Steps 1 and 2 of the plan are not marked. Done?');
  const third = await scene.run(['plan', 'run', await plan(), '--max-turns', '2']);
  expect([third.code, third.stdout, scene.server.requests.length]).toEqual([1, 'Bounded.\n', 11]);
  const fourth = await scene.run(['plan', 'run', await plan()]);
  expect([fourth.code, fourth.stdout, scene.server.requests.length]).toEqual([1, 'I did nothing.\n', 13]);
  // A question that the model does not answer does not undo the answer.
  const fifth = await scene.run(['plan', 'run', await plan()]);
  expect([fifth.code, fifth.stdout, scene.server.requests.length]).toEqual([1, 'The last word.\n', 17]);
});

test('planning changes nothing; a model that only talks is asked for the plan once', async () => {
  await using scene = await openScene([
    call('Write', {file_path: 'new.txt', content: 'x'}),
    say('I would do this and that.'),
    call('ExitPlanMode', input),
  ]);
  const planned = await scene.run(['plan', 'x']);
  expect([planned.code, planned.stdout]).toEqual([0, text]);
  expect(scene.server.requests).toHaveLength(3);
  expect(readdirSync(scene.place.work)).toEqual([]);

  await using talk = await openScene([say('No.'), say('Still no.')]);
  const none = await talk.run(['plan', 'x']);
  expect([none.code, none.stdout, none.stderr]).toEqual([1, '', 'weft: the model made no plan. It said: Still no.\n']);
});

test('--permission-mode plan ends with the plan, which nobody has approved', {tags: 'smoke'}, async () => {
  await using scene = await openScene([call('ExitPlanMode', input), say('Never sent.')]);
  const ran = await scene.run(['--prompt', 'x', '--permission-mode', 'plan']);
  expect([ran.code, ran.stdout, scene.server.requests.length]).toEqual([0, text, 1]);
  expect((await scene.run(['plan', 'list', '--json'])).stdout).toContain('"state": "pending"');
});

test('a plan whose run was killed is stopped, with the steps as they were, and is not carried out again', async () => {
  await using scene = await openScene([call('ExitPlanMode', input), marks('completed', 'in_progress'), hang()]);
  const id = idOf((await scene.run(['plan', 'mend', ...asJson])).stdout);
  const child = scene.start(['plan', 'run', id]);
  await lookUntil(
    () => scene.server.requests.length === 3,
    () => 'the run has not come to its second request',
  );
  child.kill('SIGKILL');
  await finish(child);
  expect(JSON.parse((await scene.run(['plan', 'show', id, '--json'])).stdout)).toMatchObject({
    state: 'stopped',
    steps: [{status: 'completed'}, {status: 'in_progress'}],
  });
  const again = await scene.run(['plan', 'run', id]);
  expect([again.code, again.stdout, scene.server.requests.length]).toEqual([1, '', 3]);
});

test('flags of weft stand before and after the command', async () => {
  await using scene = await openScene([
    call('ExitPlanMode', input),
    call('Bash', {command: 'touch made'}),
    say('Done.'),
    marks('completed', 'completed'),
  ]);
  const planned = await scene.run(['--model', 'one', 'plan', 'x', '--model', 'two', ...asJson]);
  const ran = await scene.run([
    'plan',
    'run',
    idOf(planned.stdout),
    '--permission-mode',
    'bypassPermissions',
    ...asJson,
  ]);
  expect(scene.server.requests.map(({body}) => body.model)).toEqual(['two', ...Array(3).fill(expect.any(String))]);
  expect([JSON.parse(ran.stdout), readdirSync(scene.place.work)]).toMatchObject([{result: 'Done.'}, ['made']]);
});

test('a plan that nobody knows is an error without a request, and so is none at all', async () => {
  await using scene = await openScene([]);
  for (const args of [
    ['plan', 'run', 'plan_0'],
    ['plan', 'show', 'plan_0'],
  ]) {
    const {code, stdout, stderr} = await scene.run(args);
    expect([code, stdout, stderr]).toEqual([1, '', 'weft: unknown plan plan_0. List them: weft plan list\n']);
  }
  const {code, stderr} = await scene.run(['plan'], {stdin: {text: ''}});
  expect([code, stderr]).toEqual([2, expect.stringContaining('No prompt. Give one: weft plan "…"')]);
  expect(scene.server.requests).toEqual([]);
});

const steps = ['Write it'];

describe('for a program that drives weft, a plan is a question', () => {
  test('its yes leaves plan mode, and what it changed of the steps is carried out', async () => {
    await using scene = await openScene([
      call('ExitPlanMode', {goal: 'One file', steps: ['Write two']}),
      call('Write', {file_path: 'new.txt', content: 'x'}),
      call('TodoWrite', {todos: [{content: 'Write it', status: 'completed'}]}),
      say('Done.'),
    ]);
    const asked: unknown[] = [];
    const run = await readAll(
      ask(scene, 'x', {
        permissionMode: 'plan',
        canUseTool: async (name, given) => {
          asked.push({name, input: given});
          return {behavior: 'allow', updatedInput: name === 'ExitPlanMode' ? {goal: 'One file', steps} : given};
        },
      }),
    );
    expect(asked).toEqual([
      {name: 'ExitPlanMode', input: {goal: 'One file', steps: ['Write two']}},
      {name: 'Write', input: {file_path: 'new.txt', content: 'x'}},
    ]);
    expect([toolResults(run)[0], readdirSync(scene.place.work)]).toEqual([
      expect.stringContaining('1. Write it'),
      ['new.txt'],
    ]);
    expect((await scene.run(['plan', 'list'])).stdout).toMatch(/^plan_\S+ {2}completed {2}One file\n$/u);
  });

  test('its no keeps planning, in its words', async () => {
    await using scene = await openScene([
      call('ExitPlanMode', {goal: 'One file', steps}),
      call('Write', {file_path: 'new.txt', content: 'x'}),
      say('As you wish.'),
    ]);
    const run = await readAll(
      ask(scene, 'x', {
        permissionMode: 'plan',
        canUseTool: async () => ({behavior: 'deny', message: 'Smaller, please.'}),
      }),
    );
    expect([toolResults(run)[0], readdirSync(scene.place.work)]).toEqual(['Smaller, please.', []]);
    expect((await scene.run(['plan', 'list'])).stdout).toMatch(/^plan_\S+ {2}rejected {3}One file\n$/u);
  });
});
