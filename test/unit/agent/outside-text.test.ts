import {expect, test} from 'vitest';
import {callBlock, callsTools, engineBench, memorySession, promptOp, says} from '../../support/memory-ports.ts';
import {playedHarness} from '../../support/played-harness.ts';

test("the judge learns what a harness's own tools return", async () => {
  const harness = playedHarness();
  const learned: (readonly [string, string])[] = [];
  const run = engineBench(
    [callsTools(callBlock('Agent', {description: 'a', prompt: 'do a', harness: 'played'})), says('done')],
    {
      sessions: {createSubSession: () => memorySession()},
      harnesses: harness.port,
      learn: async (access, text) => void learned.push([access.kind, text]),
    },
  );
  run.engine.submit(promptOp('go'));
  await harness.count(1);
  const [running] = harness.runs;
  const inputs = {
    WebFetch: {url: 'https://tea.example/'},
    shell: {command: ['curl', 'https://tea.example/']},
    fetch: {url: 'https://tea.example/'},
    mcp__tea__pour: {},
    open: {path: '/etc/hosts'},
    think: {},
  };
  for (const [name, input] of Object.entries(inputs)) {
    running?.tell({
      event: 'tool-started',
      id: name,
      name,
      title: '',
      input,
      access: {kind: 'other', title: name, input},
    });
    running?.tell({event: 'tool-finished', id: name, end: 'succeeded', output: `of ${name}`, files: []});
  }
  running?.finish('done');
  await run.next('prompt-finished');
  expect(learned).toEqual([
    ['web-page', 'of WebFetch'],
    ['command', 'of shell'],
    ['web-page', 'of fetch'],
    ['mcp-tool', 'of mcp__tea__pour'],
    ['read', 'of open'],
    ['none', 'of think'],
  ]);
});
