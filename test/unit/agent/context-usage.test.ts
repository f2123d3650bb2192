import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {systemPrompt, systemPromptParts} from '../../../src/agent/context/system-prompt.ts';
import type {ContextUsage} from '../../../src/domain/context-usage.ts';
import {callBlock, callsTools, engineBench, says, valueOf} from '../../support/memory-ports.ts';
import {compact, saysAtLength} from '../../support/compacting.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const {signal} = new AbortController();
type Bench = ReturnType<typeof engineBench>;
const usageOf = async (bench: Bench): Promise<ContextUsage> =>
  valueOf(await bench.engine.query({query: 'context-usage'}, signal));
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
const kindsOf = ({parts}: ContextUsage): readonly string[] => parts.map(({kind}) => kind);

test('before the first prompt it is the system prompt and the tools, by estimate', async () => {
  const usage = await usageOf(engineBench([]));
  expect(usage).toMatchObject({total: 'estimated', deferred: {tools: 0, tokens: 0}});
  expect(kindsOf(usage)).toEqual(['system-prompt', 'tools']);
  expect(usage.parts[1]?.items.map(({name}) => name)).toContain('Bash');
});

test('parts are named by what they are, add up to the whole, and stand in the order of a request', async () => {
  const bench = engineBench([
    callsTools(callBlock('Bash', {command: 'echo hello'})),
    callsTools(callBlock('Write', {file_path: 'a.ts', content: 'x'.repeat(4000)})),
    says('Done, and this is what came of it.'),
  ]);
  await bench.prompt('Do it, please');
  const usage = await usageOf(bench);
  expect(kindsOf(usage)).toEqual(['system-prompt', 'tools', 'prompts', 'answers', 'tool-calls', 'results']);
  expect(sumOf(usage.parts.map(({tokens}) => tokens))).toBe(usage.tokens);
  const calls = usage.parts.find(({kind}) => kind === 'tool-calls');
  expect(calls?.items.map(({name}) => name)).toEqual(['Write', 'Bash']);
  expect(
    usage.parts
      .find(({kind}) => kind === 'results')
      ?.items.map(({name}) => name)
      .toSorted(),
  ).toEqual(['Bash', 'Write']);
});

test('the whole is what the provider counted with its last answer', async () => {
  const bench = engineBench([says('Hello.')]);
  await bench.prompt('Hi');
  const shown = await usageOf(bench);
  // What the scripted model says that it has counted.
  expect({tokens: shown.tokens, total: shown.total}).toEqual({tokens: 15, total: 'counted'});
  expect(sumOf(shown.parts.map(({tokens}) => tokens))).toBe(15);
});

test('after a compaction the summary stands in the place of the conversation', async () => {
  const bench = engineBench([saysAtLength('one'), says('THE SUMMARY')]);
  await bench.prompt('first');
  await compact(bench);
  expect(kindsOf(await usageOf(bench))).toEqual(['system-prompt', 'tools', 'summary']);
});

test('a system prompt comes apart into what it was made of', () => {
  const line = fc
    .stringMatching(/^[a-z <>/"]{1,30}$/u)
    .filter(text => text.trim() === text && !text.includes('instructions'));
  const file = fc.record({path: fc.stringMatching(/^\/[a-z/.]{1,20}$/u), text: line});
  fc.assert(
    fc.property(line, fc.array(file, {maxLength: 4}), (replacement, instructions) => {
      const parts = {replacement, instructions, addition: ''};
      expect(systemPromptParts(systemPrompt(parts, 'open'))).toEqual({text: replacement, instructions});
    }),
    {numRuns: randomInputs(500)},
  );
});
