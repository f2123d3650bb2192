import {expect, test} from 'vitest';
import {messageId} from '../../../src/domain/ids.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  says,
  type Bench,
  type ScriptedAnswer,
} from '../../support/memory-ports.ts';

const again = (): ReturnType<typeof callsTools> => callsTools(callBlock('Bash', {command: 'ls'}));

test('stops at the limit of turns before the next request', async () => {
  const bench = engineBench([again(), again(), says('never')], {
    options: {limits: {maxTurns: 2, maxCostUsd: 'unlimited'}},
  });
  expect(await bench.prompt('go')).toMatchObject({end: {kind: 'max-turns', turns: 2}, turns: 2});
  expect(bench.model.requests).toHaveLength(2);
});

// A request costs 0.01, and to send the same again out of the provider's cache 0.001.
test.each([
  ['is reached', 0.01, 1],
  ['would be passed by what the next request certainly costs', 0.0109, 1],
  ['need not be passed by the next request', 0.0111, 2],
])('stops before a request where the limit of cost %s', async (_, usd, turns) => {
  const bench = engineBench([again(), again(), says('never')], {
    options: {limits: {maxTurns: 'unlimited', maxCostUsd: usd}},
  });
  expect(await bench.prompt('go')).toMatchObject({end: {kind: 'max-cost', usd}, turns, results: turns});
  expect(bench.model.requests).toHaveLength(turns);
});

/** An answer that the provider breaks off, to go on with in the next request. */
const paused = (number: number): ScriptedAnswer => ({
  events: [
    {event: 'message-started', id: messageId(`p${number}`), model: 'm', usage: noUsage},
    {event: 'block-finished', index: 0, block: {kind: 'text', text: `part ${number}`}},
    {event: 'message-finished', stop: 'paused', usage: noUsage},
  ],
});

test.each([
  ['goes on', 9, {end: {kind: 'done'}, answer: 'the end'}],
  [
    'is stopped the tenth time in a row',
    10,
    {end: {kind: 'failed', fault: {message: 'The provider paused its answer 10 times in a row.'}}, answer: 'part 10'},
  ],
])('an answer that its provider pauses %s', async (_name, pauses, summary) => {
  const bench = engineBench([...Array.from({length: pauses}, (_, at) => paused(at + 1)), says('the end')]);
  expect(await bench.prompt('go')).toMatchObject(summary);
  expect(bench.model.requests.length).toBe(10);
});

test.each([
  ['', 'scripted declined to answer.'],
  ['It could harm.', 'scripted declined to answer: It could harm.'],
])('a refusal fails with the explanation %j', async (explanation, message) => {
  const refused: ScriptedAnswer = {
    events: [
      {event: 'message-started', id: messageId('r'), model: 'm', usage: noUsage},
      {event: 'message-finished', stop: 'refusal', usage: noUsage, ...(explanation === '' ? {} : {explanation})},
    ],
  };
  const {end} = await engineBench([refused]).prompt('go');
  const fix = 'weft left the prompt out of the conversation. Rephrase the prompt, or use another model.';
  expect(end).toMatchObject({kind: 'failed', fault: {message, fix}});
});

test('after going back the next request may be shorter: only what was spent counts', async () => {
  const bench = engineBench([says('a'), says('b')], {
    options: {limits: {maxTurns: 'unlimited', maxCostUsd: 0.0105}},
  });
  await bench.prompt('one');
  void bench.query({query: 'rewind', target: {kind: 'last'}});
  await bench.next('rewound');
  expect(await bench.prompt('two')).toMatchObject({end: {kind: 'done'}, answer: 'b'});
});

test('thinks as it is set to, from the next request on', async () => {
  const bench: Bench = engineBench([callsTools(callBlock('Bash', {command: 'ls'})), says('ok')], {
    options: {thinking: {kind: 'adaptive'}},
    shell: async () => {
      bench.engine.submit({op: 'set-thinking', thinking: {kind: 'budget', tokens: 2000}});
      return finishedReport('');
    },
  });
  await bench.prompt('go');
  expect(bench.model.requests.map(({thinking}) => thinking)).toEqual([
    {kind: 'adaptive'},
    {kind: 'budget', tokens: 2000},
  ]);
});
