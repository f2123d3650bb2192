import {expect, test} from 'vitest';
import {ok} from '../../../src/base/outcome.ts';
import {treeId, type CheckpointsPort} from '../../../src/domain/checkpoint.ts';
import {noDetail, unknownContent, type Verdict} from '../../../src/domain/risk.ts';
import {asks, callBlock, callsTools, engineBench, says} from '../../support/memory-ports.ts';

const nothing = async (): Promise<never> => {
  throw new Error('not asked for');
};

test('a card says what Undo does not cover of what is about to be touched', async () => {
  const touched: unknown[] = [];
  const checkpoints: CheckpointsPort = {
    prefetch: async () => {},
    uncoveredFiles: async given => {
      touched.push(given);
      return ['data.bin (1.2 GB)', '2 more'];
    },
    take: async () => ok(treeId('t')),
    preview: nothing,
    revert: nothing,
  };
  const destructiveCommands = [
    {argv: ['rm', 'data.bin'], directory: '/work', overwrites: [], content: unknownContent},
  ] as const;
  const verdict: Verdict = {...asks, risk: 'destructive', detail: {...noDetail, destructiveCommands}};
  const script = [callsTools(callBlock('Bash', {command: 'rm data.bin'})), says('end')];
  const bench = engineBench(script, {checkpoints, assess: () => verdict});
  const done = bench.prompt('go');
  const {approval} = await bench.next('approval-requested');
  expect(approval.verdict.reasons).toEqual([
    ...asks.reasons,
    {kind: 'not-undoable', text: 'Undo does not cover data.bin (1.2 GB), 2 more'},
  ]);
  expect(touched).toEqual([{paths: [], commands: destructiveCommands, isNamed: false}]);
  bench.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'once'}});
  await done;
});
