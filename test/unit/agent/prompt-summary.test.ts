import {expect, test} from 'vitest';
import {noopSkills} from '../../../src/actions/skills-port.ts';
import {messageId, planId} from '../../../src/domain/ids.ts';
import {type Plan, planSteps} from '../../../src/domain/plan.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {
  asks,
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  memorySession,
  promptOp,
  says,
} from '../../support/memory-ports.ts';

test('a prompt is told with the time that it took, and the part in which the user was asked', async () => {
  let time = 1000;
  const bench = engineBench([callsTools(callBlock('Bash', {command: 'make'}, 'b')), says('Done.')], {
    clock: {now: () => time},
    assess: () => asks,
    shell: async () => {
      time += 40;
      return finishedReport('');
    },
  });
  const asked = async (): Promise<void> => {
    const {approval} = await bench.next('approval-requested');
    time += 300;
    bench.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'once'}});
  };
  const [summary] = await Promise.all([bench.prompt('go'), asked()]);
  expect(summary).toMatchObject({durationMs: 340, waitedMs: 300, modelMs: 0, turns: 2, results: 1});
  expect(await bench.next('action-settled')).toMatchObject({durationMs: 40});
  time += 5000;
  expect(await bench.prompt('again')).toMatchObject({durationMs: 0, waitedMs: 0});
});

test('the model is not asked before the skills have been read', async () => {
  const read = Promise.withResolvers<void>();
  const bench = engineBench([says('Hello.')], {skills: {...noopSkills, ready: () => read.promise}});
  const ended = bench.prompt('go');
  await new Promise(resolve => setImmediate(resolve));
  expect(bench.model.requests).toHaveLength(0);
  read.resolve();
  expect(await ended).toMatchObject({answer: 'Hello.'});
});

test('the model is read no further than a front end can follow', async () => {
  const block = {kind: 'text', text: 'one'} as const;
  const free = Promise.withResolvers<void>();
  const bench = engineBench([{blocks: [block, {kind: 'text', text: 'two'}]}]);
  const finished = () => bench.events.filter(({event}) => event === 'block-finished').length;
  bench.engine.subscribe(events => (events.some(({event}) => event === 'block-finished') ? free.promise : undefined));
  bench.engine.submit(promptOp('go'));
  await bench.next('block-finished');
  await new Promise(resolve => setImmediate(resolve));
  expect(finished()).toBe(1);
  free.resolve();
  await bench.next('prompt-finished');
  expect(finished()).toBe(2);
});

test('an answer that is cut off counts with what it used, also where nothing of it is kept', async () => {
  const usage = {...noUsage, inputTokens: 100};
  const fault = {kind: 'provider', message: 'gone', fix: '', status: 500, refusal: {kind: 'other'}} as const;
  const bench = engineBench([
    {
      events: [
        {event: 'message-started', id: messageId('a'), model: 'm', usage},
        {event: 'failed', fault},
      ],
    },
  ]);
  expect(await bench.prompt('go')).toMatchObject({
    end: {kind: 'failed', fault},
    usage,
    answer: '',
    stop: 'interrupted',
  });
  expect(bench.session.kept.at(-1)).toEqual({kind: 'usage', model: 'scripted', usage});
});

const plan: Plan = {
  id: planId('plan_1'),
  goal: 'g',
  steps: planSteps(['one', 'two']),
  notes: '',
  state: 'executing',
  session: memorySession().id,
  directory: '/work',
  createdAt: 0,
  reason: '',
};

const lists = (): ReturnType<typeof callsTools> => callsTools(callBlock('Bash', {command: 'ls'}));

test.each([
  ['replies, the reply is the answer', [says('It waits.')], 'It waits.'],
  ['works on, the last answer stands alone', [lists(), says('All is done.')], 'All is done.'],
  ['is not heard, the answer stands', [], 'Done.'],
])('asked once about the open steps of a plan, where the agent %s', async (_, script, answer) => {
  const bench = engineBench([lists(), says('Done.'), ...script]);
  bench.engine.submit({op: 'start-plan', plan});
  expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, answer});
  const reminders = bench.session.kept.filter(({kind}) => kind === 'reminder');
  expect(reminders).toHaveLength(1);
});

test('without a plan nothing is asked', async () => {
  const bench = engineBench([lists(), says('Done.'), says('never')]);
  expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, answer: 'Done.', turns: 2});
});
