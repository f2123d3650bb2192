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
