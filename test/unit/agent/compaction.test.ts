import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {isOrdinaryMessage} from '../../../src/agent/compaction/draft-compaction.ts';
import {UsageMeter} from '../../../src/agent/usage-meter.ts';
import {compactionMessage} from '../../../src/domain/compaction.ts';
import {messageText, type Message} from '../../../src/domain/conversation.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {decodeBody, encodeBody} from '../../../src/store/record-body.ts';
import {compact, expectValid, lastRequest, preview, refusalOf, saysAtLength as says} from '../../support/compacting.ts';
import {
  callBlock,
  callsTools,
  engineBench,
  memorySession,
  promptOp,
  scriptedModel,
  valueOf,
  type ScriptedAnswer,
} from '../../support/memory-ports.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const textsOf = (messages: readonly Message[]): string =>
  messages.flatMap(({blocks}) => blocks.flatMap(block => (block.kind === 'text' ? [block.text] : []))).join('\n');
const untilRewind = (records: readonly JournalRecord[]) =>
  records.slice(0, records.findIndex(({kind}) => kind === 'rewind') + 1);
/** As they come back from the disk. */
const storedAndRead = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
  records.flatMap(record => {
    const read = decodeBody(record.kind, encodeBody(record));
    expect(read).toEqual({tag: 'ok', value: record});
    return read.tag === 'ok' ? [read.value] : [];
  });

describe('a compaction', () => {
  test('asks for the summary behind the same request, and puts it in the place of what was said', async () => {
    const words = ['first: keep "tabs"\n', 'second äöü 🙂 <b>', 'third'];
    const bench = engineBench(
      [
        callsTools(callBlock('Write', {file_path: 'a.ts', content: 'x'})),
        says('one'),
        says('two'),
        callsTools(callBlock('TodoWrite', {todos: [{content: 'open one', status: 'pending', activeForm: 'x'}]})),
        says('three'),
        {blocks: [{kind: 'text', text: 'THE SUMMARY'}, callBlock('Bash', {command: 'ls'})]},
        says('four'),
      ],
      {
        workspaceState: {
          instructions: () => [{path: '/work/AGENTS.md', text: 'Use tabs.\nNew rule.'}],
          runningCommands: () => [{block: '1', text: '- block 1: npm start'}],
          fingerprints: async paths => paths.map(path => ({path, kind: 'file', sha256: `hash of ${path}`})),
        },
      },
    );
    for (const word of words) await bench.prompt(word);
    const before = lastRequest(bench);
    const shown = await preview(bench, 'mind the tests');
    const asked = bench.model.requests.at(-1);
    expect(asked?.messages.slice(0, before.length)).toEqual(before);
    expect(asked).toMatchObject({system: 'You are a test.', tools: bench.model.requests[0]?.tools});
    expect(textsOf(asked?.messages.slice(-1) ?? [])).toContain('mind the tests');
    expect(shown).toMatchObject({
      way: 'summary',
      summary: 'THE SUMMARY',
      noSummaryReason: '',
      before: 'counted',
      cost: {kind: 'used', usd: 0.01},
      kept: [
        {what: '3 user messages, word for word'},
        {what: '1 instruction file, read again'},
        {what: '1 open todo'},
        {what: '1 running command'},
        {what: '1 changed file, by name and hash'},
      ],
      summarised: [{what: '3 answers'}, {what: '2 tool calls with their results'}],
    });
    expect(bench.session.kept.some(({kind}) => kind === 'compaction')).toBe(false);
    void bench.query({query: 'compact', preview: shown.id, summary: ''});
    await bench.next('compacted');
    await bench.prompt('next');
    const told = lastRequest(bench);
    expect(told).toHaveLength(2);
    const state = textsOf(told.slice(0, 1));
    for (const part of [
      ...words,
      'THE SUMMARY',
      'Use tabs.\nNew rule.',
      '- [pending] open one',
      '- block 1: npm start',
      '- a.ts sha256:hash of a.ts',
    ]) {
      expect(state).toContain(part);
    }
    expect(messageText(told[1] ?? {role: 'user', id: messageId(''), blocks: []})).toBe('next');
    expect(historyFromJournal(bench.session.kept).messages.slice(0, 2)).toEqual(told);
  });

  test('takes the summary as the user left it', async () => {
    const bench = engineBench([says('1'), says('as written'), says('2')]);
    await bench.prompt('one');
    await compact(bench, 'as I want it');
    await bench.prompt('two');
    expect(textsOf(lastRequest(bench))).toContain('<summary>\nas I want it\n</summary>');
    expect(textsOf(lastRequest(bench))).not.toContain('as written');
  });

  test('marks a summary that was cut off', async () => {
    const block = {kind: 'text', text: 'half'} as const;
    const cut: ScriptedAnswer = {
      events: [
        {event: 'message-started', id: messageId('s'), model: 'scripted', usage: noUsage},
        {event: 'block-finished', index: 0, block},
        {event: 'message-finished', stop: 'max-tokens', usage: noUsage},
      ],
    };
    const bench = engineBench([says('1'), cut, says('2')]);
    await bench.prompt('one');
    await compact(bench);
    await bench.prompt('two');
    expect(textsOf(lastRequest(bench))).toContain('<summary>\nhalf\n[The summary was cut off here.]\n</summary>');
  });

  test('begins the session anew for its hooks: what they say joins the next prompt', async () => {
    const sources: string[] = [];
    const bench = engineBench([says('1'), says('S'), says('2')], {
      hooks: {
        sessionStart: async source => {
          sources.push(source);
          return {answer: {context: `after ${source}`}, failures: [], flow: {kind: 'go-on'}, messages: []};
        },
      },
    });
    await bench.prompt('one');
    await compact(bench);
    await bench.prompt('two');
    expect(sources).toEqual(['startup', 'compact']);
    expect(textsOf(lastRequest(bench))).toContain('after compact');
  });

  test('is not done twice, nor once the conversation has gone on', async () => {
    const bench = engineBench([says('1'), says('S'), says('2')]);
    await bench.prompt('one');
    const {id} = await preview(bench);
    await bench.prompt('two');
    expect(refusalOf(await bench.query({query: 'compact', preview: id, summary: ''}))).toContain('has changed since');
    expect(bench.session.kept.some(({kind}) => kind === 'compaction')).toBe(false);
  });

  test('is refused while a prompt runs, and where nothing was said', async () => {
    const held = Promise.withResolvers<void>();
    const bench = engineBench([{blocks: [{kind: 'text', text: '1'}], before: held.promise}]);
    const asked = {query: 'preview-compaction', instructions: ''} as const;
    expect(refusalOf(await bench.query(asked))).toContain('Nothing to compact');
    bench.engine.submit(promptOp('one'));
    await bench.next('turn-started');
    expect(refusalOf(await bench.query(asked))).toContain('A prompt is running');
    held.resolve();
    await bench.next('prompt-finished');
  });

  test('tells what else it takes the place of: commands of the user, and an earlier summary', async () => {
    const bench = engineBench([says('1'), says('S'), says('2'), says('T')]);
    await bench.prompt('one');
    await compact(bench);
    bench.engine.submit({op: 'run-command', id: messageId('own'), command: 'date', size: {columns: 80, rows: 24}});
    await bench.next('command-finished');
    await bench.prompt('two');
    expect(await preview(bench)).toMatchObject({
      kept: [{what: '2 user messages, word for word'}],
      summarised: [{what: '1 earlier summary'}, {what: '1 answer'}, {what: '1 command of the user with its output'}],
      dropped: [{what: '1 thinking block'}],
    });
  });

  test('what the provider has not counted yet is estimated on top', async () => {
    const bench = engineBench([says('1'), says('S'), says('T')]);
    await bench.prompt('one');
    expect(await preview(bench)).toMatchObject({before: 'counted'});
    const {contextTokens} = (await bench.next('usage-changed')).usage;
    bench.engine.submit({op: 'run-command', id: messageId('own'), command: 'date', size: {columns: 80, rows: 24}});
    await bench.next('command-finished');
    const shown = await preview(bench);
    expect(shown.before).toBe('estimated');
    expect(shown.tokens.before).toBeGreaterThan(contextTokens);
  });

  test('the context is as long as it was until it is done, and again when it is taken back', async () => {
    const bench = engineBench([says('1'), says('S')]);
    const lengths = () =>
      bench.events.flatMap(event => (event.event === 'usage-changed' ? [event.usage.contextTokens] : []));
    await bench.prompt('one');
    const [before] = lengths();
    const {tokens} = await compact(bench);
    void bench.query({query: 'rewind', target: {kind: 'last'}});
    await bench.next('rewound');
    void bench.query({query: 'rewind', target: {kind: 'redo'}});
    await bench.next('rewound');
    expect(lengths()).toEqual([before, before, tokens.after, before, tokens.after]);
    const meter = new UsageMeter(scriptedModel([]), bench.session.kept);
    expect(meter.report().contextTokens).toBe(tokens.after);
  });

  test('is undone by one step back and done again by redo; a rewind to before it takes it back too', async () => {
    const bench = engineBench([says('1'), says('2'), says('S'), says('3'), says('4'), says('5')]);
    await bench.prompt('one');
    await bench.prompt('two');
    await compact(bench);
    expect(valueOf(await bench.query({query: 'preview-rewind', target: {kind: 'last'}}))).toMatchObject({
      what: 'compaction',
      prompts: 0,
    });
    void bench.query({query: 'rewind', target: {kind: 'last'}});
    expect((await bench.next('rewound')).report).toMatchObject({kind: 'rewind', what: 'compaction'});
    await bench.prompt('three');
    expect(lastRequest(bench).map(messageText)).toEqual(['one', '1', 'two', '2', 'three']);
    const again = engineBench([says('4'), says('5')], {session: memorySession(untilRewind(bench.session.kept))});
    void again.query({query: 'rewind', target: {kind: 'redo'}});
    expect((await again.next('rewound')).report).toMatchObject({kind: 'redo', what: 'compaction'});
    await again.prompt('four');
    expect(lastRequest(again)).toHaveLength(2);
    const points = valueOf(await again.query({query: 'rewind-points'}));
    expect(points.map(({prompt}) => prompt)).toEqual(['one', 'two', 'four']);
    const to = points[1]?.to ?? messageId('');
    void again.query({query: 'rewind', target: {kind: 'prompt', to, what: 'talk'}});
    await again.next('rewound');
    await again.prompt('five');
    expect(lastRequest(again).map(messageText)).toEqual(['one', '1', 'five']);
  });
});

type Step = {readonly kind: 'prompt'; readonly text: string} | {readonly kind: 'compaction'};

test('whatever is done in whatever order, the next request is valid and has every message of the user', async () => {
  const step = fc.constantFrom('prompt', 'call', 'compact', 'trim', 'undo', 'redo', 'resume');
  await fc.assert(
    fc.asyncProperty(fc.array(step, {maxLength: 14}), async steps => {
      const script: ScriptedAnswer[] = [];
      let bench = engineBench(script);
      const answers = (...next: readonly ScriptedAnswer[]): void => {
        script.splice(bench.model.requests.length, script.length, ...next);
      };
      const live: Step[] = [];
      const undone: Step[] = [];
      let number = 0;
      const ask = async (call: 'call' | 'prompt'): Promise<void> => {
        const text = `prompt ${++number}.`;
        answers(...(call === 'call' ? [callsTools(callBlock('Bash', {command: text}))] : []), says(`answer ${number}`));
        expect((await bench.prompt(text)).end).toEqual({kind: 'done'});
        live.push({kind: 'prompt', text});
        undone.length = 0;
        expectValid(lastRequest(bench));
        const told = textsOf(lastRequest(bench));
        for (const one of live) if (one.kind === 'prompt') expect(told).toContain(one.text);
        expect(told.match(/prompt \d+\./gu)).toHaveLength(live.filter(({kind}) => kind === 'prompt').length);
      };
      const go = async (target: 'last' | 'redo'): Promise<void> => {
        const [from, to] = target === 'last' ? [live, undone] : [undone, live];
        const moved = from.pop();
        if (moved !== undefined) to.push(moved);
        const {tag} = await bench.query({query: 'rewind', target: {kind: target}});
        expect(tag).toBe(moved === undefined ? 'failed' : 'ok');
      };
      for (const one of steps) {
        if (one === 'prompt' || one === 'call') await ask(one);
        else if (one === 'undo') await go('last');
        else if (one === 'redo') await go('redo');
        else if (one === 'resume') {
          script.length = 0;
          const {records, kept} = bench.session;
          bench = engineBench(script, {session: memorySession(storedAndRead([...records, ...kept]))});
        } else {
          answers(says(one === 'trim' ? '' : 'a summary'));
          const shown = await bench.query({query: 'preview-compaction', instructions: ''});
          // A conversation that was shortened goes on as messages, and one that was summed up does not.
          const isFresh = historyFromJournal([...bench.session.records, ...bench.session.kept]).messages.some(
            isOrdinaryMessage,
          );
          if (!isFresh) expect(shown.tag).toBe('failed');
          else {
            valueOf(await bench.query({query: 'compact', preview: valueOf(shown).id, summary: ''}));
            live.push({kind: 'compaction'});
            undone.length = 0;
          }
        }
      }
      await ask('prompt');
    }),
    {numRuns: randomInputs(60)},
  );
});

test('the message that stands for what was compacted has every part as a text of its own, word for word', () => {
  fc.assert(
    fc.property(fc.array(fc.string({unit: 'binary'})), fc.string(), (words, summary) => {
      const messages = words.map(
        (text, at) => ({id: messageId(`p${at}`), by: 'user', number: at + 1, text, state: 'unpinned'}) as const,
      );
      const message = compactionMessage(
        {id: messageId('c'), trigger: 'manual', way: 'summary', summary},
        {messages, instructions: [], skills: [], todos: [], running: [], changedFiles: []},
      );
      const texts = message.blocks.map(block => (block.kind === 'text' ? block.text : ''));
      for (const [at, word] of words.entries())
        expect(texts[at + 1]).toBe(`<user-message number="${at + 1}">\n${word}\n</user-message>`);
      expect(texts[0]).toContain(summary);
    }),
  );
});
