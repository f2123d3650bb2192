import {expect, test} from 'vitest';
import type {Action} from '../../../src/actions/catalogue.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {asks, callBlock, callsTools, engineBench, memorySession, says} from '../../support/memory-ports.ts';

const warnings = (bench: ReturnType<typeof engineBench>): readonly string[] =>
  bench.events.flatMap(event => (event.event === 'notice' && event.level === 'warning' ? [event.text] : []));

const usage = {inputTokens: 400, outputTokens: 0, cacheReadTokens: 100, cacheWriteTokens: 0};
const talk: readonly JournalRecord[] = [
  {kind: 'prompt', message: {role: 'user', id: messageId('p'), blocks: [{kind: 'text', text: 'go'}]}},
  {
    kind: 'answer',
    message: {
      role: 'assistant',
      id: messageId('a'),
      model: 'm',
      blocks: [{kind: 'text', text: 'one '.repeat(400)}],
      stop: 'end-turn',
      usage,
    },
  },
];

const resumedAt = (now: number) =>
  engineBench([says('ok')], {
    session: {...memorySession(talk), writtenAt: 0},
    options: {origin: 'resumed'},
    clock: {now: () => now},
  });

test('a session that is resumed late says what the next request costs', async () => {
  const bench = resumedAt(301_000);
  await bench.next('notice');
  expect(warnings(bench)).toEqual([
    "The provider's cache of this conversation has probably expired. The next request: about $0.50, cached $0.05.",
  ]);
});

test('one that is resumed at once does not', async () => {
  const bench = resumedAt(299_000);
  await bench.prompt('go');
  expect(warnings(bench)).toEqual([]);
});

test('a compaction says what its summary will cost before it is asked for', async () => {
  const bench = resumedAt(0);
  await bench.query({query: 'preview-compaction', instructions: ''});
  expect(bench.events.filter(({event}) => event === 'compaction-begun')).toEqual([
    {event: 'compaction-begun', trigger: 'manual', estimate: 'about $0.50, cached $0.05'},
  ]);
});

const assess = (action: Action) => (action.name === 'start-agent' ? asks : ({...asks, decision: 'allow'} as const));

test('a card about a sub-agent says what each of its requests will cost', async () => {
  const call = callBlock('Agent', {name: 'look', description: 'look', prompt: 'Look.', subagent_type: 'general'}, 'a');
  const bench = engineBench([callsTools(call), says('ok')], {assess});
  bench.engine.subscribe(events => {
    for (const event of events)
      if (event.event === 'approval-requested')
        bench.engine.submit({
          op: 'answer-approval',
          id: event.approval.id,
          answer: {decision: 'refuse', message: '', by: 'user'},
        });
  });
  await bench.prompt('go');
  const asked = bench.events.flatMap(event => (event.event === 'approval-requested' ? [event.approval] : []));
  expect(asked[0]?.verdict.reasons.at(-1)).toEqual({
    kind: 'cost',
    text: expect.stringMatching(/^Each request costs about \$\d+\.\d\d, cached \$\d+\.\d\d$/u),
  });
});
