import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {PartialAnswerWriter} from '../../../src/agent/answer.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {noUsage} from '../../../src/domain/usage.ts';

const message = messageId('a');
const started: AgentEvent = {event: 'message-started', message, model: 'm', usage: noUsage};
const delta = (index: number, text: string): AgentEvent => ({
  event: 'block-delta',
  message,
  index,
  delta: {kind: 'text', text},
});

test('keeps the first text at once, then what came in each quarter of a second or is finished, and thinking never', () => {
  const kept: JournalRecord[] = [];
  let now = 0;
  const writer = new PartialAnswerWriter({clock: {now: () => now}, journal: record => kept.push(record)});
  writer.take([started, delta(0, 'one ')]);
  now = 100;
  writer.take([delta(0, 'two '), {event: 'block-delta', message, index: 1, delta: {kind: 'thinking', text: 'hm'}}]);
  writer.take([delta(0, 'three '), delta(2, 'four')]);
  now = 250;
  writer.take([delta(0, 'five')]);
  writer.take([delta(2, ' six')]);
  writer.take([{event: 'block-finished', message, index: 2, block: {kind: 'text', text: 'four six'}}]);
  const piece = (index: number, text: string): JournalRecord => ({kind: 'piece', message, model: 'm', index, text});
  expect(kept).toEqual([piece(0, 'one '), piece(0, 'two three five'), piece(2, 'four'), piece(2, ' six')]);
});
