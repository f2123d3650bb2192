import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {AssistantBlock, AssistantMessage, Message, ToolResultBlock} from '../../../src/domain/conversation.ts';
import {historyFromJournal, longResults, lostResultText, withShortResults} from '../../../src/domain/history.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {noUsage} from '../../../src/domain/usage.ts';

const text = (value: string) => ({kind: 'text', text: value}) as const;
const call = (id: string) => ({kind: 'tool-call', id: actionId(id), name: 'Bash', input: {command: id}}) as const;
const result = (id: string, told = `told ${id}`): ToolResultBlock => ({
  kind: 'tool-result',
  id: actionId(id),
  content: [text(told)],
  outcome: 'success',
});
const lost = (id: string): ToolResultBlock => ({
  kind: 'tool-result',
  id: actionId(id),
  content: [text(lostResultText)],
  outcome: 'cancelled',
  reason: 'unknown',
});
const user = (id: string, ...blocks: (ToolResultBlock | ReturnType<typeof text>)[]): Message => ({
  role: 'user',
  id: messageId(id),
  blocks,
});
const assistant = (id: string, ...blocks: AssistantBlock[]): AssistantMessage => ({
  role: 'assistant',
  id: messageId(id),
  model: 'm',
  blocks,
  stop: 'end-turn',
  usage: noUsage,
});
const prompted = (id: string, value = id): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id: messageId(id), blocks: [text(value)]},
});
const answered = (id: string, ...blocks: AssistantBlock[]): JournalRecord => ({
  kind: 'answer',
  message: assistant(id, ...blocks),
});
const settled = (id: string, told?: string): JournalRecord => ({kind: 'result', result: result(id, told)});

describe('historyOf', () => {
  const cases: readonly {
    name: string;
    records: readonly JournalRecord[];
    messages: readonly Message[];
    callsWithoutResult: readonly string[];
  }[] = [
    {name: 'nothing', records: [], messages: [], callsWithoutResult: []},
    {
      name: 'results in the order of the calls, whatever order they came in',
      records: [prompted('p'), answered('a', text('look'), call('1'), call('2')), settled('2'), settled('1')],
      messages: [
        user('p', text('p')),
        assistant('a', text('look'), call('1'), call('2')),
        user('a:results', result('1'), result('2')),
      ],
      callsWithoutResult: [],
    },
    {
      name: 'a call without a result gets a cancelled one',
      records: [prompted('p'), answered('a', call('1'), call('2')), settled('1'), prompted('q')],
      messages: [
        user('p', text('p')),
        assistant('a', call('1'), call('2')),
        user('a:results', result('1'), lost('2')),
        user('q', text('q')),
      ],
      callsWithoutResult: ['2'],
    },
    {
      name: 'a result that comes after a prompt still belongs to its call, one after the next answer does not',
      records: [
        prompted('p'),
        answered('a', call('1'), call('2')),
        prompted('q'),
        settled('1'),
        answered('b', text('so')),
        settled('2'),
      ],
      messages: [
        user('p', text('p')),
        assistant('a', call('1'), call('2')),
        user('a:results', result('1'), lost('2')),
        user('q', text('q')),
        assistant('b', text('so')),
      ],
      callsWithoutResult: ['2'],
    },
    {
      name: 'the first of several results counts; results without a call are left out',
      records: [
        settled('0'),
        prompted('p'),
        answered('a', call('1')),
        settled('1', 'first'),
        settled('1', 'second'),
        settled('9'),
      ],
      messages: [user('p', text('p')), assistant('a', call('1')), user('a:results', result('1', 'first'))],
      callsWithoutResult: [],
    },
    {
      name: 'a server that numbers its calls anew in every answer',
      records: [
        prompted('p'),
        answered('a', call('1')),
        settled('1', 'one'),
        answered('b', call('1')),
        settled('1', 'two'),
      ],
      messages: [
        user('p', text('p')),
        assistant('a', call('1')),
        user('a:results', result('1', 'one')),
        assistant('b', call('1')),
        user('b:results', result('1', 'two')),
      ],
      callsWithoutResult: [],
    },
    {
      name: 'answers without content and prompts without content are left out',
      records: [
        prompted('p'),
        answered('a'),
        answered('b', text(' \n')),
        answered('c', {kind: 'thinking', text: 'hm', signature: ''}),
        prompted('q', '  '),
        answered('d', {kind: 'thinking', text: 'hm', signature: 's'}, text(''), text('yes')),
      ],
      messages: [user('p', text('p')), assistant('d', {kind: 'thinking', text: 'hm', signature: 's'}, text('yes'))],
      callsWithoutResult: [],
    },
    {
      name: 'an answer before the first prompt is left out with its calls',
      records: [answered('a', call('1')), settled('1'), prompted('p')],
      messages: [user('p', text('p'))],
      callsWithoutResult: [],
    },
    {
      name: 'a call id used twice in one answer is one call',
      records: [prompted('p'), answered('a', call('1'), call('1')), settled('1')],
      messages: [user('p', text('p')), assistant('a', call('1')), user('a:results', result('1'))],
      callsWithoutResult: [],
    },
    {
      name: 'prompts in a row are kept apart; approvals and usage say nothing to the model',
      records: [
        prompted('p'),
        prompted('q'),
        {kind: 'approval', id: actionId('1'), label: 'x', decision: 'allowed', by: 'user'},
        {kind: 'usage', model: 'm', usage: noUsage},
      ],
      messages: [user('p', text('p')), user('q', text('q'))],
      callsWithoutResult: [],
    },
  ];

  for (const {name, records, messages, callsWithoutResult} of cases) {
    test(name, () => {
      expect(historyFromJournal(records)).toEqual({messages, todoFrames: [], callsWithoutResult});
    });
  }

  test('todo frames come in the order in which they were kept', () => {
    const [one, two, three] = [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)];
    expect(
      historyFromJournal([
        {kind: 'todo-frames', frames: [one, two]},
        prompted('p'),
        {kind: 'todo-frames', frames: [three]},
      ]).todoFrames,
    ).toEqual([one, two, three]);
  });

  const ids = fc.constantFrom('1', '2', '3');
  const words = fc.constantFrom('', ' ', 'word');
  const assistantBlock: fc.Arbitrary<AssistantBlock> = fc.oneof(
    words.map(text),
    ids.map(call),
    words.map(value => ({kind: 'thinking', text: value, signature: value}) as const),
  );
  const record: fc.Arbitrary<JournalRecord> = fc.oneof(
    fc
      .array(
        fc.oneof(
          words.map(text),
          ids.map(id => result(id)),
        ),
        {maxLength: 2},
      )
      .map(blocks => ({kind: 'prompt', message: {role: 'user', id: messageId('p'), blocks}}) as const),
    fc.array(assistantBlock, {maxLength: 4}).map(blocks => answered('a', ...blocks)),
    ids.map(id => settled(id)),
  );

  test('any beginning of any journal gives a valid history', () => {
    fc.assert(
      fc.property(fc.array(record, {maxLength: 14}), records => {
        for (let end = 0; end <= records.length; end += 1)
          expectValid(historyFromJournal(records.slice(0, end)).messages);
      }),
    );
  });

  test('words stand for images and documents that were left out', () => {
    const image = {kind: 'image', mediaType: 'image/png', data: 'AAAA'} as const;
    const pdf = {kind: 'document', mediaType: 'application/pdf', name: 'a.pdf', data: 'AAAA'} as const;
    const seen: ToolResultBlock = {...result('1'), content: [text('two files'), image, pdf]};
    const blocks = [{message: messageId('a:results'), block: 0}];
    const {messages} = historyFromJournal([
      prompted('p'),
      answered('a', call('1')),
      {kind: 'result', result: seen},
      {kind: 'media-left-out', blocks},
    ]);
    const instead = ['image', 'document a.pdf'].map(what => text(`[${what} left out: the provider could not read it]`));
    expect(messages.at(-1)).toEqual(user('a:results', {...seen, content: [text('two files'), ...instead]}));
  });

  test('results that were shortened stand there with their beginnings, from the record on, and all else as it was', () => {
    fc.assert(
      fc.property(
        fc.array(record, {maxLength: 12}),
        fc.array(record, {maxLength: 6}),
        fc.subarray(['1', '2']),
        (before, after, cut) => {
          const long = before.map(each =>
            each.kind === 'result' ? {...each, result: result(each.result.id, 'word '.repeat(500))} : each,
          );
          const named = cut.map(actionId);
          const told = historyFromJournal(long).messages;
          const short = historyFromJournal([...long, {kind: 'results-shortened', results: named}]).messages;
          expect(short).toEqual(withShortResults(told, new Set(named)));
          expectValid(historyFromJournal([...long, {kind: 'results-shortened', results: named}, ...after]).messages);
          const left = longResults(short, {latest: 0, least: 100}).map(({id}) => id);
          expect(left.filter(id => named.includes(id))).toEqual([]);
        },
      ),
    );
  });

  test('what has been told to the model stays as it is when the journal grows by an answer', () => {
    fc.assert(
      fc.property(fc.array(record, {maxLength: 10}), fc.array(record, {maxLength: 6}), (before, after) => {
        const told = historyFromJournal(before).messages;
        const later = historyFromJournal([...before, answered('next', text('x')), ...after]).messages;
        expect(later.slice(0, told.length)).toEqual(told);
      }),
    );
  });
});

function expectValid(messages: readonly Message[]): void {
  if (messages.length > 0) expect(messages[0]?.role).toBe('user');
  messages.forEach((message, index) => {
    expect(message.blocks.length).toBeGreaterThan(0);
    const before = messages[index - 1];
    if (message.role === 'assistant') {
      const calls = message.blocks.flatMap(block => (block.kind === 'tool-call' ? [block.id] : []));
      expect(new Set(calls).size).toBe(calls.length);
      if (calls.length === 0) return;
      const next = messages[index + 1];
      expect(next?.role).toBe('user');
      expect(next?.blocks.map(block => (block.kind === 'tool-result' ? block.id : block.kind))).toEqual(calls);
    } else if (before?.role !== 'assistant' || before.blocks.every(block => block.kind !== 'tool-call')) {
      expect(message.blocks.filter(block => block.kind === 'tool-result')).toEqual([]);
    }
  });
}
