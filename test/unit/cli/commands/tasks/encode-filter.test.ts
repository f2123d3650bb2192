import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {encodeFilter} from '../../../../../src/cli/commands/tasks/encode-filter.ts';
import {todoId} from '../../../../../src/domain/ids.ts';
import type {TodoList} from '../../../../../src/domain/todo.ts';
import {makeTaskReader} from '../../../../../src/protocol/task/task-reader.ts';
import {makeTaskLog} from '../../../../../src/tasks/task-log.ts';
import {todosOf} from '../../../../../src/tasks/task-view.ts';
import {writeTodosLine} from '../../../../../src/tasks/todo-lines.ts';

/** Encodes the lines, cut into pieces anywhere. */
function encoded(output: 'base64' | 'json' | 'sse', text: string, pieceLength: number): string {
  const filter = encodeFilter(output, (position, message) => {
    throw new Error(`${position}: ${message}`);
  });
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieceLength) pieces.push(...filter.push(text.slice(at, at + pieceLength)));
  return [...pieces, ...filter.end()].join('');
}

/** The state of the list after each event or payload. */
function states(text: string): readonly TodoList[] {
  const reader = makeTaskReader({input: 'auto'});
  const log = makeTaskLog();
  return [...reader.push(text), ...reader.end()].map(item => {
    if (item.tag === 'broken') throw new Error(item.message);
    return todosOf(item.tag === 'event' ? log.applyEvent(item.event) : log.applyPayload(item.payload));
  });
}

describe('what is encoded is read back', () => {
  test.each(['json', 'sse'] as const)('%s: one event for each list that differs from the one before', output => {
    fc.assert(
      fc.property(listSequences, fc.integer({min: 1, max: 50}), (lists, pieceLength) => {
        const text = lists.map(list => `${writeTodosLine(list)}\n`).join('');
        const changes = lists.filter((list, at) => writeTodosLine(list) !== writeTodosLine(lists[at - 1] ?? []));
        expect(states(encoded(output, text, pieceLength))).toEqual(changes);
      }),
    );
  });

  test('base64: the last state is the last list', () => {
    fc.assert(
      fc.property(listSequences, fc.integer({min: 1, max: 50}), (lists, pieceLength) => {
        const text = lists.map(writeTodosLine).join('\r\n');
        expect(states(encoded('base64', text, pieceLength)).at(-1) ?? []).toEqual(lists.at(-1) ?? []);
      }),
    );
  });
});

const statuses = {'+': 'completed', '>': 'in_progress', '-': 'pending'} as const;

/** In display order with distinct ids; few ids, so that todos move about. */
const lists: fc.Arbitrary<TodoList> = fc
  .uniqueArray(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'ff566ea1-6879', 'ü\u2028').map(todoId),
      title: fc.oneof(fc.constantFrom('A', 'B', ''), fc.string({unit: 'grapheme'})),
      description: fc.constantFrom('', 'at length'),
      status: fc.constantFrom('+', '>', '-').map(mark => statuses[mark]),
    }),
    {selector: ({id}) => id, maxLength: 5},
  )
  .map(list => [
    ...list.filter(({status}) => status === 'completed'),
    ...list.filter(({status}) => status !== 'completed'),
  ]);

const listSequences = fc.array(lists, {maxLength: 6});
