import {expect, test} from 'vitest';
import {actionId} from '../../../src/domain/ids.ts';
import {asks, callBlock, callsTools, engineBench, finishedReport, says} from '../../support/memory-ports.ts';

test('at most eight commands that only read run side by side, and the user can move each to the background', async () => {
  let running = 0;
  let most = 0;
  const moved: string[] = [];
  const bench = engineBench(
    [callsTools(...Array.from({length: 20}, (_, at) => callBlock('Bash', {command: `${at}`}, `c${at}`))), says('ok')],
    {
      assess: () => ({...asks, decision: 'allow', risk: 'read-only'}),
      async shell({command, background}) {
        running += 1;
        most = Math.max(most, running);
        background.addEventListener('abort', () => moved.push(command));
        await new Promise(resolve => setImmediate(resolve));
        if (command === '3') bench.engine.submit({op: 'move-to-background', id: actionId('c5')});
        running -= 1;
        return finishedReport(command);
      },
    },
  );
  await bench.prompt('go');
  expect([most, moved]).toEqual([8, ['5']]);
  const results = bench.model.requests[1]?.messages.at(-1)?.blocks;
  expect(results?.map(block => (block.kind === 'tool-result' ? block.id : ''))).toEqual(
    Array.from({length: 20}, (_, at) => `c${at}`),
  );
});
