import {expect, test} from 'vitest';
import type {Outcome} from '../../../../src/base/outcome.ts';
import {changeStack, type StackBoard, stackBoard, type StackChange} from '../../../../src/tasks/stack/stack-board.ts';
import type {StackRefusal} from '../../../../src/tasks/stack/stack-records.ts';
import {TaskStack} from '../../../../src/tasks/stack/task-stack.ts';

const open = (): TaskStack => new TaskStack({now: () => 0, digits: () => '000000'});

const change = (stack: TaskStack, wanted: StackChange): string => shown(changeStack(stack, wanted));

const shown = (outcome: Outcome<StackBoard, StackRefusal>): string =>
  outcome.tag === 'failed'
    ? outcome.error.message
    : outcome.value.rows.map(({text, layer, place}) => `${text} ${layer} ${place}`).join(', ');

function taskOf(stack: TaskStack, text: string) {
  const row = stackBoard(stack).rows.find(each => each.text === text);
  if (row === undefined) throw new Error(`There is no task ${text}.`);
  return row.id;
}

function filled(): TaskStack {
  const stack = open();
  for (const text of ['a', 'b']) change(stack, {kind: 'create', text});
  stack.createLayer({});
  change(stack, {kind: 'create', text: 'c'});
  return stack;
}

test('new tasks join the last layer, and the first one is next', () => {
  expect(shown({tag: 'ok', value: stackBoard(filled())})).toBe('a 0 next, b 0 changeable, c 1 changeable');
});

test('a move passes the task before or after it, across layers too', () => {
  const stack = filled();
  const [a, b, c] = ['a', 'b', 'c'].map(text => taskOf(stack, text));
  if (a === undefined || b === undefined || c === undefined) throw new Error('The stack has three tasks.');
  expect(change(stack, {kind: 'move', task: b, by: -1})).toBe('b 0 next, a 0 changeable, c 1 changeable');
  expect(change(stack, {kind: 'move', task: b, by: 1})).toBe('a 0 next, b 0 changeable, c 1 changeable');
  expect(change(stack, {kind: 'move', task: b, by: 1})).toBe('a 0 next, c 1 changeable, b 1 changeable');
  expect(change(stack, {kind: 'move', task: c, by: -1})).toBe('c 0 next, a 0 changeable, b 1 changeable');
  expect(change(stack, {kind: 'move', task: c, by: -1})).toBe('The task is already the first');
  expect(change(stack, {kind: 'move', task: b, by: 1})).toBe('The task is already the last');
});

test('executed tasks stay, and a refused move changes nothing', () => {
  const stack = filled();
  stack.advancePointer();
  stack.changeTask(taskOf(stack, 'a'), {status: 'COMPLETED'});
  stack.advancePointer();
  const before = 'a 0 executed, b 0 next, c 1 changeable';
  expect(shown({tag: 'ok', value: stackBoard(stack)})).toBe(before);
  expect(change(stack, {kind: 'move', task: taskOf(stack, 'b'), by: -1})).toBe(
    "A task can't be inserted before an executed one",
  );
  expect(change(stack, {kind: 'delete', task: taskOf(stack, 'a')})).toBe('The task was executed');
  expect(shown({tag: 'ok', value: stackBoard(stack)})).toBe(before);
});

test('a task is described anew, deleted, and put into the stack from no layer', () => {
  const stack = filled();
  const loose = stack.createTask({
    description: {overall_description: 'd', input: {}, requirements: [], additional_notes: ''},
  });
  expect(change(stack, {kind: 'describe', task: taskOf(stack, 'b'), text: 'B'})).toBe(
    'a 0 next, B 0 changeable, c 1 changeable, d none changeable',
  );
  expect(change(stack, {kind: 'delete', task: taskOf(stack, 'a')})).toBe('B 0 next, c 1 changeable, d none changeable');
  expect(change(stack, {kind: 'move', task: loose.id, by: -1})).toBe('B 0 next, c 1 changeable, d 1 changeable');
});
