import type {JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {StackMessageId, StackTaskId} from '../../domain/ids.ts';
import type {LayerEntry, Position, StackTask, TaskLayer, UserMessage} from './stack-records.ts';

/** One change of the task stack. The stack is the fold of all its events, so the events are what is stored. */
export type StackEvent =
  | {readonly event: 'message-put'; readonly message: UserMessage}
  | {readonly event: 'task-put'; readonly task: StackTask}
  | {readonly event: 'task-deleted'; readonly id: StackTaskId}
  | {readonly event: 'layer-inserted'; readonly index: number; readonly created_at: string}
  | {
      readonly event: 'hooks-set';
      readonly index: number;
      readonly pre_hook: JsonObject | null;
      readonly post_hook: JsonObject | null;
    }
  | {readonly event: 'entry-inserted'; readonly layer: number; readonly index: number; readonly entry: LayerEntry}
  | {readonly event: 'entry-removed'; readonly layer: number; readonly index: number}
  | {readonly event: 'pointer-set'; readonly pointer: Position}
  /** The hook at the pointer has run, and there was nothing to advance to. */
  | {readonly event: 'hook-finished'};

interface Layer {
  readonly createdAt: string;
  readonly tasks: LayerEntry[];
  preHook: JsonObject | null;
  postHook: JsonObject | null;
}

/** A whole stack. It is stored in place of the events before it. */
export interface StackSnapshot {
  readonly tasks: readonly StackTask[];
  readonly messages: readonly UserMessage[];
  readonly layers: readonly Layer[];
  readonly pointer: Position | 'none';
  readonly isHookFinished: boolean;
  readonly taskCount: number;
}

const emptyStack: StackSnapshot = {
  tasks: [],
  messages: [],
  layers: [],
  pointer: 'none',
  isHookFinished: false,
  taskCount: 0,
};

/**
 * The task stack, folded from its events. It changes in place, because a copy for each request would cost more as the
 * stack grows. `apply` returns a function that undoes the change.
 */
export class StackState {
  readonly #tasks: Map<StackTaskId, StackTask>;
  readonly #messages: Map<StackMessageId, UserMessage>;
  readonly #layers: Layer[];
  readonly #layerOf: Map<StackTaskId, Layer>;
  #pointer: Position | 'none';
  #isHookFinished: boolean;
  #taskCount: number;

  constructor({tasks, messages, layers, pointer, isHookFinished, taskCount} = emptyStack) {
    this.#tasks = new Map(tasks.map(task => [task.id, task]));
    this.#messages = new Map(messages.map(message => [message.id, message]));
    this.#layers = layers.map(layer => ({...layer, tasks: [...layer.tasks]}));
    this.#layerOf = new Map(this.#layers.flatMap(layer => layer.tasks.map(({task_id}) => [task_id, layer])));
    this.#pointer = pointer;
    this.#isHookFinished = isHookFinished;
    this.#taskCount = taskCount;
  }

  /** Shares its parts with the stack, so write it before the stack changes. */
  snapshot(): StackSnapshot {
    return {
      tasks: this.tasks(),
      messages: this.messages(),
      layers: this.#layers,
      pointer: this.#pointer,
      isHookFinished: this.#isHookFinished,
      taskCount: this.#taskCount,
    };
  }

  get pointer(): Position | 'none' {
    return this.#pointer;
  }

  isFinishedHook({kind, layer}: Position): boolean {
    const pointer = this.#pointer;
    return this.#isHookFinished && pointer !== 'none' && pointer.kind === kind && pointer.layer === layer;
  }

  get layerCount(): number {
    return this.#layers.length;
  }

  get taskCount(): number {
    return this.#taskCount;
  }

  get size(): number {
    return this.#tasks.size + this.#messages.size;
  }

  get messageCount(): number {
    return this.#messages.size;
  }

  task(id: StackTaskId): StackTask | undefined {
    return this.#tasks.get(id);
  }

  message(id: StackMessageId): UserMessage | undefined {
    return this.#messages.get(id);
  }

  /** In order of creation. */
  tasks(): readonly StackTask[] {
    return [...this.#tasks.values()];
  }

  messages(): readonly UserMessage[] {
    return [...this.#messages.values()];
  }

  /** Returns the layer at an index, or `undefined` if there is none. */
  layer(index: number): TaskLayer | undefined {
    const layer = this.#layers[index];
    if (layer === undefined) return undefined;
    return {
      layer_index: index,
      tasks: [...layer.tasks],
      pre_hook: layer.preHook,
      post_hook: layer.postHook,
      created_at: layer.createdAt,
    };
  }

  positionOf(id: StackTaskId): {readonly layer: number; readonly index: number} | 'nowhere' {
    const layer = this.#layerOf.get(id);
    if (layer === undefined) return 'nowhere';
    return {layer: this.#layers.indexOf(layer), index: layer.tasks.findIndex(entry => entry.task_id === id)};
  }

  isInLayer(id: StackTaskId): boolean {
    return this.#layerOf.has(id);
  }

  /** Returns the task at a position, or `undefined` for a hook and for an index that the layer does not have. */
  taskAt(position: Position): StackTask | undefined {
    if (position.kind !== 'task') return undefined;
    const entry = this.#layers[position.layer]?.tasks[position.index];
    return entry === undefined ? undefined : this.#tasks.get(entry.task_id);
  }

  /** Returns how many tasks at the start of a layer were executed. Only the pointer decides this. */
  executedTasks(index: number): number {
    const pointer = this.#pointer;
    const length = this.#layers[index]?.tasks.length ?? 0;
    if (pointer === 'none' || index > pointer.layer) return 0;
    if (index < pointer.layer) return length;
    switch (pointer.kind) {
      case 'pre-hook':
        return 0;
      case 'task': {
        const status = this.taskAt(pointer)?.status ?? 'PENDING';
        return Math.min(length, status === 'PENDING' ? pointer.index : pointer.index + 1);
      }
      case 'post-hook':
        return length;
      default:
        return unreachable(pointer);
    }
  }

  /** True if the layer is before the pointer's layer, or its post-hook runs. */
  isLayerExecuted(index: number): boolean {
    const pointer = this.#pointer;
    return pointer !== 'none' && (index < pointer.layer || (index === pointer.layer && pointer.kind === 'post-hook'));
  }

  /** Yields the positions from the given one on, including it if it exists. */
  *positionsFrom(start: Position): Generator<Position> {
    let index = indexIn(start);
    for (let layer = start.layer; layer < this.#layers.length; layer += 1, index = -1) {
      const {preHook = null, postHook = null, tasks = []} = this.#layers[layer] ?? {};
      if (index < 0 && preHook !== null) yield {kind: 'pre-hook', layer};
      for (let task = Math.max(index, 0); task < tasks.length; task += 1) yield {kind: 'task', layer, index: task};
      if (postHook !== null) yield {kind: 'post-hook', layer};
    }
  }

  /** Applies a change. Returns a function that undoes it, provided that all later changes were undone before. */
  apply(event: StackEvent): () => void {
    switch (event.event) {
      case 'message-put':
        return put(this.#messages, event.message);
      case 'task-put': {
        const isNew = !this.#tasks.has(event.task.id);
        if (isNew) this.#taskCount += 1;
        const undo = put(this.#tasks, event.task);
        return () => {
          if (isNew) this.#taskCount -= 1;
          undo();
        };
      }
      case 'task-deleted':
        return remove(this.#tasks, event.id);
      case 'layer-inserted':
        this.#layers.splice(event.index, 0, {createdAt: event.created_at, tasks: [], preHook: null, postHook: null});
        return () => void this.#layers.splice(event.index, 1);
      case 'hooks-set': {
        const layer = this.#layerAt(event.index);
        const {preHook, postHook} = layer;
        Object.assign(layer, {preHook: event.pre_hook, postHook: event.post_hook});
        return () => void Object.assign(layer, {preHook, postHook});
      }
      case 'entry-inserted':
        return this.#insert(this.#layerAt(event.layer), event.index, event.entry);
      case 'entry-removed': {
        const layer = this.#layerAt(event.layer);
        const entry = layer.tasks[event.index];
        if (entry === undefined) throw new Error(`layer ${String(event.layer)} has no task ${String(event.index)}`);
        layer.tasks.splice(event.index, 1);
        this.#layerOf.delete(entry.task_id);
        return () => void this.#insert(layer, event.index, entry);
      }
      case 'pointer-set': {
        const before = this.#pointer;
        const wasFinished = this.#isHookFinished;
        this.#pointer = event.pointer;
        this.#isHookFinished = false;
        return () => {
          this.#pointer = before;
          this.#isHookFinished = wasFinished;
        };
      }
      case 'hook-finished': {
        const wasFinished = this.#isHookFinished;
        this.#isHookFinished = true;
        return () => {
          this.#isHookFinished = wasFinished;
        };
      }
      default:
        return unreachable(event);
    }
  }

  #layerAt(index: number): Layer {
    const layer = this.#layers[index];
    if (layer === undefined) throw new Error(`the task stack has no layer ${String(index)}`);
    return layer;
  }

  #insert(layer: Layer, index: number, entry: LayerEntry): () => void {
    layer.tasks.splice(index, 0, entry);
    this.#layerOf.set(entry.task_id, layer);
    return () => {
      layer.tasks.splice(index, 1);
      this.#layerOf.delete(entry.task_id);
    };
  }
}

/** Returns the order of a position within its layer: the pre-hook before all tasks, the post-hook after them. */
function indexIn(position: Position): number {
  switch (position.kind) {
    case 'pre-hook':
      return -1;
    case 'task':
      return position.index;
    case 'post-hook':
      return Number.POSITIVE_INFINITY;
    default:
      return unreachable(position);
  }
}

function put<Id, Record extends {readonly id: Id}>(records: Map<Id, Record>, record: Record): () => void {
  const before = records.get(record.id);
  records.set(record.id, record);
  return () => {
    if (before === undefined) records.delete(record.id);
    else records.set(record.id, before);
  };
}

/** Undoing this puts the record last. That does no harm: an operation that deletes is refused before it deletes anything. */
function remove<Id, Record extends {readonly id: Id}>(records: Map<Id, Record>, id: Id): () => void {
  const before = records.get(id);
  records.delete(id);
  return () => {
    if (before !== undefined) records.set(id, before);
  };
}
