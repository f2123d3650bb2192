import {afterEach, expect, test} from 'vitest';
import {ok} from '../../src/base/outcome.ts';
import {parseSessionId, planId, stackTaskId} from '../../src/domain/ids.ts';
import {type Plan, planPrompt, planSteps} from '../../src/domain/plan.ts';
import type {StackBoard} from '../../src/tasks/stack/stack-board.ts';
import {lookUntil} from '../support/look-until.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const session = parseSessionId('0199a0a0-0000-7000-8000-000000000001');
if (session === undefined) throw new Error('The session id is invalid.');

const plan: Plan = {
  id: planId('plan_1'),
  goal: 'Fix the cart\nand its test',
  steps: planSteps(['Add a test', 'Fix it']),
  notes: '',
  state: 'pending',
  session,
  directory: '/home/user/project',
  createdAt: 0,
  reason: '',
};
const [first, ...others] = plan.steps;
if (first === undefined) throw new Error('The plan has no steps.');
const planBoard = {plans: [plan], dryRuns: []};
const running: Plan = {
  ...plan,
  id: planId('plan_2'),
  goal: 'Elsewhere',
  state: 'executing',
  steps: [{...first, status: 'completed'}, ...others],
  directory: '/srv/shop',
};

test('/plans lists what waits, runs and is done; a plan that waits is carried out', async () => {
  const {screen, engine} = await start();
  engine.answers.plans = ok({...planBoard, plans: [plan, running]});
  engine.answers['change-plan'] = ok({...plan, state: 'executing'});
  await screen.type('/plans\r');
  await screen.until(/Fix the cart.*to approve[^]*Elsewhere.*running 1\/2/u);
  await screen.type('\r');
  await screen.until(/plan_1 {2}Fix the cart[^]*Run[^]*Dry run[^]*Approve[^]*Edit[^]*Reject[^]*Show/u);
  await screen.type('\r');
  await lookUntil(
    () => engine.ops.some(({op}) => op === 'prompt'),
    () => 'no prompt was sent',
  );
  expect(engine.ops.slice(-2)).toEqual([
    {op: 'start-plan', plan: {...plan, state: 'executing'}},
    expect.objectContaining({op: 'prompt', text: planPrompt(plan), when: 'queued'}),
  ]);
});

test('/plans tries a plan, and applies what it tried, with the commands of weft', async () => {
  const commands: string[] = [];
  const {screen, engine} = await start([80, 24], {
    async runWeft(args) {
      commands.push(args.join(' '));
      if (args.includes('apply')) engine.answers.plans = ok({...planBoard, plans: [{...plan, state: 'completed'}]});
      return '';
    },
  });
  engine.answers.plans = ok(planBoard);
  await screen.type('/plans apply plan_1\r');
  await screen.until(/No dry run of plan_1\. Make one: \/plans dry plan_1/u);
  engine.answers.plans = ok({...planBoard, dryRuns: [plan.id]});
  await screen.type('/plans dry plan_1\r');
  await screen.until(/plan_1: to approve/u);
  await screen.type('/plans\r');
  await screen.until(/Fix the cart.*to approve/u);
  await screen.type('\r');
  await screen.until(/2 {2}Dry run[^]*3 {2}Apply {2,}exactly the changes of the dry run[^]*Approve/u);
  await screen.type('3');
  await screen.until(/plan_1: done 0\/2/u);
  expect(commands).toEqual(['plan run plan_1 --dry --permission-mode acceptEdits', 'plan apply plan_1']);
});

test('at 40 columns the list of plans shows each state as a whole', async () => {
  const {screen, engine} = await start([40, 14]);
  const goal = 'Fix the cart, the discount, the checkout and the rest';
  engine.answers.plans = ok({
    ...planBoard,
    plans: [
      {...plan, goal},
      {...running, goal},
    ],
  });
  await screen.type('/plans\r');
  await screen.until(/1 {2}to approve: Fix the cart.*…? │\n│ {3}2 {2}running 1\/2: Fix the c.*…? │/u);
});

test('a plan is shown with its progress, and runs only in its own folder', async () => {
  const {screen, engine} = await start();
  engine.answers.plans = ok({...planBoard, plans: [plan, running]});
  await screen.type('/plans show plan_2\r');
  await screen.until(/plan_2: running 1\/2[^]*1\. Add a test \(done\)\s+2\. Fix it\n/u);
  await screen.type('/plans run plan_2\r');
  await screen.until(/This plan is for \/srv\/shop\. Start weft there, and type\s+\/plans run plan_2/u);
  await screen.type('/plans rum plan_2\r');
  await screen.until(/Unknown command \/plans rum\. Did you mean run\?/u);
});

test('the editor gets the plan as text; a plan without steps is not saved', async () => {
  let edited = 'Fix the cart\n\n1. Only this\n';
  const {screen, engine} = await start([80, 24], {editor: {edit: async () => ok(edited)}});
  engine.answers.plans = ok(planBoard);
  engine.answers['change-plan'] = ok(plan);
  await screen.type('/plans edit plan_1\r');
  await screen.until(/Saved plan_1\. Run it: \/plans run plan_1/u);
  edited = 'Nothing';
  await screen.type('/plans edit plan_1\r');
  await screen.until(/Can't save the plan\. There is no step/u);
});

const board: StackBoard = {
  hooks: 1,
  rows: [
    {id: stackTaskId('task_1'), text: 'Write the test', status: 'COMPLETED', layer: 0, place: 'executed'},
    {id: stackTaskId('task_2'), text: 'Fix the cart', status: 'PENDING', layer: 0, place: 'next'},
    {id: stackTaskId('task_3'), text: 'Update the docs', status: 'PENDING', layer: 1, place: 'changeable'},
  ],
};

test('/stack lists the tasks in their order; one is moved, and stays selected', async () => {
  const {screen, engine} = await start();
  engine.answers.stack = ok(board);
  const [done, next, last] = board.rows;
  if (done === undefined || next === undefined || last === undefined) throw new Error('The board has three rows.');
  engine.answers['change-stack'] = ok({...board, rows: [done, {...last, place: 'next'}, next]});
  await screen.type('/stack\r');
  await screen.until(
    /Task stack.*1 of 3 done · 1 hook[^]*Write the test.*done[^]*Fix the cart.*next[^]*Update the docs.*waits/u,
  );
  await screen.type('3');
  await screen.until(/Edit[^]*Move up[^]*Move down[^]*Delete[^]*Show/u);
  await screen.type('2');
  await screen.until(/❯ 2 {2}Update the docs.*next[^]*Fix the cart/u);
});

test('on a narrow screen, a sign tells the state of a task', async () => {
  const {screen, engine} = await start([40, 24]);
  engine.answers.stack = ok(board);
  await screen.type('/stack\r');
  await screen.until(/✓ Write the test[^]*○ Fix the cart[^]*○ Update the docs/u);
});

test('/stack run gives the terminal to the run, and lists the tasks afterwards', async () => {
  const commands: string[] = [];
  const {screen, engine} = await start([80, 24], {
    async runWeft(args) {
      commands.push(args.join(' '));
      return 'weft stack run exited with code 1.';
    },
  });
  engine.answers.stack = ok(board);
  await screen.type('/stack run\r');
  await screen.until(/weft stack run exited with code 1\.[^]*Task stack.*1 of 3 done/u);
  expect(commands).toEqual(['stack run']);
});
