import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Outcome} from '../../../../src/base/outcome.ts';
import {unreachable} from '../../../../src/base/unreachable.ts';
import {stackTaskId} from '../../../../src/domain/ids.ts';
import {taskStatuses, type StackRefusal, type TaskStatus} from '../../../../src/tasks/stack/stack-records.ts';
import {TaskStack} from '../../../../src/tasks/stack/task-stack.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {answer, emptyStack, hookOf, nextPlace, progressNumber, type NaiveStack, type Request} from './naive-stack.ts';

const makeStack = (): TaskStack => new TaskStack({now: () => 0, digits: () => '000000'});

const describe = (text: string) => ({
  overall_description: text,
  input: {},
  requirements: [],
  additional_notes: '',
});

const id = fc.integer({min: 1, max: 9}).map(number => `task_${number}_000000`);
const layer = fc.integer({min: 0, max: 4});
const at = fc.oneof(fc.integer({min: 0, max: 4}), fc.constant('end' as const));
const hookChange = fc.constantFrom('same' as const, 'gone' as const, 'new' as const);

const request: fc.Arbitrary<Request> = fc.oneof(
  {weight: 3, arbitrary: fc.record({do: fc.constant('create' as const), text: fc.constantFrom('a', 'b')})},
  {
    weight: 5,
    arbitrary: fc.record(
      {
        do: fc.constant('change' as const),
        id,
        status: fc.constantFrom(...taskStatuses),
        text: fc.constantFrom('c', 'd'),
        progress: fc.integer({min: 0, max: 9}),
      },
      {requiredKeys: ['do', 'id']},
    ),
  },
  {weight: 1, arbitrary: fc.record({do: fc.constant('delete' as const), id})},
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('layer' as const),
      at,
      ids: fc.array(id, {maxLength: 2}),
      pre: fc.boolean(),
      post: fc.boolean(),
    }),
  },
  {weight: 2, arbitrary: fc.record({do: fc.constant('hooks' as const), layer, pre: hookChange, post: hookChange})},
  {weight: 5, arbitrary: fc.record({do: fc.constant('add' as const), layer, id, at})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('remove' as const), layer, id})},
  {weight: 2, arbitrary: fc.record({do: fc.constant('replace' as const), layer, old: id, id})},
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      layer,
      index: fc.integer({min: -1, max: 3}),
      pre: fc.boolean(),
      post: fc.boolean(),
    }),
  },
  {weight: 5, arbitrary: fc.constant({do: 'advance' as const})},
);

/** Does what the request says and gives the code that the HTTP interface has for the answer. */
function ask(stack: TaskStack, asked: Request): number {
  switch (asked.do) {
    case 'create':
      stack.createTask({description: describe(asked.text)});
      return 201;
    case 'change':
      return code(
        stack.changeTask(stackTaskId(asked.id), {
          description: asked.text === undefined ? undefined : describe(asked.text),
          status: statusOf(asked.status),
          progress: asked.progress === undefined ? undefined : {n: asked.progress},
          results: undefined,
        }),
      );
    case 'delete':
      return code(stack.deleteTask(stackTaskId(asked.id)));
    case 'layer': {
      const hooks = {pre_hook: asked.pre ? hookOf('pre') : null, post_hook: asked.post ? hookOf('post') : null};
      return asked.ids.length === 0
        ? code(stack.createLayer({layer_index: asked.at === 'end' ? undefined : asked.at, ...hooks}), 201)
        : code(
            stack.insertLayer({
              insert_layer_index: asked.at === 'end' ? stack.layers().length : asked.at,
              task_ids: [...asked.ids],
              ...hooks,
            }),
            201,
          );
    }
    case 'hooks':
      return code(
        stack.changeHooks(asked.layer, {pre_hook: changed(asked.pre, 'pre'), post_hook: changed(asked.post, 'post')}),
      );
    case 'add':
      return code(
        stack.addTask(asked.layer, {task_id: asked.id, insert_index: asked.at === 'end' ? undefined : asked.at}),
      );
    case 'remove':
      return code(stack.removeTask(asked.layer, stackTaskId(asked.id)));
    case 'replace':
      return code(stack.replaceTask(asked.layer, {old_task_id: asked.old, new_task_id: asked.id}));
    case 'set':
      return code(
        stack.setPointer({
          layer_index: asked.layer,
          task_index: asked.index,
          is_executing_pre_hook: asked.pre,
          is_executing_post_hook: asked.post,
        }),
      );
    case 'advance':
      return code(stack.advancePointer());
    default:
      return unreachable(asked);
  }
}

const statusOf = (name: string | undefined): TaskStatus | undefined => taskStatuses.find(status => status === name);

const changed = (change: 'same' | 'gone' | 'new', name: 'pre' | 'post') =>
  change === 'same' ? undefined : change === 'gone' ? null : hookOf(name);

const code = (outcome: Outcome<unknown, StackRefusal>, good = 200): number =>
  outcome.tag === 'ok' ? good : outcome.error.kind === 'not-found' ? 404 : 400;

/** All that can be seen of the stack, in the words of the naive one. */
function seen(stack: TaskStack): Omit<NaiveStack, 'created'> & {readonly next: string} {
  const pointer = stack.pointer();
  const next = stack.next();
  return {
    tasks: stack.tasks().map(task => ({
      id: task.id,
      status: task.status,
      text: task.description.overall_description,
      progress: progressNumber(task.progress),
    })),
    layers: stack.layers().map(({pre_hook, post_hook, tasks}) => ({
      pre: pre_hook,
      post: post_hook,
      ids: tasks.map(({task_id}) => task_id),
    })),
    pointer:
      pointer === 'none'
        ? null
        : {
            layer: pointer.current_layer_index,
            slot: pointer.is_executing_pre_hook
              ? 'pre'
              : pointer.is_executing_post_hook
                ? 'post'
                : pointer.current_task_index,
          },
    next:
      next === 'none'
        ? 'none'
        : `${next.layer_index} ${next.is_pre_hook ? 'pre' : next.is_post_hook ? 'post' : next.task_index}`,
  };
}

const expected = ({created: _, ...naive}: NaiveStack) => ({...naive, next: nextPlace({created: _, ...naive})});

test('the stack answers any requests as the naive one does, and its events or a snapshot make the same stack again', () => {
  fc.assert(
    fc.property(fc.array(request, {maxLength: 60}), fc.nat({max: 60}), (requests, restoredAt) => {
      let stack = makeStack();
      const copy = makeStack();
      let naive = emptyStack();
      for (const [index, each] of requests.entries()) {
        if (index === restoredAt) {
          const stored = JSON.stringify(stack.snapshot());
          stack = makeStack();
          stack.restore(JSON.parse(stored));
        }
        const right = answer(naive, each);
        naive = right.stack;
        expect({request: each, code: ask(stack, each)}).toEqual({request: each, code: right.code});
        expect(seen(stack)).toEqual(expected(naive));
        copy.replay(stack.takeEvents());
      }
      expect(seen(copy)).toEqual(expected(naive));
      expect(copy.layers()).toEqual(stack.layers());
    }),
    {numRuns: randomInputs(3000)},
  );
});

test('what is attempted and fails leaves nothing behind, whatever it did before', () => {
  fc.assert(
    fc.property(fc.array(request, {maxLength: 40}), fc.array(request, {maxLength: 20}), (earlier, tried) => {
      const stack = makeStack();
      for (const each of earlier) ask(stack, each);
      stack.takeEvents();
      const before = seen(stack);
      stack.attempt(() => {
        for (const each of tried) if (each.do !== 'delete') ask(stack, each);
        return {tag: 'failed', error: 'not after all'};
      });
      expect(seen(stack)).toEqual(before);
      expect(stack.takeEvents()).toEqual([]);
      expect(ask(stack, {do: 'create', text: 'a'})).toBe(201);
    }),
    {numRuns: randomInputs(1000)},
  );
});
