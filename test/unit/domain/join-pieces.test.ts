import {expect, test} from 'vitest';
import {historyFromJournal, joinPartialAnswers} from '../../../src/domain/history.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {noUsage} from '../../../src/domain/usage.ts';

const prompt = (text: string): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id: messageId(text), blocks: [{kind: 'text', text}]},
});
const piece = (message: string, index: number, text: string): JournalRecord => ({
  kind: 'piece',
  message: messageId(message),
  model: 'm',
  index,
  text,
});
const answer = (id: string, text: string): JournalRecord => ({
  kind: 'answer',
  message: {
    role: 'assistant',
    id: messageId(id),
    model: 'm',
    blocks: [{kind: 'text', text}],
    stop: 'end-turn',
    usage: noUsage,
  },
});

test('pieces of an answer that was kept whole say nothing new', () => {
  expect(joinPartialAnswers([prompt('hi'), piece('a', 0, 'Hel'), answer('a', 'Hello.')])).toEqual([
    prompt('hi'),
    answer('a', 'Hello.'),
  ]);
});

test('pieces of an answer that was never kept become an interrupted one, where they stand', () => {
  const records = [prompt('hi'), piece('a', 1, 'two '), piece('a', 0, 'one '), piece('a', 1, 'three'), prompt('go on')];
  const cut = {
    role: 'assistant',
    id: 'a',
    model: 'm',
    blocks: [
      {kind: 'text', text: 'one '},
      {kind: 'text', text: 'two three'},
    ],
    stop: 'interrupted',
    usage: noUsage,
  };
  expect(joinPartialAnswers(records)).toEqual([prompt('hi'), {kind: 'answer', message: cut}, prompt('go on')]);
  expect(historyFromJournal(records).messages.map(({role}) => role)).toEqual(['user', 'assistant', 'user']);
});
