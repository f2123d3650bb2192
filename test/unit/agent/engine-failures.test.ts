import {describe, expect, test} from 'vitest';
import type {Json} from '../../../src/base/json.ts';
import {ok} from '../../../src/base/outcome.ts';
import {treeId, type CheckpointsPort} from '../../../src/domain/checkpoint.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {noDetail} from '../../../src/domain/risk.ts';
import {
  asks,
  aborted,
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  memorySession,
  says,
  promptOp,
} from '../../support/memory-ports.ts';

describe('failures', () => {
  const usage = {inputTokens: 1, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0};
  const started = {event: 'message-started', id: messageId('x'), model: 'm', usage} as const;

  test('a journal that takes no more: the prompt fails, nothing else starts, and the history stays valid', async () => {
    const session = memorySession();
    const full = {
      ...session,
      append: (record: JournalRecord) => (record.kind === 'result' ? refuse() : session.append(record)),
    };
    const commands: string[] = [];
    const bench = engineBench(
      [callsTools(callBlock('Bash', {command: 'one'}, 'a'), callBlock('Bash', {command: 'two'}, 'b')), says('hello')],
      {
        session: full,
        shell: async ({command}) => {
          commands.push(command);
          return finishedReport('');
        },
        assess: () => ({...asks, decision: 'allow'}),
      },
    );
    expect(await bench.prompt('go')).toMatchObject({
      end: {kind: 'failed', fault: {message: expect.stringContaining('disk full')}},
    });
    expect(commands).toEqual(['one']);
    await bench.prompt('again');
    expect(bench.model.requests[1]?.messages.map(({blocks}) => blocks.map(({kind}) => kind).join())).toEqual([
      'text',
      'tool-call,tool-call',
      'tool-result,tool-result',
      'text',
    ]);
  });

  test('a judge that breaks lets nothing through and the turn goes on', async () => {
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'x'})), says('ok')], {assess: refuse});
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, denials: [{by: 'rule'}]});
  });

  test('two calls under one id become two', async () => {
    const bench = engineBench([
      callsTools(callBlock('Read', {file_path: 'a'}, 'same'), callBlock('Read', {file_path: 'b'}, 'same')),
      says('ok'),
    ]);
    await bench.prompt('go');
    const ids = bench.model.requests[1]?.messages.map(({blocks}) =>
      blocks.map(block => ('id' in block ? block.id : block.kind)),
    );
    expect(ids).toEqual([['text'], ['same', 'same_2'], ['same', 'same_2']]);
  });

  test('an input nested too deep is told to the model and brings nothing down', async () => {
    const deep: Json = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
    const bench = engineBench([
      {
        events: [
          started,
          {event: 'block-finished', index: 0, block: callBlock('Bash', deep)},
          {event: 'message-finished', stop: 'tool-use', usage},
        ],
      },
      says('ok'),
    ]);
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}});
    expect(JSON.stringify(bench.model.requests[1]?.messages)).toContain('nested deeper than 100 levels');
  });

  test('an answer of thinking and white space is not sent back', async () => {
    const thinking = {kind: 'thinking', text: 'hm', signature: 's'} as const;
    const bench = engineBench([{blocks: [thinking, {kind: 'text', text: '\n'}]}, says('ok')]);
    await bench.prompt('go');
    await bench.prompt('again');
    expect(bench.model.requests[1]?.messages.map(({role}) => role)).toEqual(['user', 'user']);
  });

  test('an empty last answer is not reported as an earlier one', async () => {
    const bench = engineBench([
      callsTools({kind: 'text', text: 'I will look.'}, callBlock('Bash', {command: 'ls'})),
      {events: [started, {event: 'message-finished', stop: 'refusal', usage}]},
    ]);
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'failed'}, answer: '', stop: 'refusal'});
  });

  test('the calls of an answer that broke off are told so', async () => {
    const bench = engineBench([
      {
        events: [
          started,
          {event: 'block-finished', index: 0, block: callBlock('Bash', {command: 'ls'}, 'a')},
          {event: 'failed', fault: {kind: 'provider', message: 'gone', fix: '', status: 0, refusal: {kind: 'other'}}},
        ],
      },
    ]);
    await bench.prompt('go');
    expect(bench.session.kept).toContainEqual({
      kind: 'result',
      result: {
        kind: 'tool-result',
        id: 'a',
        outcome: 'cancelled',
        reason: 'not-run',
        content: [{kind: 'text', text: 'This was not run because the answer that requested it was cut off.'}],
      },
    });
  });

  test('a failed request does not empty the gauge, and what was used counts after a resume', async () => {
    const bench = engineBench([
      says('a'),
      {
        events: [
          {event: 'failed', fault: {kind: 'provider', message: '529', fix: '', status: 529, refusal: {kind: 'other'}}},
        ],
      },
    ]);
    await bench.prompt('one');
    expect((await bench.prompt('two')).sessionUsage).toMatchObject({
      contextTokens: 15,
      models: {scripted: {requests: 1}},
    });
    const spent = {kind: 'usage', model: 'm', usage: {...usage, inputTokens: 500}} as const;
    const resumed = engineBench([], {session: memorySession([spent])});
    expect(resumed.events[0]).toMatchObject({event: 'session-opened', usage: {models: {m: {costUsd: 0.5}}}});
  });
});

describe('the queue', () => {
  test('a prompt that a listener submits waits its turn', async () => {
    const bench = engineBench([says('one'), says('two')]);
    const order: string[] = [];
    bench.engine.subscribe(events => {
      for (const {event} of events) {
        if (event === 'prompt-accepted' && order.length === 0) bench.engine.submit(promptOp('second'));
        if (event === 'prompt-accepted' || event === 'prompt-finished') order.push(event);
      }
    });
    bench.engine.submit(promptOp('first'));
    await bench.next('prompt-finished');
    await bench.next('prompt-finished');
    expect(order).toEqual(['prompt-accepted', 'prompt-finished', 'prompt-accepted', 'prompt-finished']);
  });

  test('a store that gives no new session: the old one goes on', async () => {
    const bench = engineBench([says('still here')], {sessions: {create: refuse}});
    bench.engine.submit({op: 'open-session', session: {kind: 'new'}});
    expect(await bench.next('notice')).toMatchObject({
      level: 'warning',
      text: 'Could not open the session: disk full (a bug in weft)',
    });
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, answer: 'still here'});
    expect(bench.session.kept.map(({kind}) => kind)).toContain('prompt');
  });

  test('a look at what going back would do that breaks is told, and what waits runs', async () => {
    const checkpoints: CheckpointsPort = {
      prefetch: async () => {},
      uncoveredFiles: async () => [],
      take: async () => ok(treeId('t')),
      preview: async () => refuse(),
      revert: async () => refuse(),
    };
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'x'})), says('done'), says('again')], {
      checkpoints,
      assess: () => ({
        decision: 'allow',
        risk: 'local-change',
        reasons: [],
        sessionApproval: 'exact',
        detail: noDetail,
      }),
    });
    await bench.prompt('go');
    expect(await bench.query({query: 'preview-rewind', target: {kind: 'last'}})).toMatchObject({
      tag: 'failed',
      error: {kind: 'bug', message: 'Previewing the rewind failed: disk full'},
    });
    expect(await bench.prompt('go on')).toMatchObject({answer: 'again'});
  });

  test('closing ends what runs with the reason, and nothing starts any more', async () => {
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'sleep'}, 'a')), says('never')], {
      shell: async (_request, _observe, signal) => {
        await aborted(signal);
        return {...finishedReport('part'), end: {kind: 'aborted'}};
      },
    });
    bench.engine.submit(promptOp('go'));
    await bench.next('action-started');
    const closed = bench.engine.close('shutdown');
    bench.engine.submit(promptOp('late'));
    await closed;
    expect(bench.session.kept).toContainEqual({
      kind: 'result',
      result: {
        kind: 'tool-result',
        id: 'a',
        outcome: 'cancelled',
        reason: 'shutdown',
        content: [{kind: 'text', text: 'weft was stopped before this ended.\nOutput before it was stopped:\npart'}],
      },
    });
    expect(bench.events.filter(({event}) => event === 'prompt-accepted')).toHaveLength(1);
  });
});

function refuse(): never {
  throw new Error('disk full');
}
