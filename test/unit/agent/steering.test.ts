import {describe, expect, test} from 'vitest';
import {ok} from '../../../src/base/outcome.ts';
import {treeId, type CheckpointsPort} from '../../../src/domain/checkpoint.ts';
import {messageText, type Message} from '../../../src/domain/conversation.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {messageId} from '../../../src/domain/ids.ts';
import {noDetail} from '../../../src/domain/risk.ts';
import {promptSpans, timelineOf} from '../../../src/domain/timeline.ts';
import {rewindPoints} from '../../../src/agent/rewind.ts';
import {
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  memorySession,
  promptOp,
  says,
  type Bench,
} from '../../support/memory-ports.ts';

const listing = () => callsTools(callBlock('Bash', {command: 'ls'}, 'a'));
const words = (messages: readonly Message[] | undefined): readonly string[] =>
  (messages ?? []).map(
    message => `${message.role}: ${message.blocks.map(({kind}) => kind).join()} ${messageText(message)}`,
  );
const promptEvents = ({events}: Bench): readonly string[] =>
  events.flatMap(event => {
    if (event.event === 'prompt-accepted' || event.event === 'prompt-withdrawn') return [`${event.event} ${event.id}`];
    return event.event === 'prompt-finished' ? [event.event] : [];
  });

/** An engine whose first answer runs a command during which `meanwhile` happens. */
function benchDuring(meanwhile: (bench: Bench) => void, script = [listing(), says('Done.'), says('More.')]): Bench {
  const bench: Bench = engineBench(script, {
    shell: async () => {
      meanwhile(bench);
      return finishedReport('ran');
    },
  });
  return bench;
}

describe('a prompt that steers', () => {
  test('joins the running one behind the results of the calls under way', async () => {
    const bench = benchDuring(({engine}) => engine.submit(promptOp('also lint', 'steering', 's')));
    const summary = await bench.prompt('list');
    expect(summary).toMatchObject({end: {kind: 'done'}, turns: 2, answer: 'Done.'});
    expect(words(bench.model.requests[1]?.messages)).toEqual([
      'user: text list',
      'assistant: tool-call ',
      'user: tool-result ',
      'user: text also lint',
    ]);
    expect(promptEvents(bench)).toEqual([
      expect.stringMatching('prompt-accepted p'),
      'prompt-accepted s',
      'prompt-finished',
    ]);
    expect(words(historyFromJournal(bench.session.kept).messages)).toEqual([
      ...words(bench.model.requests[1]?.messages),
      'assistant: text Done.',
    ]);
  });

  test('runs on its own, ahead of those that queue, where the running one sends no further request', async () => {
    const bench = engineBench([says('First.'), says('Steered.'), says('Queued.')]);
    bench.engine.submit(promptOp('first', 'queued', '1'));
    await bench.next('turn-started');
    bench.engine.submit(promptOp('queued', 'queued', '2'));
    bench.engine.submit(promptOp('steering', 'steering', '3'));
    for (const answer of ['First.', 'Steered.', 'Queued.']) {
      expect((await bench.next('prompt-finished')).summary.answer).toBe(answer);
    }
    expect(promptEvents(bench).filter(event => event !== 'prompt-finished')).toEqual([
      'prompt-accepted 1',
      'prompt-accepted 3',
      'prompt-accepted 2',
    ]);
  });

  test('is the same as another where nothing runs', async () => {
    const bench = engineBench([says('Hello.')]);
    bench.engine.submit(promptOp('hi', 'steering', 's'));
    expect((await bench.next('prompt-finished')).summary.answer).toBe('Hello.');
    expect(promptEvents(bench)).toEqual(['prompt-accepted s', 'prompt-finished']);
  });

  test('runs on its own where the running one has no turns left', async () => {
    const bench: Bench = engineBench([listing(), says('Own.')], {
      options: {limits: {maxTurns: 1, maxCostUsd: 'unlimited'}},
      shell: async () => {
        bench.engine.submit(promptOp('and', 'steering', 's'));
        return finishedReport('');
      },
    });
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'max-turns'}});
    expect((await bench.next('prompt-finished')).summary).toMatchObject({end: {kind: 'done'}, answer: 'Own.'});
  });

  test('is kept when it is taken up: a session killed before the next request still has it', async () => {
    const session = memorySession();
    const killed: Bench = engineBench([listing(), {blocks: [], before: new Promise(() => {})}], {
      session,
      shell: async () => {
        killed.engine.submit(promptOp('mind the tests', 'steering', 's'));
        return finishedReport('');
      },
    });
    killed.engine.submit(promptOp('go'));
    await killed.next('prompt-accepted');
    expect((await killed.next('prompt-accepted')).id).toBe('s');
    expect(words(historyFromJournal(session.kept).messages).at(-1)).toBe('user: text mind the tests');
    const resumed = engineBench([says('Minded.')], {session: memorySession([...session.kept])});
    await resumed.prompt('go on');
    expect(words(resumed.model.requests[0]?.messages).slice(-2)).toEqual([
      'user: text mind the tests',
      'user: text go on',
    ]);
  });
});

describe('withdrawing', () => {
  test('drops what waits, once; what was taken up stays', async () => {
    const bench = benchDuring(({engine}) => {
      engine.submit(promptOp('one', 'steering', 's1'));
      engine.submit(promptOp('two', 'queued', 'q1'));
      for (const id of ['s1', 'q1', 's1', 'nobody', 'first']) engine.submit({op: 'withdraw-prompt', id: messageId(id)});
    });
    bench.engine.submit(promptOp('list', 'queued', 'first'));
    await bench.next('prompt-finished');
    expect(promptEvents(bench)).toEqual([
      'prompt-accepted first',
      'prompt-withdrawn s1',
      'prompt-withdrawn q1',
      'prompt-finished',
    ]);
  });

  test('an interrupt withdraws everything that waits, and has told so when it returns', async () => {
    const told: (readonly string[])[] = [];
    const bench = benchDuring(one => {
      one.engine.submit(promptOp('later', 'queued', 'q'));
      one.engine.submit(promptOp('now', 'steering', 's'));
      one.engine.submit({op: 'interrupt'});
      told.push(promptEvents(one).slice(1));
    });
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'interrupted'}});
    expect(told).toEqual([['prompt-withdrawn q', 'prompt-withdrawn s']]);
    expect(bench.model.requests).toHaveLength(1);
  });

  test('so do another session and leaving', async () => {
    const bench = benchDuring(({engine}) => {
      engine.submit(promptOp('later', 'queued', 'q1'));
      engine.submit({op: 'open-session', session: {kind: 'new'}});
    });
    await bench.prompt('go');
    bench.engine.submit(promptOp('x', 'queued', 'q2'));
    await bench.engine.close('shutdown');
    expect(promptEvents(bench).filter(event => event.startsWith('prompt-withdrawn'))).toEqual([
      'prompt-withdrawn q1',
      'prompt-withdrawn q2',
    ]);
  });
});

test('an id that the session already holds is replaced', async () => {
  const bench = engineBench([says('1'), says('2'), says('3')]);
  for (const text of ['a', 'b']) bench.engine.submit(promptOp(text, 'queued', 'same'));
  await bench.next('prompt-finished');
  await bench.next('prompt-finished');
  bench.engine.submit(promptOp('c', 'queued', 'same'));
  await bench.next('prompt-finished');
  const ids = bench.events.flatMap(event => (event.event === 'prompt-accepted' ? [event.id] : []));
  expect(new Set(ids)).toHaveProperty('size', 3);
  expect(ids[0]).toBe('same');
});

const countingCheckpoints = (): CheckpointsPort => {
  let trees = 0;
  const report = {files: [], conflicts: [], excluded: [], coverage: 'all files' as const};
  return {
    prefetch: async () => {},
    uncoveredFiles: async () => [],
    take: async () => ok(treeId(`t${++trees}`)),
    preview: async () => ok(report),
    revert: async wanted => ok({report, change: {before: wanted[0]?.before ?? treeId('?'), after: treeId('now')}}),
  };
};

describe('going back', () => {
  const changes = {
    decision: 'allow',
    risk: 'local-change',
    reasons: [],
    sessionApproval: 'exact',
    detail: noDetail,
  } as const;
  test.each([
    ['a change behind it is its own', [listing(), listing(), says('Done.')], ['p t1 > t2', 's t3 > t4']],
    ['without one, the end of the first is the end of the run', [listing(), says('Done.')], ['p t1 > t2', 's']],
  ] as const)('each prompt of a run is a point; %s', async (_, script, spans) => {
    const session = memorySession();
    let runs = 0;
    const bench: Bench = engineBench(script, {
      session,
      assess: () => changes,
      checkpoints: countingCheckpoints(),
      shell: async () => {
        runs += 1;
        if (runs === 1) bench.engine.submit(promptOp('steer', 'steering', 's'));
        return finishedReport('');
      },
    });
    bench.engine.submit(promptOp('go', 'queued', 'p'));
    await bench.next('prompt-finished');
    expect(rewindPoints(session.kept).map(({to}) => to)).toEqual(['p', 's']);
    const shown = (): readonly string[] =>
      promptSpans(timelineOf(session.kept)).map(({message, files}) =>
        [message.id, ...files.map(({before, after}) => `${before} > ${after}`)].join(' '),
      );
    expect(shown()).toEqual(spans);
    void bench.query({query: 'rewind', target: {kind: 'prompt', to: messageId('s'), what: 'talk'}});
    await bench.next('rewound');
    expect(shown()).toEqual(spans.slice(0, 1));
    expect(words(historyFromJournal(session.kept).messages)).toEqual([
      'user: text go',
      'assistant: tool-call ',
      'user: tool-result ',
    ]);
    void bench.query({query: 'rewind', target: {kind: 'redo'}});
    await bench.next('rewound');
    expect(shown()).toEqual(spans);
  });
});
