import {emptyChangesOutcome} from '../../../src/actions/changes-port.ts';
import {describe, expect, test} from 'vitest';
import {writeSummary} from '../../../src/agent/compaction/compactor.ts';
import {messageText} from '../../../src/domain/conversation.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import type {ModelEvent} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {compact, expectValid, lastRequest, preview, refusalOf, saysAtLength as says} from '../../support/compacting.ts';
import {
  aborted,
  callBlock,
  callsTools,
  engineBench,
  memorySession,
  valueOf,
  scriptedModel,
  type ScriptedAnswer,
} from '../../support/memory-ports.ts';

const stops = (stop: 'refusal' | 'context-full' | 'end-turn'): ModelEvent => ({
  event: 'message-finished',
  stop,
  usage: {...noUsage, inputTokens: 9},
});
const breaks = () => {
  throw new Error('unreadable');
};

describe('without a summary', () => {
  const fails: readonly ModelEvent[] = [
    {
      event: 'failed',
      fault: {kind: 'provider', message: 'Overloaded.', fix: '', status: 529, refusal: {kind: 'other'}},
    },
  ];
  const starts: ModelEvent = {
    event: 'message-started',
    id: messageId('s'),
    model: 'scripted',
    usage: {...noUsage, inputTokens: 9},
  };
  const long = 'long result '.repeat(2000);

  test.each<[string, ScriptedAnswer, string]>([
    ['the request fails', {events: fails}, 'Overloaded.'],
    ['it breaks off after it has begun', {events: [starts, ...fails]}, 'Overloaded.'],
    ['the answer is empty', {events: [starts, stops('end-turn')]}, 'The model wrote no summary.'],
    ['it is white space', says('  \n'), 'The model wrote no summary.'],
    ['it only calls tools', callsTools(callBlock('Bash', {command: 'rm x'})), 'The model wrote no summary.'],
    ['the model declines', {events: [starts, stops('refusal')]}, 'declined'],
    ['the context is full', {events: [starts, stops('context-full')]}, 'too full'],
    ['the connection ends without an end', {events: [starts]}, 'middle of its answer'],
  ])('%s: old results are shortened, and the session goes on', async (_, answer, why) => {
    const bench = engineBench(
      [callsTools(callBlock('Bash', {command: 'a'})), says('1'), says('2'), answer, says('3'), says('S'), says('4')],
      {
        shell: async () => ({
          end: {kind: 'exited', code: 0},
          output: {text: long, totalBytes: long.length, leftOutLines: 0, file: undefined},
          durationMs: 1,
          directory: '/work',
          nextDirectory: '/work',
          leftRunning: [],
          blocked: '',
          changes: emptyChangesOutcome,
          notes: [],
        }),
      },
    );
    await bench.prompt('one');
    await bench.prompt('two');
    const shown = await preview(bench);
    expect(shown).toMatchObject({way: 'trim', summary: '', dropped: [{what: '1 long result, cut to its beginning'}]});
    expect(shown.noSummaryReason).toContain(why);
    void bench.query({query: 'compact', preview: shown.id, summary: 'ignored'});
    await bench.next('compacted');
    await bench.prompt('three');
    const told = lastRequest(bench);
    expectValid(told);
    expect(
      told
        .slice(1)
        .map(messageText)
        .filter(text => text !== ''),
    ).toEqual(['one', '1', 'two', '2', 'three']);
    expect(JSON.stringify(told)).not.toContain(long);
    await compact(bench);
    await bench.prompt('four');
    expect(lastRequest(bench)).toHaveLength(2);
  });

  test('an interrupt stops it and still offers to shorten', async () => {
    const bench = engineBench([
      says('1'),
      {blocks: [{kind: 'text', text: 'never'}], before: new Promise(() => {})},
      says('2'),
    ]);
    await bench.prompt('one');
    const shown = preview(bench);
    await bench.next('compaction-begun');
    while (bench.model.requests.length < 2) await new Promise<void>(resolve => setImmediate(resolve));
    bench.engine.submit({op: 'interrupt'});
    expect(await shown).toMatchObject({
      way: 'trim',
      noSummaryReason: 'The summary was stopped.',
    });
    expect((await bench.prompt('two')).end).toEqual({kind: 'done'});
    expect(lastRequest(bench).map(messageText)).toEqual(['one', '1', 'two']);
  });

  test('a model that takes too long is left', async () => {
    const model = {
      ...scriptedModel([]),
      async *stream(_: unknown, signal: AbortSignal) {
        await aborted(signal);
        yield* [];
      },
    };
    const request = {
      model: 'm',
      system: '',
      tools: [],
      messages: [],
      thinking: {kind: 'default'},
      maxTokens: 'default',
    } as const;
    expect(
      await writeSummary(
        {request, id: messageId('q'), instructions: '', timeoutMs: 5, onWait: () => {}},
        model,
        new AbortController().signal,
      ),
    ).toMatchObject({kind: 'none', why: 'The model took longer than 0.005 s.'});
  });

  test('a cost limit that is reached asks nobody', async () => {
    const bench = engineBench([says('1')], {options: {limits: {maxTurns: 'unlimited', maxCostUsd: 0.01}}});
    await bench.prompt('one');
    expect((await preview(bench)).noSummaryReason).toContain('exceed the cost limit');
    expect(bench.model.requests).toHaveLength(1);
  });

  test.each(['usage', 'compaction'])('a journal that does not take the %s leaves everything as it is', async kind => {
    const session = memorySession();
    let isFull = true;
    const full = {
      ...session,
      append: (record: JournalRecord) => {
        if (isFull && record.kind === kind) throw new Error('disk full');
        session.append(record);
      },
    };
    const bench = engineBench([says('1'), says('S'), says('2')], {session: full});
    await bench.prompt('one');
    const shown = await bench.query({query: 'preview-compaction', instructions: ''});
    const refused =
      kind === 'compaction' ? await bench.query({query: 'compact', preview: valueOf(shown).id, summary: ''}) : shown;
    expect(refusalOf(refused)).toContain('disk full');
    isFull = false;
    await bench.prompt('two');
    expect(lastRequest(bench).map(messageText)).toEqual(['one', '1', 'two']);
  });

  test.each(['instructions', 'runningCommands', 'fingerprints'] as const)(
    '%s that cannot be read leave everything as it is',
    async part => {
      const bench = engineBench(
        [callsTools(callBlock('Write', {file_path: 'a', content: ''})), says('1'), says('S'), says('2')],
        {workspaceState: {[part]: breaks}},
      );
      await bench.prompt('one');
      const refused = await bench.query({query: 'preview-compaction', instructions: ''});
      expect(refusalOf(refused)).toContain('unreadable');
      expect((await bench.prompt('two')).end).toEqual({kind: 'done'});
    },
  );

  test('closing while the summary comes ends at once', async () => {
    const bench = engineBench([says('1'), {blocks: [{kind: 'text', text: 'never'}], before: new Promise(() => {})}]);
    await bench.prompt('one');
    const shown = bench.query({query: 'preview-compaction', instructions: ''});
    await bench.next('compaction-begun');
    await bench.engine.close('shutdown');
    expect(await shown).toEqual({tag: 'cancelled'});
  });
});
