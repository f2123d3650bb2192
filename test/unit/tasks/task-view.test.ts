import {describe, expect, test} from 'vitest';
import {todoId} from '../../../src/domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../../src/domain/task-payload.ts';
import {encodePayload} from '../../../src/protocol/task/payload.ts';
import {applyTaskFrames, emptyTaskView, todosOf, type TaskView} from '../../../src/tasks/task-view.ts';

const item = (id: string): TaskItem => ({id: todoId(id), title: `Title ${id}`, description: ''});
const snapshot = (pending: string, completed = ''): TaskPayload => ({
  kind: 'snapshot',
  pending: pending.split('').map(item),
  completed: completed.split('').map(item),
  running: [],
});
const running = (ids: string): TaskPayload => ({kind: 'running', ids: ids.split('').map(todoId)});
const cleared: TaskPayload = {kind: 'cleared'};

const viewOf = (...payloads: readonly TaskPayload[]): TaskView =>
  applyTaskFrames(emptyTaskView, payloads.map(encodePayload));

/** `+a >b -c`: completed, running, pending, in display order. */
const shown = (view: TaskView): string =>
  todosOf(view)
    .map(todo => `${todo.status === 'completed' ? '+' : todo.status === 'in_progress' ? '>' : '-'}${todo.id}`)
    .join(' ');

describe('the view of a list of frames', () => {
  test.each<[string, readonly TaskPayload[], string]>([
    ['nothing', [], ''],
    ['a first snapshot', [snapshot('ab')], '-a -b'],
    ['completed come first, in their order', [snapshot('a', 'cb')], '+c +b -a'],
    ['a mark', [snapshot('ab'), running('b')], '-a >b'],
    ['further marks add to it', [snapshot('abc'), running('b'), running('a')], '>a >b -c'],
    ['a mark lives through a snapshot', [snapshot('ab'), running('a'), snapshot('ba')], '-b >a'],
    ['it ends when its item is completed', [snapshot('ab'), running('a'), snapshot('b', 'a')], '+a -b'],
    ['and does not come back', [snapshot('a'), running('a'), snapshot('', 'a'), snapshot('a')], '-a'],
    ['it ends when its item is absent', [snapshot('ab'), running('a'), snapshot('b'), snapshot('ab')], '-a -b'],
    ['it ends when the list is cleared', [snapshot('a'), running('a'), cleared, snapshot('a')], '-a'],
    ['a mark may be ahead of its item', [running('a'), snapshot('a')], '>a'],
    ['a mark on a completed item means nothing', [snapshot('', 'a'), running('a'), snapshot('a')], '-a'],
    ['a cleared list is empty', [snapshot('a', 'b'), cleared], ''],
    ['an item both pending and completed is completed', [snapshot('ab', 'a')], '+a -b'],
    ['an id that comes twice counts once', [snapshot('aba')], '-a -b'],
    ['other payloads change nothing', [snapshot('a'), {kind: 'other', fields: []}], '-a'],
  ])('%s', (_name, payloads, expected) => {
    expect(shown(viewOf(...payloads))).toBe(expected);
  });

  test('text and ids are those of the item', () => {
    const full: TaskItem = {id: todoId('x'), title: 'Run tests', description: 'Running tests'};
    expect(todosOf(viewOf({kind: 'snapshot', pending: [full], completed: [], running: []}, running('x')))).toEqual([
      {id: 'x', title: 'Run tests', description: 'Running tests', status: 'in_progress'},
    ]);
  });

  test('a frame that cannot be read changes nothing', () => {
    const before = viewOf(snapshot('ab'), running('a'));
    const after = applyTaskFrames(before, [
      Uint8Array.of(0x12, 0x09),
      encodePayload(running('b')),
      Uint8Array.of(0xff),
    ]);
    expect(shown(after)).toBe('>a >b');
    expect(applyTaskFrames(after, [encodePayload(cleared)])).toEqual(emptyTaskView);
  });
});
