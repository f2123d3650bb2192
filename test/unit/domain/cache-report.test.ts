import {expect, test} from 'vitest';
import {cacheReport, type TimedRecord} from '../../../src/domain/cache-report.ts';
import {type BrokenPrefix, cachedRequestText} from '../../../src/domain/cached-request.ts';
import type {Message} from '../../../src/domain/conversation.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import type {Usage} from '../../../src/domain/usage.ts';

const prompt = (text: string): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id: messageId(`p ${text}`), blocks: [{kind: 'text', text}]},
});

/** An answer to a request that read and wrote so many tokens of the cache. */
const answer = (text: string, [read, write]: readonly [number, number], model = 'm'): JournalRecord => {
  const usage: Usage = {inputTokens: 10, outputTokens: 5, cacheReadTokens: read, cacheWriteTokens: write};
  return {
    kind: 'answer',
    message: {
      role: 'assistant',
      id: messageId(text),
      model,
      blocks: [{kind: 'text', text}],
      stop: 'end-turn',
      usage,
    },
  };
};

const beginning = (system: string, tools = '[]'): JournalRecord => ({kind: 'request-prefix', system, tools});

const summary: readonly Message[] = [
  {role: 'user', id: messageId('s'), blocks: [{kind: 'text', text: 'One. That is the summary.'}]},
];
const compaction: JournalRecord = {
  kind: 'compaction',
  id: messageId('k'),
  trigger: 'manual',
  way: 'summary',
  summary: '',
  messages: summary,
  tokens: {before: 1, after: 1},
};

const minute = 60_000;
const timed = (records: readonly JournalRecord[], minutes = 1): readonly TimedRecord[] =>
  records.map((record, at) => ({record, at: at * minutes * minute}));

const first = [beginning('You are weft.'), prompt('One.'), answer('1', [0, 9000])] as const;

test.each<[string, readonly JournalRecord[], BrokenPrefix]>([
  ['another model', [prompt('Two.'), answer('2', [0, 9100], 'n')], {part: 'model', before: 'm', lostTokens: 9000}],
  [
    'other tools',
    [beginning('You are weft.', '[{}]'), prompt('Two.'), answer('2', [0, 9100])],
    {part: 'tools', byte: 1, lostTokens: 9000},
  ],
  [
    'another system prompt, counted in bytes of UTF-8',
    [beginning('You are wöft.'), prompt('Two.'), answer('2', [4000, 9100])],
    {part: 'system', byte: 9, lostTokens: 5000},
  ],
  [
    'a compaction',
    [compaction, prompt('Two.'), answer('2', [0, 900])],
    {part: 'message', message: 1, byte: 52, after: 'compaction', lostTokens: 9000},
  ],
  [
    'a rewind',
    [
      {kind: 'rewind', to: messageId('p One.'), what: 'talk', files: 'untouched'},
      prompt('Other.'),
      answer('2', [0, 900]),
    ],
    {part: 'message', message: 1, byte: 49, after: 'rewind', lostTokens: 9000},
  ],
  ['nothing that changed', [prompt('Two.'), answer('2', [0, 9100])], {part: 'dropped', lostTokens: 9000}],
])('%s breaks the prefix', (_why, more, broken) => {
  const [, second] = cacheReport(timed([...first, ...more]));
  expect([second?.prefix, second?.broken]).toEqual(['broken', broken]);
});

test('a late request finds no cache', () => {
  const report = cacheReport(timed([...first, prompt('Two.'), answer('2', [0, 9100])], 6));
  expect(report[1]?.broken).toEqual({part: 'expired', idleMs: 12 * minute, lostTokens: 9000});
});

test('a request that only adds keeps the prefix, with calls, results and partial answers', () => {
  const id = actionId('c');
  const {usage} = {usage: {inputTokens: 1, outputTokens: 1, cacheReadTokens: 9000, cacheWriteTokens: 400}};
  const report = cacheReport(
    timed([
      ...first,
      prompt('Two.'),
      {kind: 'piece', message: messageId('2'), model: 'm', index: 0, text: 'I '},
      {
        kind: 'answer',
        message: {
          role: 'assistant',
          id: messageId('2'),
          model: 'm',
          blocks: [
            {kind: 'text', text: 'I look.'},
            {kind: 'tool-call', id, name: 'Read', input: {}},
          ],
          stop: 'tool-use',
          usage,
        },
      },
      {kind: 'result', result: {kind: 'tool-result', id, content: [{kind: 'text', text: 'x'}], outcome: 'success'}},
      answer('3', [9400, 100]),
    ]),
  );
  expect(report.map(({prefix}) => prefix)).toEqual(['first', 'kept', 'kept']);
});

test('without reports about the cache, changes are named and losses are not', () => {
  const none = [0, 0] as const;
  const report = cacheReport(
    timed([prompt('One.'), answer('1', none), prompt('Two.'), answer('2', none), prompt('3'), answer('3', none, 'n')]),
  );
  expect(report.map(({prefix, broken}) => [prefix, broken])).toEqual([
    ['first', 'none'],
    ['unreported', 'none'],
    ['broken', {part: 'model', before: 'm', lostTokens: 0}],
  ]);
});

test('as lines', () => {
  const report = cacheReport(timed([...first, compaction, prompt('Two.'), answer('2', [0, 900])]));
  expect(report.map(cachedRequestText)).toEqual([
    'Request 1, m: 0 from cache, 9,000 written to cache, 10 uncached; first request',
    'Request 2, m: 0 from cache, 900 written to cache, 10 uncached; 9,000 cached tokens lost: message 1 changed, from byte 52 on (compaction)',
  ]);
});
