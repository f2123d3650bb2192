import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {stackTaskId, type StackTaskId} from '../../domain/ids.ts';
import type {StackRefusal, TaskLayer} from './stack-records.ts';
import type {ModifyRequest, Operation} from './stack-requests.ts';
import type {TaskStack} from './task-stack.ts';

export interface OperationResult {
  readonly operation_index: number;
  readonly type: Operation['type'];
  readonly success: boolean;
  readonly data?: OperationData;
  readonly error?: string;
  /** The operation succeeded, but was rolled back because a later operation of the batch failed. */
  readonly rolled_back?: true;
}

interface OperationData {
  readonly created_task_ids?: readonly StackTaskId[];
  readonly created_layer_indices?: readonly number[];
}

export interface ModifyAnswer {
  readonly success: boolean;
  readonly results: readonly OperationResult[];
  readonly errors: readonly {
    readonly operation_index: number;
    readonly type: Operation['type'];
    readonly error: string;
    readonly params: Operation['params'];
  }[];
  readonly created_task_ids: readonly StackTaskId[];
  /** The indices after the whole batch. */
  readonly created_layer_indices: readonly number[];
}

/**
 * Performs a batch. If `atomic`, stops at the first operation that fails and rolls back the whole batch. Otherwise each
 * operation succeeds or fails as a whole, and later ones are still tried.
 */
export function modifyStack(stack: TaskStack, {operations, atomic}: ModifyRequest): ModifyAnswer {
  const batch = new Batch(stack);
  let isRolledBack = false;
  stack.attempt(() => {
    for (const operation of operations) {
      const outcome = batch.take(operation);
      if (outcome.tag === 'failed' && atomic) {
        isRolledBack = true;
        return outcome;
      }
    }
    return ok(undefined);
  });
  return batch.answer(isRolledBack ? 'taken-back' : 'kept');
}

/** The index of a layer that the batch made. It shifts when the batch inserts a layer before it. */
interface CreatedLayer {
  index: number;
}

type OperationOutput = {readonly tasks: readonly StackTaskId[]} | {readonly layers: readonly CreatedLayer[]} | 'done';

class Batch {
  readonly #stack: TaskStack;
  readonly #refs = new Map<string, StackTaskId>();
  readonly #layers: CreatedLayer[] = [];
  readonly #ends: {readonly operation: Operation; readonly end: Outcome<OperationOutput, StackRefusal>}[] = [];

  constructor(stack: TaskStack) {
    this.#stack = stack;
  }

  take(operation: Operation): Outcome<OperationOutput, StackRefusal> {
    const before = this.#layers.map(({index}) => index);
    const end = this.#stack.attempt(() => this.#perform(operation));
    if (end.tag === 'failed') {
      this.#layers.length = before.length;
      for (const [position, index] of before.entries()) Object.assign(this.#layers[position] ?? {}, {index});
    }
    this.#ends.push({operation, end});
    return end;
  }

  answer(fate: 'kept' | 'taken-back'): ModifyAnswer {
    const kept = fate === 'kept' ? this.#ends.flatMap(({end}) => (end.tag === 'ok' ? [end.value] : [])) : [];
    return {
      success: this.#ends.every(({end}) => end.tag === 'ok'),
      results: this.#ends.map(({operation: {type}, end}, operation_index) =>
        end.tag === 'ok'
          ? {
              operation_index,
              type,
              success: true,
              data: dataOf(end.value),
              ...(fate === 'taken-back' ? {rolled_back: true as const} : {}),
            }
          : {operation_index, type, success: false, error: end.error.message},
      ),
      errors: this.#ends.flatMap(({operation: {type, params}, end}, operation_index) =>
        end.tag === 'ok' ? [] : [{operation_index, type, error: end.error.message, params}],
      ),
      created_task_ids: kept.flatMap(done => (done !== 'done' && 'tasks' in done ? done.tasks : [])),
      created_layer_indices: kept.flatMap(done =>
        done !== 'done' && 'layers' in done ? done.layers.map(({index}) => index) : [],
      ),
    };
  }

  #perform(operation: Operation): Outcome<OperationOutput, StackRefusal> {
    const stack = this.#stack;
    switch (operation.type) {
      case 'create_tasks': {
        const tasks = operation.params.tasks.map(({description, ref}) => {
          const {id} = stack.createTask({description});
          if (ref !== undefined) this.#refs.set(ref, id);
          return id;
        });
        return ok({tasks});
      }
      case 'create_layers': {
        const made: CreatedLayer[] = [];
        for (const request of operation.params.layers) {
          const layer = stack.createLayer(request);
          if (layer.tag === 'failed') return layer;
          made.push(this.#madeLayer(layer.value));
        }
        return ok({layers: made});
      }
      case 'add_tasks_to_layers':
        return performAll(operation.params.additions, ({layer_index, task_id, insert_index}) =>
          stack.addTask(layer_index, {task_id: this.#named(task_id), insert_index}),
        );
      case 'remove_tasks_from_layers':
        return performAll(operation.params.removals, ({layer_index, task_id}) =>
          stack.removeTask(layer_index, this.#named(task_id)),
        );
      case 'replace_tasks_in_layers':
        return performAll(operation.params.replacements, ({layer_index, old_task_id, new_task_id}) =>
          stack.replaceTask(layer_index, {
            old_task_id: this.#named(old_task_id),
            new_task_id: this.#named(new_task_id),
          }),
        );
      case 'update_layer_hooks':
        return performAll(operation.params.updates, ({layer_index, ...hooks}) => stack.changeHooks(layer_index, hooks));
      default:
        return unreachable(operation);
    }
  }

  /** Resolves `ref:NAME` to the task that the batch created under that name. */
  #named(id: string): StackTaskId {
    const made = id.startsWith('ref:') ? this.#refs.get(id.slice('ref:'.length)) : undefined;
    return made ?? stackTaskId(id);
  }

  #madeLayer({layer_index: index}: TaskLayer): CreatedLayer {
    for (const earlier of this.#layers) if (earlier.index >= index) earlier.index += 1;
    const made = {index};
    this.#layers.push(made);
    return made;
  }
}

function performAll<Item>(
  items: readonly Item[],
  perform: (item: Item) => Outcome<unknown, StackRefusal>,
): Outcome<'done', StackRefusal> {
  for (const item of items) {
    const outcome = perform(item);
    if (outcome.tag === 'failed') return failed(outcome.error);
  }
  return ok('done');
}

function dataOf(done: OperationOutput): OperationData {
  if (done === 'done') return {};
  return 'tasks' in done
    ? {created_task_ids: done.tasks}
    : {created_layer_indices: done.layers.map(({index}) => index)};
}
