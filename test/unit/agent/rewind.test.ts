import {describe, expect, test} from 'vitest';
import {ok} from '../../../src/base/outcome.ts';
import {treeId, type CheckpointsPort, type OpenTreeChange} from '../../../src/domain/checkpoint.ts';
import {messageId} from '../../../src/domain/ids.ts';
import {noDetail, type Verdict} from '../../../src/domain/risk.ts';
import {callBlock, callsTools, engineBench, says, valueOf} from '../../support/memory-ports.ts';

const changes: Verdict = {
  decision: 'allow',
  risk: 'local-change',
  reasons: [],
  sessionApproval: 'exact',
  detail: noDetail,
};

/** Numbers the trees it is asked to keep, and remembers what it was asked to take back. */
function counting() {
  let trees = 0;
  const reverted: (readonly OpenTreeChange[])[] = [];
  const files = [{path: '/work/a', effect: 'changed'}] as const;
  const report = {files, conflicts: [], excluded: [], coverage: 'all files' as const};
  const next = () => treeId(`t${++trees}`);
  const port: CheckpointsPort = {
    prefetch: async () => {},
    uncoveredFiles: async () => [],
    take: async () => ok(next()),
    preview: async () => ok(report),
    revert: async given => {
      reverted.push(given);
      return ok({report, change: {before: next(), after: next()}});
    },
  };
  return {port, reverted, count: () => trees};
}

const command = (line: string) => callsTools(callBlock('Bash', {command: line}));

describe('checkpoints', () => {
  test('around a prompt that may change something, before its first such action; none otherwise', async () => {
    const kept = counting();
    const script = [command('a'), command('b'), says('1'), says('2'), command('ls'), says('3')];
    let verdict = changes;
    const bench = engineBench(script, {checkpoints: kept.port, assess: () => verdict});
    await bench.prompt('one');
    await bench.prompt('two');
    verdict = {...changes, risk: 'read-only'};
    await bench.prompt('three');
    const kinds = bench.session.kept.map(({kind}) => kind).join(' ');
    expect(kinds.replaceAll(/ ?(?:piece|usage)/gu, '')).toBe(
      'prompt answer checkpoint step result checkpoint answer checkpoint step result checkpoint answer prompt answer prompt answer result answer',
    );
    expect(kept.count()).toBe(4);
  });
});

describe('going back', () => {
  test('undo takes files and talk back, redo brings both again, and the model is told neither', async () => {
    const kept = counting();
    const bench = engineBench([says('1'), command('a'), says('2'), says('3'), says('4')], {
      checkpoints: kept.port,
      assess: () => changes,
    });
    await bench.prompt('one');
    await bench.prompt('two');
    expect(valueOf(await bench.query({query: 'preview-rewind', target: {kind: 'last'}}))).toMatchObject({
      kind: 'rewind',
      what: 'both',
      prompt: 'two',
      prompts: 1,
    });
    expect(kept.reverted).toEqual([]);
    void bench.query({query: 'rewind', target: {kind: 'last'}});
    await bench.next('rewound');
    expect(kept.reverted).toEqual([[{before: 't1', after: 't2'}]]);
    void bench.query({query: 'rewind', target: {kind: 'redo'}});
    expect(await bench.next('rewound')).toMatchObject({report: {kind: 'redo', prompt: 'two', prompts: 1}});
    expect(kept.reverted[1]).toEqual([{before: 't3', after: 't4'}]);
    await bench.prompt('three');
    expect(bench.model.requests.at(-1)?.messages).toHaveLength(7);
    const points = valueOf(await bench.query({query: 'rewind-points'}));
    expect(points.map(({number, prompt, files}) => [number, prompt, files])).toEqual([
      [1, 'one', 'untouched'],
      [2, 'two', 'changed'],
      [3, 'three', 'untouched'],
    ]);
    const to = points[1]?.to ?? messageId('');
    void bench.query({query: 'rewind', target: {kind: 'prompt', to, what: 'talk'}});
    await bench.next('rewound');
    await bench.prompt('four');
    expect(bench.model.requests.at(-1)?.messages.map(({role}) => role)).toEqual(['user', 'assistant', 'user']);
    expect(kept.reverted).toHaveLength(2);
  });

  test('where only files go back, or come again, the model is told with the next prompt', async () => {
    const kept = counting();
    const bench = engineBench([command('a'), says('1'), says('2'), says('3')], {
      checkpoints: kept.port,
      assess: () => changes,
    });
    await bench.prompt('one');
    const to = valueOf(await bench.query({query: 'rewind-points'}))[0]?.to ?? messageId('');
    void bench.query({query: 'rewind', target: {kind: 'prompt', to, what: 'files'}});
    await bench.next('rewound');
    await bench.prompt('two');
    const told = () =>
      JSON.stringify(
        bench.model.requests
          .at(-1)
          ?.messages.slice(-2)
          .map(({blocks}) => blocks),
      );
    expect(told()).toMatch(
      /<reminder>The user reverted files to their state before the prompt \\"one\\".*\/work\/a \(changed\)\..*"two"/u,
    );
    // A prompt ends what can be redone, so this goes back once more and comes again.
    void bench.query({query: 'rewind', target: {kind: 'prompt', to, what: 'files'}});
    await bench.next('rewound');
    void bench.query({query: 'rewind', target: {kind: 'redo'}});
    await bench.next('rewound');
    await bench.prompt('three');
    expect(told()).toContain('The user restored files');
  });

  test('where files fail, the conversation stays and the same undo and redo can be repeated', async () => {
    const kept = counting();
    const conflicts = [{path: '/work/b', reason: 'no space left on device'}];
    let failures: {readonly failures: number} | undefined = {failures: 1};
    const checkpoints: CheckpointsPort = {
      ...kept.port,
      revert: async given => {
        const done = await kept.port.revert(given, new AbortController().signal);
        const {report, change} = valueOf(done);
        return ok({report: failures === undefined ? report : {...report, conflicts, ...failures}, change});
      },
    };
    const bench = engineBench([command('a'), says('1')], {checkpoints, assess: () => changes});
    await bench.prompt('one');
    const rewind = async (kind: 'last' | 'redo') => {
      void bench.query({query: 'rewind', target: {kind}});
      const {report} = await bench.next('rewound');
      return [report.kind, report.what, report.prompts, bench.session.kept.at(-1)?.kind];
    };
    expect(await rewind('last')).toEqual(['rewind', 'files', 0, 'reminder']);
    failures = undefined;
    expect(await rewind('last')).toEqual(['rewind', 'both', 1, 'rewind']);
    failures = {failures: 1};
    expect(await rewind('redo')).toEqual(['redo', 'files', 0, 'reminder']);
    failures = undefined;
    expect(await rewind('redo')).toEqual(['redo', 'both', 1, 'redo']);
    expect(kept.reverted.map(given => given[0]?.before)).toEqual(['t1', 't1', 't5', 't5']);
  });

  test('with nothing to go back to, the answer says so', async () => {
    const bench = engineBench([]);
    expect(await bench.query({query: 'rewind', target: {kind: 'last'}})).toMatchObject({
      error: {message: 'Nothing to undo.'},
    });
    expect(await bench.query({query: 'preview-rewind', target: {kind: 'redo'}})).toMatchObject({
      error: {message: 'Nothing to redo.'},
    });
  });

  test('is refused while a prompt runs or waits', async () => {
    const bench = engineBench([says('1')]);
    const done = bench.prompt('one');
    expect(await bench.query({query: 'rewind', target: {kind: 'last'}})).toMatchObject({
      error: {message: expect.stringContaining('A prompt is running')},
    });
    expect(await done).toMatchObject({answer: '1'});
    expect(bench.events.some(({event}) => event === 'rewound')).toBe(false);
  });

  test('a checkpoint that fails is told once and stops nothing', async () => {
    const fault = {kind: 'needs-user', message: 'The disk is full.', fix: 'Free some space.'} as const;
    const failing: CheckpointsPort = {
      prefetch: async () => {},
      uncoveredFiles: async () => [],
      take: async () => ({tag: 'failed', error: fault}),
      preview: async () => ({tag: 'failed', error: fault}),
      revert: async () => ({tag: 'failed', error: fault}),
    };
    const bench = engineBench([command('a'), says('1'), command('b'), says('2')], {
      checkpoints: failing,
      assess: () => changes,
    });
    await bench.prompt('one');
    expect(await bench.prompt('two')).toMatchObject({answer: '2'});
    expect(bench.events.filter(({event}) => event === 'notice')).toEqual([
      {
        event: 'notice',
        level: 'warning',
        text: "Undo won't be available: The disk is full. Free some space.",
      },
    ]);
  });
});
