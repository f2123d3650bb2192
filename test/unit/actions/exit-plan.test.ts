import {expect, test} from 'vitest';
import {asks, callBlock, callsTools, engineBench, memoryPlans, says, settled} from '../../support/memory-ports.ts';

const input = {goal: 'Prices are right', steps: ['Add a test', 'Mend it']};
const proposing = callsTools(callBlock('ExitPlanMode', input));

async function planning() {
  const plans = memoryPlans();
  const bench = engineBench([proposing, says('end')], {plans, assess: () => asks});
  bench.engine.submit({op: 'set-mode', mode: 'plan'});
  const ended = bench.prompt('plan it');
  const {approval} = await bench.next('approval-requested');
  return {bench, plans, approval, ended, state: () => [...plans.kept.values()].map(plan => plan.state)};
}

test('an approved plan ends plan mode, and its steps are the todo list', async () => {
  const {bench, approval, ended, state} = await planning();
  expect([approval.toolName, approval.preview, state()]).toEqual([
    'ExitPlanMode',
    {kind: 'plan', plan: {...input, notes: ''}},
    ['pending'],
  ]);
  bench.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'once'}});
  await bench.next('todos-framed');
  expect(await settled(bench)).toEqual({state: 'success', text: expect.stringContaining('1. Add a test\n2. Mend it')});
  await ended;
  expect(state()).toEqual(['failed']);
  const modes = bench.events.flatMap(event => (event.event === 'mode-changed' ? [event.mode] : []));
  expect(modes).toEqual(['plan', 'default']);
});

test('the user changes the steps, and those are approved', async () => {
  const {bench, approval, plans} = await planning();
  const answer = {decision: 'allow-updated', input: {goal: 'g', steps: ['Only this'], notes: 'n'}, rules: []} as const;
  bench.engine.submit({op: 'answer-approval', id: approval.id, answer});
  expect(await settled(bench)).toMatchObject({state: 'success', text: expect.stringContaining('1. Only this')});
  expect([...plans.kept.values()]).toMatchObject([
    {goal: 'g', steps: [{id: '1', description: 'Only this'}], notes: 'n'},
  ]);
});

test('a refusal keeps the reason with the plan, and planning goes on', async () => {
  const {bench, approval, plans} = await planning();
  const answer = {decision: 'refuse', message: 'smaller', by: 'user'} as const;
  bench.engine.submit({op: 'answer-approval', id: approval.id, answer});
  expect(await settled(bench)).toMatchObject({state: 'cancelled'});
  expect([...plans.kept.values()]).toMatchObject([{state: 'rejected', reason: 'smaller'}]);
});

test('an interrupted question leaves the plan to be decided later', async () => {
  const {bench, state} = await planning();
  bench.engine.submit({op: 'interrupt'});
  expect(await settled(bench)).toMatchObject({state: 'cancelled'});
  expect(state()).toEqual(['pending']);
});

test('outside of plan mode there is nothing to leave', async () => {
  const plans = memoryPlans();
  const bench = engineBench([proposing, says('end')], {plans});
  await bench.prompt('go');
  expect([await settled(bench), plans.kept.size]).toEqual([
    {state: 'error', text: expect.stringContaining('not in plan mode')},
    0,
  ]);
});

const todos = (...list: readonly (readonly [string, string, string?])[]) =>
  callsTools(callBlock('TodoWrite', {todos: list.map(([content, status, id = '']) => ({content, status, id}))}));

test.each([
  [['Add a test', 'completed'], ['Mend it', 'completed'], 'completed', ['completed', 'completed']],
  [['Add a test', 'completed'], ['Mend it', 'cancelled'], 'completed', ['completed', 'cancelled']],
  [['Add a test', 'completed'], ['Mend it', 'pending'], 'failed', ['completed', 'pending']],
] as const)(
  'marks count although an earlier list has used the ids of the steps: %j %j',
  async (one, two, state, marks) => {
    const plans = memoryPlans();
    const earlier = todos(['Old', 'pending', '1'], ['Older', 'pending', '2']);
    const script = [earlier, says('listed'), proposing, todos(one, two), says('end'), says('That is all.')];
    const bench = engineBench(script, {
      plans,
      assess: ({name}) => (name === 'exit-plan' ? asks : {...asks, decision: 'allow'}),
    });
    await bench.prompt('list it');
    bench.engine.submit({op: 'set-mode', mode: 'plan'});
    const ended = bench.prompt('plan it');
    const {approval} = await bench.next('approval-requested');
    bench.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'once'}});
    await ended;
    const [plan] = plans.kept.values();
    expect([plan?.state, plan?.steps.map(({status}) => status)]).toEqual([state, marks]);
  },
);

test.each([
  [
    '# Prices\n\n1. Add a test\n   - for three items\n2. Mend it\n\nNo risk.',
    'Prices',
    ['Add a test\n   - for three items', 'Mend it'],
    'No risk.',
  ],
  ['1. Only this', 'Plan', ['Only this'], ''],
  ['Just do it.', 'Just do it.', ['Just do it.'], ''],
  ['# Prices\n\nAdd a test\nfor it.\n\nMend it.', 'Prices', ['Add a test for it.', 'Mend it.'], ''],
])("a plan in one text, as Claude Code's tool takes it: %j", async (plan, goal, steps, notes) => {
  const plans = memoryPlans();
  const bench = engineBench([callsTools(callBlock('ExitPlanMode', {plan})), says('end')], {plans, assess: () => asks});
  bench.engine.submit({op: 'set-mode', mode: 'plan'});
  void bench.prompt('plan it');
  const {approval} = await bench.next('approval-requested');
  expect(approval.preview).toEqual({kind: 'plan', plan: {goal, steps, notes}});
  bench.engine.submit({op: 'interrupt'});
});

test.each([
  [{plan: ''}, /There is no step/u],
  [{plan: '1. a', goal: 'g'}, /plan is given beside goal or steps/u],
  [{steps: ['a']}, /goal is missing/u],
  [{goal: 'g'}, /steps is missing/u],
])('%j is refused with what to give', async (raw, reason) => {
  const bench = engineBench([callsTools(callBlock('ExitPlanMode', raw)), says('end')], {plans: memoryPlans()});
  await bench.prompt('plan it');
  expect(await settled(bench)).toEqual({state: 'undecodable', text: expect.stringMatching(reason)});
});
