import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {stackMessageId, stackTaskId, type StackMessageId, type StackTaskId} from '../../domain/ids.ts';
import {
  isFinalStatus,
  type ExecutionPointer,
  type HookChanges,
  type NextTask,
  type Position,
  type SenderType,
  type StackRefusal,
  type StackTask,
  type TaskLayer,
  type UserMessage,
} from './stack-records.ts';
import type {
  AdditionRequest,
  InsertLayerRequest,
  LayerRequest,
  MessageRequest,
  PointerRequest,
  ReadStatusRequest,
  ReplacementRequest,
  TaskChangeRequest,
  TaskRequest,
} from './stack-requests.ts';
import {type StackEvent, type StackSnapshot, StackState} from './stack-state.ts';

export interface StackDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Returns six random digits, so that the ids of two stacks differ. */
  readonly digits: () => string;
}

type Answer<T> = Outcome<T, StackRefusal>;

/**
 * The task stack: layers of tasks with hooks, messages about them, and the execution pointer. Each operation follows the Task Stack API and
 * changes everything it names, or nothing. Executed positions (as the pointer alone decides) never change.
 */
export class TaskStack {
  #state = new StackState();
  readonly #deps: StackDeps;
  #changes: {readonly event: StackEvent; readonly undo: () => void}[] = [];

  constructor(deps: StackDeps) {
    this.#deps = deps;
  }

  /** Applies events from earlier or from another process. */
  replay(events: readonly StackEvent[]): void {
    for (const event of events) this.#state.apply(event);
  }

  get size(): number {
    return this.#state.size;
  }

  /** Becomes the stack of a snapshot. */
  restore(snapshot: StackSnapshot): void {
    this.#state = new StackState(snapshot);
  }

  /** Shares its parts with the stack, so write it before the stack changes. */
  snapshot(): StackSnapshot {
    return this.#state.snapshot();
  }

  /** Returns the events since the last call. From then on they can't be undone. */
  takeEvents(): readonly StackEvent[] {
    const events = this.#changes.map(({event}) => event);
    this.#changes = [];
    return events;
  }

  /** Performs all of `work`, or none of it if it fails. Can be nested. */
  attempt<T, E>(work: () => Outcome<T, E>): Outcome<T, E> {
    const begun = this.#changes.length;
    const outcome = work();
    if (outcome.tag === 'failed') {
      for (const {undo} of this.#changes.splice(begun).toReversed()) undo();
    }
    return outcome;
  }

  createMessage({content, sender_type, task_id}: MessageRequest): Answer<UserMessage> {
    const about = task_id === null ? null : stackTaskId(task_id);
    if (about !== null && this.#state.task(about) === undefined) return invalid(noTask);
    const message: UserMessage = {
      id: stackMessageId(`msg_${String(this.#state.messageCount + 1)}_${this.#deps.digits()}`),
      content,
      timestamp: this.#time(),
      user_id: 'user',
      sender_type,
      director_read_status: 'UNREAD',
      user_read_status: 'UNREAD',
      task_id: about,
    };
    this.#apply({event: 'message-put', message});
    return ok(message);
  }

  message(id: StackMessageId): Answer<UserMessage> {
    const message = this.#state.message(id);
    return message === undefined ? notFound('Message not found') : ok(message);
  }

  messages(): readonly UserMessage[] {
    return this.#state.messages();
  }

  /** Returns the messages that at least one of the readers in `where` has not read. Returns none if `where` asks about no reader. */
  unreadMessages(where: {
    readonly sender: SenderType | 'anybody';
    readonly director: boolean;
    readonly user: boolean;
  }): readonly UserMessage[] {
    return this.#state
      .messages()
      .filter(
        message =>
          (where.sender === 'anybody' || message.sender_type === where.sender) &&
          ((where.director && message.director_read_status === 'UNREAD') ||
            (where.user && message.user_read_status === 'UNREAD')),
      );
  }

  setReadStatus(id: StackMessageId, changes: ReadStatusRequest): Answer<UserMessage> {
    const known = this.message(id);
    if (known.tag === 'failed') return known;
    const {director_read_status = known.value.director_read_status, user_read_status = known.value.user_read_status} =
      changes;
    const message: UserMessage = {...known.value, director_read_status, user_read_status};
    this.#apply({event: 'message-put', message});
    return ok(message);
  }

  /** True if the message names a pending task that is in no layer. */
  isNewTask({task_id}: UserMessage): boolean {
    if (task_id === null) return false;
    return this.#state.task(task_id)?.status === 'PENDING' && !this.#state.isInLayer(task_id);
  }

  createTask({description}: TaskRequest): StackTask {
    const time = this.#time();
    const task: StackTask = {
      id: stackTaskId(`task_${String(this.#state.taskCount + 1)}_${this.#deps.digits()}`),
      description,
      status: 'PENDING',
      progress: {},
      results: null,
      created_at: time,
      updated_at: time,
    };
    this.#apply({event: 'task-put', task});
    return task;
  }

  task(id: StackTaskId): Answer<StackTask> {
    const task = this.#state.task(id);
    return task === undefined ? notFound(noTask) : ok(task);
  }

  tasks(): readonly StackTask[] {
    return this.#state.tasks();
  }

  changeTask(id: StackTaskId, changes: TaskChangeRequest): Answer<StackTask> {
    const known = this.task(id);
    if (known.tag === 'failed') return known;
    const {description, status, progress, results} = changes;
    const isEmpty = [description, status, progress, results].every(each => each === undefined);
    if (isEmpty) return known;
    const isExecuted = this.#isExecuted(id);
    if (isExecuted && !this.#isAtPointer(id)) return invalid("An executed task can't be changed");
    if (description !== undefined && isExecuted) return invalid("The description of an executed task can't be changed");
    if (isFinalStatus(known.value.status)) {
      if (status !== undefined) return invalid(`The task is ${known.value.status}, which is final`);
      if (description !== undefined)
        return invalid(`The task is ${known.value.status}, so its description is final, too`);
    }
    const task: StackTask = {
      ...known.value,
      ...(description === undefined ? {} : {description}),
      ...(status === undefined ? {} : {status}),
      ...(progress === undefined ? {} : {progress}),
      ...(results === undefined ? {} : {results}),
      updated_at: this.#time(),
    };
    this.#apply({event: 'task-put', task});
    return ok(task);
  }

  /** Deletes a task, but keeps its messages. */
  deleteTask(id: StackTaskId): Answer<undefined> {
    if (this.#state.task(id) === undefined) return notFound(noTask);
    if (this.#isExecuted(id)) return notFound('The task was executed');
    const place = this.#state.positionOf(id);
    if (place !== 'nowhere') this.#apply({event: 'entry-removed', ...place});
    this.#apply({event: 'task-deleted', id});
    return ok(undefined);
  }

  layers(): readonly TaskLayer[] {
    return Array.from({length: this.#state.layerCount}, (_, index) => this.#layerAt(index));
  }

  layer(index: number): Answer<TaskLayer> {
    const layer = this.#state.layer(index);
    return layer === undefined ? notFound(noLayer) : ok(layer);
  }

  createLayer({layer_index = this.#state.layerCount, pre_hook, post_hook}: LayerRequest): Answer<TaskLayer> {
    return this.insertLayer({insert_layer_index: layer_index, task_ids: [], pre_hook, post_hook});
  }

  insertLayer({insert_layer_index: index, task_ids, ...hooks}: InsertLayerRequest): Answer<TaskLayer> {
    const {pointer} = this.#state;
    if (index > this.#state.layerCount)
      return invalid(`Layer ${String(index)} does not exist, nor does the one before it`);
    if (pointer !== 'none' && index <= pointer.layer)
      return invalid("A layer can't be inserted before an executed one");
    return this.attempt(() => {
      this.#apply({event: 'layer-inserted', index, created_at: this.#time()});
      this.#setHooks(index, hooks);
      for (const raw of task_ids) {
        const id = stackTaskId(raw);
        const task = this.#state.task(id);
        if (task === undefined) return invalid(`${noTask}: ${raw}`);
        if (this.#state.isInLayer(id)) return invalid(`The task is already in a layer: ${raw}`);
        if (task.status !== 'PENDING') return invalid(`Only pending tasks can be put into a layer: ${raw}`);
        this.#insertEntry(id, {layer: index, index: this.#layerAt(index).tasks.length});
      }
      return ok(this.#layerAt(index));
    });
  }

  changeHooks(index: number, changes: HookChanges): Answer<TaskLayer> {
    const layer = this.#changeableLayer(index);
    if (layer.tag === 'failed') return layer;
    const {pointer} = this.#state;
    if (changes.pre_hook === null && pointer !== 'none' && pointer.kind === 'pre-hook' && pointer.layer === index)
      return invalid("The pre-hook is running and can't be removed");
    this.#setHooks(index, changes);
    return ok(this.#layerAt(index));
  }

  addTask(layerIndex: number, {task_id, insert_index}: AdditionRequest): Answer<TaskLayer> {
    const layer = this.#changeableLayer(layerIndex);
    if (layer.tag === 'failed') return layer;
    const id = stackTaskId(task_id);
    const task = this.task(id);
    if (task.tag === 'failed') return task;
    if (this.#state.isInLayer(id)) return notFound('The task is already in a layer');
    if (task.value.status !== 'PENDING') return invalid('Only pending tasks can be put into a layer');
    const {length} = layer.value.tasks;
    const index = insert_index ?? length;
    if (index > length) return invalid(`The layer has ${String(length)} tasks, so insert_index is too large`);
    if (index < this.#state.executedTasks(layerIndex))
      return invalid("A task can't be inserted before an executed one");
    this.#insertEntry(id, {layer: layerIndex, index});
    return ok(this.#layerAt(layerIndex));
  }

  removeTask(layerIndex: number, id: StackTaskId): Answer<undefined> {
    const place = this.#changeableIndex(layerIndex, id);
    if (place.tag === 'failed') return place;
    this.#apply({event: 'entry-removed', layer: layerIndex, index: place.value});
    return ok(undefined);
  }

  /** Cancels the old task unless it has already ended. */
  replaceTask(layerIndex: number, {old_task_id, new_task_id}: ReplacementRequest): Answer<TaskLayer> {
    const oldId = stackTaskId(old_task_id);
    const newId = stackTaskId(new_task_id);
    const place = this.#changeableIndex(layerIndex, oldId);
    if (place.tag === 'failed') return place;
    const old = this.task(oldId);
    if (old.tag === 'failed') return old;
    const added = this.task(newId);
    if (added.tag === 'failed') return added;
    if (this.#state.isInLayer(newId)) return notFound('The new task is already in a layer');
    if (added.value.status !== 'PENDING') return invalid('Only pending tasks can be put into a layer');
    this.#apply({event: 'entry-removed', layer: layerIndex, index: place.value});
    this.#insertEntry(newId, {layer: layerIndex, index: place.value});
    if (!isFinalStatus(old.value.status)) {
      const task: StackTask = {...old.value, status: 'CANCELLED', updated_at: this.#time()};
      this.#apply({event: 'task-put', task});
    }
    return ok(this.#layerAt(layerIndex));
  }

  pointer(): ExecutionPointer | 'none' {
    const {pointer} = this.#state;
    return pointer === 'none' ? 'none' : this.#toApiPointer(pointer);
  }

  /** Going back makes executed positions changeable again. */
  setPointer(request: PointerRequest): Answer<ExecutionPointer> {
    const {layer_index: layer, task_index: index, is_executing_pre_hook: pre, is_executing_post_hook: post} = request;
    if (pre && post) return invalid("The pre-hook and the post-hook can't run at the same time");
    if (!pre && !post && index === undefined) return invalid('task_index is missing');
    const wanted: Position =
      pre || post ? {kind: pre ? 'pre-hook' : 'post-hook', layer} : {kind: 'task', layer, index: index ?? 0};
    if (!this.#exists(wanted)) return invalid('The task stack has no such position');
    this.#apply({event: 'pointer-set', pointer: wanted});
    return ok(this.#toApiPointer(wanted));
  }

  /** Advances to the next position, or to the first if the pointer is not set. */
  advancePointer(): Answer<ExecutionPointer> {
    const [next] = this.#state.positionsFrom(this.#afterPointer());
    if (next === undefined) return invalid('Nothing to advance to: the task stack is at its end');
    this.#apply({event: 'pointer-set', pointer: next});
    return ok(this.#toApiPointer(next));
  }

  /** Marks the hook at the pointer, perhaps the end of the stack, as run. `next` skips it until the pointer moves. */
  finishHook(): void {
    this.#apply({event: 'hook-finished'});
  }

  /** Returns the next work at or after the pointer. Skips finished tasks. */
  next(): NextTask | 'none' {
    const {pointer} = this.#state;
    for (const position of this.#state.positionsFrom(pointer === 'none' ? start : pointer)) {
      const task = this.#taskOf(position);
      if (position.kind === 'task' && (task === null || isFinalStatus(task.status))) continue;
      if (this.#state.isFinishedHook(position)) continue;
      return {
        layer_index: position.layer,
        task_index: this.#indexOf(position),
        task_id: task?.id ?? null,
        task,
        layer: this.#layerAt(position.layer),
        is_pre_hook: position.kind === 'pre-hook',
        is_post_hook: position.kind === 'post-hook',
      };
    }
    return 'none';
  }

  #apply(event: StackEvent): void {
    this.#changes.push({event, undo: this.#state.apply(event)});
  }

  #time(): string {
    return new Date(this.#deps.now()).toISOString().slice(0, -1);
  }

  #layerAt(index: number): TaskLayer {
    const layer = this.#state.layer(index);
    if (layer === undefined) throw new Error(`the task stack has no layer ${String(index)}`);
    return layer;
  }

  /** Returns a layer that was not executed. */
  #changeableLayer(index: number): Answer<TaskLayer> {
    return this.#state.isLayerExecuted(index) ? notFound('The layer was executed') : this.layer(index);
  }

  #setHooks(index: number, {pre_hook, post_hook}: HookChanges): void {
    if (pre_hook === undefined && post_hook === undefined) return;
    const layer = this.#layerAt(index);
    this.#apply({
      event: 'hooks-set',
      index,
      pre_hook: pre_hook === undefined ? layer.pre_hook : pre_hook,
      post_hook: post_hook === undefined ? layer.post_hook : post_hook,
    });
  }

  #insertEntry(id: StackTaskId, at: {readonly layer: number; readonly index: number}): void {
    this.#apply({event: 'entry-inserted', ...at, entry: {task_id: id, created_at: this.#time()}});
  }

  /** Returns the index of a task in this layer, if it was not executed. */
  #changeableIndex(layer: number, id: StackTaskId): Answer<number> {
    if (this.#state.layer(layer) === undefined) return notFound(noLayer);
    const place = this.#state.positionOf(id);
    if (place === 'nowhere' || place.layer !== layer) return notFound('The task is not in this layer');
    return place.index < this.#state.executedTasks(layer) ? notFound('The task was executed') : ok(place.index);
  }

  #isExecuted(id: StackTaskId): boolean {
    const place = this.#state.positionOf(id);
    return place !== 'nowhere' && place.index < this.#state.executedTasks(place.layer);
  }

  #isAtPointer(id: StackTaskId): boolean {
    const {pointer} = this.#state;
    return pointer !== 'none' && this.#state.taskAt(pointer)?.id === id;
  }

  #exists(position: Position): boolean {
    switch (position.kind) {
      case 'pre-hook':
        return (this.#state.layer(position.layer)?.pre_hook ?? null) !== null;
      case 'post-hook':
        return (this.#state.layer(position.layer)?.post_hook ?? null) !== null;
      case 'task':
        return this.#state.taskAt(position) !== undefined;
      default:
        return unreachable(position);
    }
  }

  #afterPointer(): Position {
    const {pointer} = this.#state;
    if (pointer === 'none') return start;
    switch (pointer.kind) {
      case 'pre-hook':
        return {kind: 'task', layer: pointer.layer, index: 0};
      case 'task':
        return {...pointer, index: pointer.index + 1};
      case 'post-hook':
        return {kind: 'pre-hook', layer: pointer.layer + 1};
      default:
        return unreachable(pointer);
    }
  }

  #toApiPointer(position: Position): ExecutionPointer {
    return {
      current_layer_index: position.layer,
      current_task_index: this.#indexOf(position),
      is_executing_pre_hook: position.kind === 'pre-hook',
      is_executing_post_hook: position.kind === 'post-hook',
    };
  }

  #indexOf(position: Position): number {
    switch (position.kind) {
      case 'pre-hook':
        return 0;
      case 'task':
        return position.index;
      case 'post-hook':
        return Math.max(0, this.#layerAt(position.layer).tasks.length - 1);
      default:
        return unreachable(position);
    }
  }

  /** Returns the task at a position. For a hook, the first or last one of its layer. */
  #taskOf(position: Position): StackTask | null {
    return this.#state.taskAt({kind: 'task', layer: position.layer, index: this.#indexOf(position)}) ?? null;
  }
}

const start: Position = {kind: 'pre-hook', layer: 0};
const noTask = 'Task not found';
const noLayer = 'Layer not found';

const notFound = (message: string): Answer<never> => failed({kind: 'not-found', message});
const invalid = (message: string): Answer<never> => failed({kind: 'invalid', message});
