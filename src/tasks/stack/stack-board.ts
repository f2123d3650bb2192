import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {StackTaskId} from '../../domain/ids.ts';
import type {StackRefusal, StackTask, TaskStatus} from './stack-records.ts';
import type {TaskStack} from './task-stack.ts';

/** A task of the stack, as a person sees it. */
export interface StackRow {
  readonly id: StackTaskId;
  readonly text: string;
  readonly status: TaskStatus;
  /** The layer, from 0. A task in no layer never runs. */
  readonly layer: number | 'none';
  /** `next`: a run starts here. `changeable`: it was not executed yet. */
  readonly place: 'executed' | 'next' | 'changeable';
}

/** The tasks in the order in which they run, then those in no layer. */
export interface StackBoard {
  readonly rows: readonly StackRow[];
  /** The number of hooks. They run before and after their layers. */
  readonly hooks: number;
}

export type StackChange =
  /** Adds a task at the end. */
  | {readonly kind: 'create'; readonly text: string}
  | {readonly kind: 'describe'; readonly task: StackTaskId; readonly text: string}
  /** Moves a task past the one before or after it, perhaps into that one's layer. Puts one from no layer at the end. */
  | {readonly kind: 'move'; readonly task: StackTaskId; readonly by: -1 | 1}
  | {readonly kind: 'delete'; readonly task: StackTaskId};

/** Returns the stack as a person sees it. */
export function stackBoard(stack: TaskStack): StackBoard {
  const layers = stack.layers();
  const next = stack.next();
  const nextId = next === 'none' || next.is_post_hook ? null : next.task_id;
  const pointer = stack.pointer();
  const tasks = new Map(stack.tasks().map(task => [task.id, task]));
  const isExecuted = (layer: number, index: number): boolean =>
    pointer !== 'none' &&
    (layer < pointer.current_layer_index ||
      (layer === pointer.current_layer_index &&
        !pointer.is_executing_pre_hook &&
        (pointer.is_executing_post_hook || index < pointer.current_task_index)));
  const placed = layers.flatMap(layer =>
    layer.tasks.flatMap(({task_id}, index): readonly StackRow[] => {
      const task = tasks.get(task_id);
      tasks.delete(task_id);
      if (task === undefined) return [];
      const isOver = isExecuted(layer.layer_index, index) || task.status !== 'PENDING';
      const place = task_id === nextId ? 'next' : isOver ? 'executed' : 'changeable';
      return [rowOf(task, layer.layer_index, place)];
    }),
  );
  const hooks = layers.flatMap(layer => [layer.pre_hook, layer.post_hook]).filter(hook => hook !== null).length;
  return {rows: [...placed, ...[...tasks.values()].map(task => rowOf(task, 'none', 'changeable'))], hooks};
}

const rowOf = ({id, description, status}: StackTask, layer: StackRow['layer'], place: StackRow['place']): StackRow => ({
  id,
  text: description.overall_description,
  status,
  layer,
  place,
});

type Changed = Outcome<unknown, StackRefusal>;

/** Changes the stack for a person, by the rules of the Task Stack API. Changes nothing if a part is refused. */
export function changeStack(stack: TaskStack, change: StackChange): Outcome<StackBoard, StackRefusal> {
  const changed = stack.attempt((): Changed => {
    switch (change.kind) {
      case 'create': {
        const {id} = stack.createTask({description: {...noDetails, overall_description: change.text}});
        return addAtEnd(stack, id);
      }
      case 'describe': {
        const task = stack.task(change.task);
        return task.tag === 'failed'
          ? task
          : stack.changeTask(change.task, {description: {...task.value.description, overall_description: change.text}});
      }
      case 'move':
        return move(stack, change);
      case 'delete':
        return stack.deleteTask(change.task);
      default:
        return unreachable(change);
    }
  });
  return changed.tag === 'failed' ? changed : ok(stackBoard(stack));
}

const noDetails = {input: {}, requirements: [], additional_notes: ''};

/** Adds a task to the last layer, or to a new one if that was executed. */
function addAtEnd(stack: TaskStack, task_id: StackTaskId): Changed {
  const last = stack.addTask(Math.max(0, stack.layers().length - 1), {task_id});
  if (last.tag === 'ok' || last.error.kind === 'invalid') return last;
  const layer = stack.createLayer({});
  return layer.tag === 'failed' ? layer : stack.addTask(layer.value.layer_index, {task_id});
}

function move(stack: TaskStack, {task, by}: Extract<StackChange, {readonly kind: 'move'}>): Changed {
  const order = stack
    .layers()
    .flatMap(({layer_index: layer, tasks}) => tasks.map(({task_id}, index) => ({task_id, layer, index})));
  const from = order.findIndex(({task_id}) => task_id === task);
  const here = order[from];
  if (here === undefined) return addAtEnd(stack, task);
  const there = order[from + by];
  if (there === undefined)
    return failed({kind: 'invalid', message: `The task is already the ${by < 0 ? 'first' : 'last'}`});
  const removed = stack.removeTask(here.layer, task);
  // In its own layer, the tasks after it have moved up.
  const behind = by > 0 && there.layer !== here.layer ? 1 : 0;
  return removed.tag === 'failed'
    ? removed
    : stack.addTask(there.layer, {task_id: task, insert_index: there.index + behind});
}
