import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {CheckpointRecorder} from '../../../src/agent/checkpoint-recorder.ts';
import {ok} from '../../../src/base/outcome.ts';
import {type ChangeExtent, treeId, type CheckpointsPort} from '../../../src/domain/checkpoint.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';

beforeEach(() => vi.useFakeTimers());
/** Each moment is long after the one before, so that no state is taken for two. */
const recorder = (
  checkpoints: CheckpointsPort,
  more: Partial<ConstructorParameters<typeof CheckpointRecorder>[0]> = {},
): CheckpointRecorder => {
  let time = 0;
  return new CheckpointRecorder({
    checkpoints,
    publish: () => {},
    now: () => (time += 1000),
    running: () => [],
    ...more,
  });
};

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
  const keeper = recorder(checkpoints, {publish: events => heard.push(...events)});
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
  const keeper = recorder(checkpoints);
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
  const run = recorder(checkpoints).forPrompt(messageId('p'), record => {
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

/** Each state of the files has a new name: `2:a` is the second one, of the file a. */
const countingTakes = (log: string[]): CheckpointsPort => ({
  prefetch: nothing,
  take: async (_, extent: ChangeExtent = 'any') => {
    log.push(`${String(log.length + 1)}:${String(extent)}`);
    return ok(treeId(log.at(-1) ?? ''));
  },
  uncoveredFiles: nothing,
  preview: nothing,
  revert: nothing,
});

test('each call has a step, which shares its states with its neighbors of the same answer', async () => {
  const [taken, steps]: [string[], string[]] = [[], []];
  let time = 0;
  const run = recorder(countingTakes(taken), {now: () => time}).forPrompt(messageId('p'), record => {
    if (record.kind === 'step') steps.push(`${record.call} ${record.files.before} ${record.files.after} ${record.ran}`);
  });
  const {signal} = new AbortController();
  const call = async (name: string, extent: ChangeExtent): Promise<void> => {
    await run.beforeChange(signal, extent, actionId(name));
    run.afterCall(actionId(name));
    await vi.advanceTimersByTimeAsync(0);
  };
  await call('edit', ['a']);
  await call('again', ['a']);
  run.afterCall(actionId('reads'));
  time += 1000;
  await call('later', ['a']);
  run.afterTurn('resting');
  await call('command', 'any');
  run.afterTurn('running');
  await call('next', 'any');
  await run.afterRun();
  expect(steps).toEqual([
    'edit 1:a 2:a foreground',
    'again 2:a 3:a foreground',
    'later 4:a 5:a foreground',
    'command 6:any 7:any foreground',
    'next 8:any 9:any foreground',
  ]);
  expect(taken).toEqual(['1:a', '2:a', '3:a', '4:a', '5:a', '6:any', '7:any', '8:any', '9:any']);
});

test('a step without an end is recorded up to the end of the run, and a command that runs on until it ends', async () => {
  const steps: string[] = [];
  let running: string[] = [];
  const own = recorder(countingTakes([]), {running: () => running});
  const keep = (record: JournalRecord): void => {
    if (record.kind === 'step') steps.push(`${record.prompt} ${record.call} ${record.ran}`);
  };
  const {signal} = new AbortController();
  const run = own.forPrompt(messageId('p'), keep);
  await run.beforeChange(signal, 'any', actionId('harness'));
  await run.beforeChange(signal, 'any', actionId('short'));
  running = ['1'];
  run.afterCall(actionId('short'));
  await vi.advanceTimersByTimeAsync(0);
  running = [];
  await run.beforeChange(signal, ['a'], actionId('server'));
  running = ['2'];
  run.afterCall(actionId('server'));
  await vi.advanceTimersByTimeAsync(0);
  await run.afterRun();
  expect(steps.splice(0)).toEqual([
    'p short on',
    'p short background',
    'p server on',
    'p harness foreground',
    'p server on',
  ]);
  running = [];
  const next = own.forPrompt(messageId('q'), keep);
  await next.beforeChange(signal, ['b'], actionId('edit'));
  next.afterCall(actionId('edit'));
  await next.afterRun();
  expect(steps).toEqual(['p server on', 'q edit foreground']);
});
