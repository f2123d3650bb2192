import {describe, expect, test} from 'vitest';
import {estimateMessagesTokens, estimateTokens} from '../../../src/domain/compaction.ts';
import {messageText} from '../../../src/domain/conversation.ts';
import {type RefusedLength, unknownLength} from '../../../src/domain/fault.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import type {CompactionMode} from '../../../src/domain/compaction.ts';
import {expectValid, lastRequest} from '../../support/compacting.ts';
import {
  type Bench,
  callBlock,
  callsTools,
  engineBench,
  promptOp,
  says,
  valueOf,
  type ScriptedAnswer,
} from '../../support/memory-ports.ts';

const refusedAs = (length: RefusedLength): ScriptedAnswer => ({
  events: [
    {
      event: 'failed',
      fault: {
        kind: 'provider',
        message: 'Too long.',
        fix: 'Shorten it.',
        status: 400,
        refusal: {kind: 'too-long', ...length},
      },
    },
  ],
});
/** The numbers fit a conversation with one `longAnswer`. */
const refused = refusedAs({tokens: 9000, window: 8000});
const long = (length: number): string => 'word '.repeat(length / 5);
const longAnswer = long(30_000);

const benchWith = (script: readonly ScriptedAnswer[], compaction: CompactionMode): Bench =>
  engineBench(script, {
    options: {compaction},
    read: async ({path}) => ({
      tag: 'ok',
      value: {kind: 'text', path, lines: [long(6000)], firstLine: 1, totalLines: 1, notes: []},
    }),
  });

/** The conversation as the journal tells it, up to the last answer. */
const folded = ({session: {kept}}: Bench) => {
  const sent = kept.slice(
    0,
    kept.findLastIndex(({kind}) => kind === 'answer'),
  );
  return historyFromJournal(sent.filter(({kind}) => kind !== 'piece')).messages;
};

const repairs = ({events}: Bench): readonly string[] =>
  events.flatMap(event => (event.event === 'repaired' ? [event.text] : []));

const reads = (name: string): ScriptedAnswer => callsTools(callBlock('Read', {file_path: name}));

describe('a conversation that is too long', () => {
  test('is compacted and asked about again; the journal holds what was sent', async () => {
    const bench = benchWith([says(longAnswer), refused, says('SUM'), says('two')], 'auto');
    await bench.prompt('first');
    expect(await bench.prompt('second')).toMatchObject({end: {kind: 'done'}, answer: 'two', turns: 1});
    expect(bench.model.requests).toHaveLength(4);
    expectValid(lastRequest(bench));
    expect(folded(bench)).toEqual(lastRequest(bench));
    expect(lastRequest(bench).map(message => messageText(message))).toEqual([
      expect.stringContaining('<summary>\nSUM\n</summary>'),
      'second',
    ]);
    expect(repairs(bench)).toEqual([
      expect.stringMatching(
        /^Too long for scripted \(9,000 of 8,000 tokens\): compacted the conversation, 9,000 → about [\d,]+ tokens\.$/u,
      ),
    ]);
    // An undo takes back the prompt, and not what weft did on the way.
    expect(valueOf(await bench.query({query: 'preview-rewind', target: {kind: 'last'}}))).toMatchObject({
      what: 'both',
      prompt: 'second',
    });
  });

  test.each([
    {tokens: 213_462, window: 200_000},
    {tokens: 5, window: 4},
    {tokens: 9000, window: 128_000},
    {tokens: 0, window: 10},
    {tokens: 0, window: 1_000_000},
  ])('is repaired by its real size if the numbers of the refusal are wrong: %o', async length => {
    const talk = [says(longAnswer), says(longAnswer)];
    const bench = benchWith([...talk, refusedAs(length), says('three')], 'trim');
    await bench.prompt('first');
    await bench.prompt('second');
    expect(await bench.prompt('third')).toMatchObject({end: {kind: 'done'}, answer: 'three'});
    const [, , sent = expect.fail()] = bench.model.requests;
    expect(estimateMessagesTokens(lastRequest(bench))).toBeLessThan(estimateMessagesTokens(sent.messages) * 0.9);
  });

  test('is not sent again if it would be nearly as long, and no summary is paid for', async () => {
    const bench = benchWith([says('one'), refusedAs({tokens: 213_462, window: 200_000})], 'auto');
    await bench.prompt('first');
    expect((await bench.prompt('second')).end).toMatchObject({
      kind: 'failed',
      fault: {
        message: 'Too long. weft found too little to shorten.',
        fix: 'Start a new session, or use a model with a larger context window.',
      },
    });
    expect(bench.model.requests).toHaveLength(2);
  });

  test('gets no summary that is longer than what it replaces', async () => {
    const answer = long(16_000);
    const length = {tokens: 5000, window: 4800};
    const bench = benchWith([says(answer), refusedAs(length), says(answer), says('two')], 'auto');
    await bench.prompt('first');
    expect((await bench.prompt('second')).answer).toBe('two');
    expect(bench.model.requests).toHaveLength(4);
    expect(estimateMessagesTokens(lastRequest(bench))).toBeLessThan(2000);
  });

  test('names no length that is not known', async () => {
    const bench = benchWith([says(longAnswer), refusedAs(unknownLength), says('two')], 'trim');
    await bench.prompt('first');
    expect((await bench.prompt('second')).answer).toBe('two');
    const reports = bench.events.flatMap(event => (event.event === 'compacted' ? [event.report.tokens] : []));
    const [{before, after} = expect.fail()] = reports;
    expect(Math.max(before, after)).toBeLessThan(estimateTokens(JSON.stringify(bench.model.requests[1])));
    expect(repairs(bench)).toEqual(['Too long for scripted: rewrote the conversation.']);
  });

  test('in the middle of the work keeps the latest round', async () => {
    const bench = benchWith([reads('a'), reads('b'), reads('c'), says('done')], 'trim');
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, answer: 'done'});
    const sent = lastRequest(bench);
    expectValid(sent);
    expect(estimateMessagesTokens(sent)).toBeLessThan(3000);
    expect(sent.map(({blocks}) => JSON.stringify(blocks)).join('\n')).toContain('"file_path":"c"');
  });

  test('gives each call an id of its own, although the server repeats its ids', async () => {
    const read = callsTools(callBlock('Read', {file_path: 'a'}, 'call_0'));
    const bench = engineBench([read, says('one'), read, says('two')]);
    await bench.prompt('first');
    await bench.prompt('second');
    const ids = bench.session.kept.flatMap(record => (record.kind === 'result' ? [record.result.id] : []));
    expect(ids).toEqual(['call_0', 'call_0_2']);
    expectValid(lastRequest(bench));
    const calls = lastRequest(bench).flatMap(({blocks}) =>
      blocks.flatMap(block => (block.kind === 'tool-call' ? [block.id] : [])),
    );
    expect(calls).toEqual(ids);
  });

  test.each([
    ['off', 2],
    ['trim', 3],
    ['auto', 4],
  ] as const)('that stays so ends the prompt (%s)', async (mode, requests) => {
    const bench = benchWith([says(longAnswer), refused, ...(mode === 'auto' ? [says('SUM')] : []), refused], mode);
    await bench.prompt('first');
    expect((await bench.prompt('second')).end).toMatchObject({kind: 'failed', fault: {refusal: {kind: 'too-long'}}});
    expect(bench.model.requests).toHaveLength(requests);
  });

  test('is made shorter before it is sent if the window is known', async () => {
    const bench = benchWith([says(long(8000)), says('two')], 'trim');
    bench.engine.submit(promptOp('first'));
    await bench.next('prompt-finished');
    await bench.query({query: 'write-document', document: {title: 'x'}, text: 'y'});
    const {answer} = await bench.prompt(`second ${long(4000)}`);
    expect(answer).toBe('two');
    expect(bench.model.requests).toHaveLength(2);
    expect(repairs(bench)).toEqual([
      expect.stringMatching(/^Too long for scripted \(about [\d,]+ of 1,000 tokens\): /u),
    ]);
  });

  test('is made shorter before it leaves no room for an answer', async () => {
    const bench = benchWith([says(long(8000)), says('two')], 'trim');
    await bench.prompt('first');
    expect((await bench.prompt(`second ${long(3700)}`)).answer).toBe('two');
    expect(bench.model.requests).toHaveLength(2);
    expect(repairs(bench)).toHaveLength(1);
  });

  test('is not sent again if trimming it once more changes nothing', async () => {
    const bench = benchWith([says(longAnswer), refused, says('two'), refused, says('three')], 'trim');
    await bench.prompt('first');
    expect((await bench.prompt('second')).answer).toBe('two');
    expect((await bench.prompt('third')).end).toMatchObject({
      kind: 'failed',
      fault: {message: expect.stringContaining('weft found too little to shorten.')},
    });
    expect(bench.model.requests).toHaveLength(4);
  });

  test('is not compacted again for nothing: what was compacted stays, and no summary is paid for', async () => {
    const bench = benchWith([says(longAnswer), refused, says('SUM'), says('two'), refused, says('three')], 'auto');
    await bench.prompt('first');
    expect((await bench.prompt('second')).answer).toBe('two');
    const {end} = await bench.prompt('third');
    expect(end).toMatchObject({
      kind: 'failed',
      fault: {
        message: 'Too long for scripted (9,000 of 8,000 tokens). weft found too little to shorten.',
      },
    });
    expect(bench.model.requests).toHaveLength(5);
  });

  test('is not summed up if the system prompt and the tools alone fill the window', async () => {
    const bench = benchWith([says(long(9000)), refusedAs({tokens: 4000, window: 1000})], 'auto');
    await bench.prompt('first');
    expect((await bench.prompt('second')).end).toMatchObject({
      kind: 'failed',
      fault: {
        message: expect.stringMatching(/the system prompt and the tools alone take about [\d,]+ of 1,000 tokens\.$/u),
        fix: expect.stringMatching(/shorten instruction files such as AGENTS\.md\.$/u),
      },
    });
    expect(bench.model.requests).toHaveLength(2);
  });

  test('waits for the user where a front end asks, and goes on as the answer says', async () => {
    const two = long(32_000);
    const bench = benchWith(
      [says(longAnswer), refused, says('SUM'), says(two), refused, says('SUM'), says('three')],
      'ask',
    );
    await bench.prompt('first');
    bench.engine.submit(promptOp('second'));
    const {id, reason, preview} = await bench.next('compaction-offered');
    expect([reason, preview.summary]).toEqual(['Too long for scripted (9,000 of 8,000 tokens).', 'SUM']);
    bench.engine.submit({op: 'answer-compaction', id, answer: {kind: 'always', summary: 'AS I WANT IT'}});
    const {summary} = await bench.next('prompt-finished');
    expect(summary.answer).toBe(two);
    expect(messageText(lastRequest(bench)[0] ?? expect.fail())).toContain('AS I WANT IT');
    expect((await bench.prompt('third')).answer).toBe('three');
  });

  test('is summed up once, although the user declines and sends another prompt', async () => {
    const bench = benchWith([says(longAnswer), refused, says('SUM'), refused, says('three')], 'ask');
    await bench.prompt('first');
    bench.engine.submit(promptOp('second'));
    const offered = await bench.next('compaction-offered');
    bench.engine.submit({op: 'answer-compaction', id: offered.id, answer: {kind: 'stop'}});
    expect((await bench.next('prompt-finished')).summary.end.kind).toBe('failed');
    bench.engine.submit(promptOp('third'));
    const {id, preview} = await bench.next('compaction-offered');
    expect([preview.summary, preview.cost]).toEqual(['SUM', {kind: 'none'}]);
    bench.engine.submit({op: 'answer-compaction', id, answer: {kind: 'compact', summary: preview.summary}});
    expect((await bench.next('prompt-finished')).summary.answer).toBe('three');
    expect(lastRequest(bench).map(message => messageText(message))).toEqual([
      expect.stringContaining('<summary>\nSUM\n</summary>'),
      'third',
    ]);
  });

  test('says that the summary waits for an overloaded model', async () => {
    const wait = {
      event: 'retrying',
      attempt: 2,
      maxAttempts: 10,
      delayMs: 4000,
      status: 529,
      message: 'Busy.',
    } as const;
    const gone = {kind: 'provider', message: 'Busy.', fix: '', status: 529, refusal: {kind: 'other'}} as const;
    const summary: ScriptedAnswer = {events: [wait, {event: 'failed', fault: gone}]};
    const bench = benchWith([says(longAnswer), refused, summary, says('two')], 'auto');
    await bench.prompt('first');
    expect((await bench.prompt('second')).answer).toBe('two');
    const at = bench.events.findIndex(({event}) => event === 'compaction-begun');
    expect(bench.events[at + 1]).toEqual(wait);
  });
});
