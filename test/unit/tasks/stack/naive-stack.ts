import {isJsonObject, type JsonObject} from '../../../../src/base/json.ts';

/**
 * The task stack once more, as plainly as its contract reads: everything is copied before each request and compared as a whole. It
 * shares no code with the stack of `src/tasks/stack`. A request gets the status code that the HTTP interface has for it.
 */
export interface NaiveStack {
  readonly tasks: NaiveTask[];
  readonly layers: {pre: JsonObject | null; post: JsonObject | null; ids: string[]}[];
  created: number;
  /** `pre`, `post` or the index of a task. */
  pointer: {layer: number; slot: 'pre' | 'post' | number} | null;
}

interface NaiveTask {
  readonly id: string;
  status: string;
  text: string;
  progress: number;
}

export type Request =
  | {readonly do: 'create'; readonly text: string}
  | {
      readonly do: 'change';
      readonly id: string;
      readonly status?: string;
      readonly text?: string;
      readonly progress?: number;
    }
  | {readonly do: 'delete'; readonly id: string}
  | {
      readonly do: 'layer';
      readonly at: number | 'end';
      readonly ids: readonly string[];
      readonly pre: boolean;
      readonly post: boolean;
    }
  | {
      readonly do: 'hooks';
      readonly layer: number;
      readonly pre: 'same' | 'gone' | 'new';
      readonly post: 'same' | 'gone' | 'new';
    }
  | {readonly do: 'add'; readonly layer: number; readonly id: string; readonly at: number | 'end'}
  | {readonly do: 'remove'; readonly layer: number; readonly id: string}
  | {readonly do: 'replace'; readonly layer: number; readonly old: string; readonly id: string}
  | {readonly do: 'set'; readonly layer: number; readonly index: number; readonly pre: boolean; readonly post: boolean}
  | {readonly do: 'advance'};

export const emptyStack = (): NaiveStack => ({tasks: [], layers: [], created: 0, pointer: null});

export const hookOf = (name: 'pre' | 'post'): JsonObject => ({type: 'command', command: name});

const final = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** Every place of work, in order. */
const places = (stack: NaiveStack) =>
  stack.layers.flatMap((layer, number) => [
    ...(layer.pre === null ? [] : [{layer: number, slot: 'pre' as const}]),
    ...layer.ids.map((_, slot) => ({layer: number, slot})),
    ...(layer.post === null ? [] : [{layer: number, slot: 'post' as const}]),
  ]);

const rank = (slot: 'pre' | 'post' | number): number => (slot === 'pre' ? -1 : slot === 'post' ? 1e9 : slot);

const isBefore = (
  one: {layer: number; slot: 'pre' | 'post' | number},
  other: {layer: number; slot: 'pre' | 'post' | number},
) => one.layer < other.layer || (one.layer === other.layer && rank(one.slot) < rank(other.slot));

const layerOf = (stack: NaiveStack, id: string) => stack.layers.findIndex(({ids}) => ids.includes(id));

function isExecuted(stack: NaiveStack, id: string): boolean {
  const {pointer} = stack;
  const layer = layerOf(stack, id);
  if (pointer === null || layer === -1) return false;
  const slot = stack.layers[layer]?.ids.indexOf(id) ?? -1;
  if (isBefore({layer, slot}, pointer)) return true;
  return layer === pointer.layer && slot === pointer.slot && statusOf(stack, id) !== 'PENDING';
}

const statusOf = (stack: NaiveStack, id: string) => stack.tasks.find(task => task.id === id)?.status;

const isAtPointer = (stack: NaiveStack, id: string): boolean =>
  stack.pointer !== null &&
  typeof stack.pointer.slot === 'number' &&
  stack.layers[stack.pointer.layer]?.ids[stack.pointer.slot] === id;

const isDone = (stack: NaiveStack, layer: number): boolean =>
  stack.pointer !== null &&
  (layer < stack.pointer.layer || (layer === stack.pointer.layer && stack.pointer.slot === 'post'));

/** The code of the answer, and the stack afterwards. */
export function answer(before: NaiveStack, request: Request): {readonly code: number; readonly stack: NaiveStack} {
  const stack = structuredClone(before);
  const code = perform(stack, request);
  return {code, stack: code < 300 ? stack : before};
}

function perform(stack: NaiveStack, request: Request): number {
  const has = (id: string): boolean => stack.tasks.some(task => task.id === id);
  switch (request.do) {
    case 'create':
      stack.created += 1;
      stack.tasks.push({id: `task_${stack.created}_000000`, status: 'PENDING', text: request.text, progress: -1});
      return 201;
    case 'change': {
      const task = stack.tasks.find(({id}) => id === request.id);
      if (task === undefined) return 404;
      const {status, text, progress} = request;
      if (status === undefined && text === undefined && progress === undefined) return 200;
      if (isExecuted(stack, task.id) && (text !== undefined || !isAtPointer(stack, task.id))) return 400;
      if (final.includes(task.status) && (status !== undefined || text !== undefined)) return 400;
      if (status !== undefined) task.status = status;
      if (text !== undefined) task.text = text;
      if (progress !== undefined) task.progress = progress;
      return 200;
    }
    case 'delete':
      if (!has(request.id) || isExecuted(stack, request.id)) return 404;
      for (const {ids} of stack.layers) if (ids.includes(request.id)) ids.splice(ids.indexOf(request.id), 1);
      stack.tasks.splice(
        stack.tasks.findIndex(({id}) => id === request.id),
        1,
      );
      return 200;
    case 'layer': {
      const at = request.at === 'end' ? stack.layers.length : request.at;
      if (at > stack.layers.length || (stack.pointer !== null && at <= stack.pointer.layer)) return 400;
      const isFree = (id: string) => statusOf(stack, id) === 'PENDING' && layerOf(stack, id) === -1;
      if (!request.ids.every(isFree) || new Set(request.ids).size < request.ids.length) return 400;
      const hooks = {pre: request.pre ? hookOf('pre') : null, post: request.post ? hookOf('post') : null};
      stack.layers.splice(at, 0, {...hooks, ids: [...request.ids]});
      return 201;
    }
    case 'hooks': {
      const layer = stack.layers[request.layer];
      if (layer === undefined || isDone(stack, request.layer)) return 404;
      if (request.pre === 'gone' && stack.pointer?.layer === request.layer && stack.pointer.slot === 'pre') return 400;
      if (request.pre !== 'same') layer.pre = request.pre === 'new' ? hookOf('pre') : null;
      if (request.post !== 'same') layer.post = request.post === 'new' ? hookOf('post') : null;
      return 200;
    }
    case 'add': {
      const layer = stack.layers[request.layer];
      if (layer === undefined || isDone(stack, request.layer)) return 404;
      if (!has(request.id) || layerOf(stack, request.id) !== -1) return 404;
      if (statusOf(stack, request.id) !== 'PENDING') return 400;
      const at = request.at === 'end' ? layer.ids.length : request.at;
      if (at > layer.ids.length || layer.ids.slice(at).some(id => isExecuted(stack, id))) return 400;
      layer.ids.splice(at, 0, request.id);
      return 200;
    }
    case 'remove': {
      const layer = stack.layers[request.layer];
      if (layer === undefined || !layer.ids.includes(request.id) || isExecuted(stack, request.id)) return 404;
      layer.ids.splice(layer.ids.indexOf(request.id), 1);
      return 200;
    }
    case 'replace': {
      const layer = stack.layers[request.layer];
      if (layer === undefined || !layer.ids.includes(request.old) || isExecuted(stack, request.old)) return 404;
      if (!has(request.id) || layerOf(stack, request.id) !== -1) return 404;
      if (statusOf(stack, request.id) !== 'PENDING') return 400;
      layer.ids[layer.ids.indexOf(request.old)] = request.id;
      for (const task of stack.tasks)
        if (task.id === request.old && !final.includes(task.status)) task.status = 'CANCELLED';
      return 200;
    }
    case 'set': {
      if (request.pre && request.post) return 400;
      const slot = request.pre ? 'pre' : request.post ? 'post' : request.index;
      const exists = places(stack).some(place => place.layer === request.layer && place.slot === slot);
      if (!exists) return 400;
      stack.pointer = {layer: request.layer, slot};
      return 200;
    }
    case 'advance': {
      const {pointer} = stack;
      const next = places(stack).find(place => pointer === null || isBefore(pointer, place));
      if (next === undefined) return 400;
      stack.pointer = next;
      return 200;
    }
    default:
      throw new Error('no such request');
  }
}

/** What `GET /api/task-stack/next` names: `layer slot`. */
export function nextPlace(stack: NaiveStack): string {
  const {pointer} = stack;
  const found = places(stack).find(place => {
    if (pointer !== null && isBefore(place, pointer)) return false;
    if (typeof place.slot !== 'number') return true;
    const id = stack.layers[place.layer]?.ids[place.slot] ?? '';
    return !final.includes(statusOf(stack, id) ?? '');
  });
  return found === undefined ? 'none' : `${found.layer} ${found.slot}`;
}

/** `progress` is kept as an object with one number. */
export const progressNumber = (progress: unknown): number =>
  isJsonObject(progress) && typeof progress['n'] === 'number' ? progress['n'] : -1;
