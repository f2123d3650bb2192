import {expect, test} from 'vitest';
import {blockTexts} from '../../../src/domain/conversation.ts';
import {engineBench, says} from '../../support/memory-ports.ts';

const noon = (date: string): number => Date.parse(`${date}T12:00:00Z`);

test('another date is told once, behind the prompt; nothing before it changes', async () => {
  let now = noon('2026-11-28');
  const run = engineBench([says('1'), says('2'), says('3')], {
    clock: {now: () => now},
    options: {systemPrompt: 'You are a test.\nDate: 2026-11-28'},
  });
  await run.prompt('one');
  now = noon('2026-11-29');
  await run.prompt('two');
  await run.prompt('three');
  const texts = run.model.requests.map(({messages}) => messages.map(({blocks}) => blockTexts(blocks).join()));
  const told = '<reminder>The date is now 2026-11-29.</reminder>';
  expect(texts).toEqual([['one'], ['one', '1', 'two', told], ['one', '1', 'two', told, '2', 'three']]);
  expect(new Set(run.model.requests.map(({system}) => system)).size).toBe(1);
});
