import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {CheckpointKeeper} from '../../../src/agent/checkpoint-keeper.ts';
import {ok} from '../../../src/base/outcome.ts';
import {treeId, type CheckpointsPort} from '../../../src/domain/checkpoint.ts';
import {messageId} from '../../../src/domain/ids.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const nothing = async (): Promise<never> => {
  throw new Error('not asked for');
};

test.each<[number, readonly string[]]>([
  [900, []],
  [
    1100,
    ['Keeping the files as they are, so that this can be undone. The first time takes a while in a large folder.'],
  ],
])('a checkpoint that takes %i ms', async (ms, said) => {
  const checkpoints: CheckpointsPort = {
    take: () => new Promise(resolve => setTimeout(() => resolve(ok(treeId('t'))), ms)),
    lookAhead: nothing,
    notCovered: nothing,
    preview: nothing,
    revert: nothing,
  };
  const heard: AgentEvent[] = [];
  const keeper = new CheckpointKeeper(checkpoints, events => heard.push(...events));
  const run = keeper.forRun(messageId('p'), () => {});
  const before = run.beforeChange(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(ms);
  await before;
  const after = run.afterRun();
  await vi.advanceTimersByTimeAsync(ms);
  await after;
  expect(heard).toEqual(said.map(text => ({event: 'notice', level: 'warning', text})));
});

test('files are looked at ahead only where a change is expected, once, and not beyond the end of the run', async () => {
  const looks: string[] = [];
  const checkpoints: CheckpointsPort = {
    lookAhead: signal =>
      new Promise(resolve => {
        looks.push('began');
        signal.addEventListener('abort', () => {
          looks.push('ended');
          resolve();
        });
      }),
    take: async () => ok(treeId('t')),
    notCovered: nothing,
    preview: nothing,
    revert: nothing,
  };
  const keeper = new CheckpointKeeper(checkpoints, () => {});
  const {signal} = new AbortController();
  const quiet = keeper.forRun(messageId('p'), () => {});
  await quiet.afterRun();
  expect(looks).toEqual([]);
  const refused = keeper.forRun(messageId('q'), () => {});
  refused.expectChange();
  refused.expectChange();
  await refused.afterRun();
  expect(looks).toEqual(['began', 'ended']);
  const changing = keeper.forRun(messageId('r'), () => {});
  await changing.beforeChange(signal);
  changing.expectChange();
  await changing.afterRun();
  expect(looks).toEqual(['began', 'ended']);
});
