import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {CheckpointRecorder} from '../../../src/agent/checkpoint-recorder.ts';
import {ok} from '../../../src/base/outcome.ts';
import {treeId, type CheckpointsPort} from '../../../src/domain/checkpoint.ts';
import {messageId} from '../../../src/domain/ids.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const nothing = async (): Promise<never> => {
  throw new Error('not asked for');
};

const named = async (): Promise<readonly string[]> => ['h'];

test.each<[number, readonly string[]]>([
  [4900, []],
  [5100, ['Saving a checkpoint for undo. The first one takes a while in a large folder.']],
])('a checkpoint that takes %i ms', async (ms, said) => {
  const checkpoints: CheckpointsPort = {
    take: () => new Promise(resolve => setTimeout(() => resolve(ok(treeId('t'))), ms)),
    prefetch: nothing,
    uncoveredFiles: nothing,
    preview: nothing,
    revert: nothing,
  };
  const heard: AgentEvent[] = [];
  const keeper = new CheckpointRecorder(checkpoints, events => heard.push(...events));
  const run = keeper.forPrompt(messageId('p'), () => {});
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
    prefetch: signal =>
      new Promise(resolve => {
        looks.push('began');
        signal.addEventListener('abort', () => {
          looks.push('ended');
          resolve();
        });
      }),
    take: async () => ok(treeId('t')),
    uncoveredFiles: nothing,
    preview: nothing,
    revert: nothing,
  };
  const keeper = new CheckpointRecorder(checkpoints, () => {});
  const {signal} = new AbortController();
  const quiet = keeper.forPrompt(messageId('p'), () => {});
  await quiet.afterRun();
  expect(looks).toEqual([]);
  const refused = keeper.forPrompt(messageId('q'), () => {});
  refused.expectChange();
  refused.expectChange();
  await refused.afterRun();
  expect(looks).toEqual(['began', 'ended']);
  const changing = keeper.forPrompt(messageId('r'), () => {});
  await changing.beforeChange(signal);
  changing.expectChange();
  await changing.afterRun();
  expect(looks).toEqual(['began', 'ended']);
});

test('a prompt looks at the files that its edits name, once each, and at everything only for other changes', async () => {
  const log: string[] = [];
  const checkpoints: CheckpointsPort = {
    prefetch: nothing,
    take: async (_, extent = 'any') => {
      log.push(`take ${String(extent)}`);
      return ok(treeId('t'));
    },
    uncoveredFiles: nothing,
    preview: nothing,
    revert: nothing,
  };
  const {signal} = new AbortController();
  const run = new CheckpointRecorder(checkpoints, () => {}).forPrompt(messageId('p'), record => {
    if (record.kind === 'checkpoint') log.push(`${record.moment} ${record.prompt}`);
  });
  await Promise.all([run.beforeChange(signal, ['a']), run.beforeChange(signal, ['a', 'b'])]);
  await run.beforeChange(signal, ['b']);
  await run.afterRun();
  expect(log.splice(0)).toEqual(['take a', 'before p', 'take b', 'before p', 'take a,b', 'after p']);
  run.joinPrompt(messageId('q'));
  await run.beforeChange(signal);
  await run.beforeChange(signal, ['c']);
  expect(log.splice(0)).toEqual(['take a,b', 'after p', 'take any', 'before q']);
  run.joinPrompt(messageId('h'));
  await run.beforeHook(signal, nothing);
  expect(log).toEqual([]);
  await run.beforeChange(signal, ['a']);
  await run.beforeHook(signal, named);
  await run.beforeHook(signal, nothing);
  await run.beforeHook(signal, nothing);
  await run.afterRun();
  expect(log.splice(0)).toEqual([
    'take any',
    'after q',
    'take a',
    'before h',
    'take h',
    'before h',
    'take any',
    'before h',
    'take any',
    'after h',
  ]);
  run.joinPrompt(messageId('r'));
  await run.beforeChange(signal);
  await run.afterRun();
  expect(log).toEqual(['take any', 'after h', 'before r', 'take any', 'after r']);
});
