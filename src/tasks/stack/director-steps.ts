import * as z from 'zod/mini';
import type {JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {StackTaskId} from '../../domain/ids.ts';
import {
  isFinalStatus,
  type StackTask,
  type TaskDescription,
  type TaskStatus,
  type UserMessage,
} from './stack-records.ts';
import type {TaskStack} from './task-stack.ts';

/**
 * What the director of the task stack decides, as changes of the stack: each is one transaction, so that one which is killed leaves a task
 * that has not begun, that is under way, or that has ended, and nothing between.
 */
export type DirectorStep =
  | {readonly kind: 'nothing-left'}
  | {readonly kind: 'hook'; readonly hook: HookPlace; readonly work: HookWork}
  /** `session` is where its sub-agent's conversation is kept: the same for every attempt at a task. */
  | {readonly kind: 'task'; readonly task: StackTask; readonly session: string; readonly attempt: 'first' | 'again'};

export interface HookPlace {
  readonly layer: number;
  readonly when: 'before' | 'after';
}

export type HookWork =
  | {readonly kind: 'command'; readonly command: string}
  | {readonly kind: 'prompt'; readonly prompt: string}
  /** Nothing that weft can run; `why` is a clause. */
  | {readonly kind: 'none'; readonly why: string};

/** How the work on a task ended. `said` is the last that its sub-agent said, often empty. */
export type TaskEnd =
  | {readonly kind: 'completed'; readonly said: string; readonly results: JsonObject}
  | {readonly kind: 'failed'; readonly reason: string; readonly said: string; readonly results: JsonObject}
  /** It was stopped, and can be gone on with. */
  | {readonly kind: 'interrupted'}
  /** A bound of the whole run was reached; it can be gone on with. */
  | {readonly kind: 'out-of-bounds'; readonly reason: string}
  /** Nobody could begin it; it can be gone on with. */
  | {readonly kind: 'not-begun'; readonly reason: string};

const commandHook = z.object({type: z.literal('command'), command: z.string().check(z.minLength(1))});
const promptHook = z.object({type: z.literal('prompt'), prompt: z.string().check(z.minLength(1))});

/** What a hook asks for. */
function hookWork(hook: JsonObject): HookWork {
  const command = z.safeParse(commandHook, hook);
  if (command.success) return {kind: 'command', command: command.data.command};
  const prompt = z.safeParse(promptHook, hook);
  if (prompt.success) return {kind: 'prompt', prompt: prompt.data.prompt};
  const {type} = hook;
  if (type === 'command' || type === 'prompt') return {kind: 'none', why: `its ${type} is missing`};
  return {kind: 'none', why: `hooks of the type ${JSON.stringify(type ?? null)} are not run`};
}

/** Goes to what is to be done next, and marks a task as begun. `newSession` makes the id of a conversation. */
export function takeNext(stack: TaskStack, newSession: () => string): DirectorStep {
  const next = stack.next();
  if (next === 'none') return {kind: 'nothing-left'};
  const {layer_index, task_index, task, layer, is_pre_hook, is_post_hook} = next;
  stack.setPointer({
    layer_index,
    task_index,
    is_executing_pre_hook: is_pre_hook,
    is_executing_post_hook: is_post_hook,
  });
  const hook = is_pre_hook ? layer.pre_hook : is_post_hook ? layer.post_hook : null;
  if (hook !== null) {
    const place = {layer: layer_index, when: is_pre_hook ? 'before' : 'after'} as const;
    return {kind: 'hook', hook: place, work: hookWork(hook)};
  }
  if (task === null) return {kind: 'nothing-left'};
  const kept = task.progress['session_id'];
  const session = typeof kept === 'string' && kept !== '' ? kept : newSession();
  const begun = stack.changeTask(task.id, {
    status: 'IN_PROGRESS',
    progress: {...task.progress, session_id: session},
  });
  return {
    kind: 'task',
    task: begun.tag === 'ok' ? begun.value : task,
    session,
    attempt: task.status === 'IN_PROGRESS' ? 'again' : 'first',
  };
}

/** Keeps how far a task is, for those who look at it while it runs, and for who takes it up again. */
export function noteProgress(stack: TaskStack, id: StackTaskId, progress: JsonObject): void {
  const task = stack.task(id);
  if (task.tag === 'ok') stack.changeTask(id, {progress: {...task.value.progress, ...progress}});
}

/**
 * Keeps how a task ended, what its sub-agent said as a message, and goes on to the next position. The status is that of the stack
 * afterwards: a task that somebody else has brought to an end stays as it is.
 */
export function settleTask(stack: TaskStack, id: StackTaskId, end: TaskEnd): TaskStatus {
  switch (end.kind) {
    case 'completed':
    case 'failed': {
      const status = end.kind === 'completed' ? 'COMPLETED' : 'FAILED';
      const results = end.kind === 'completed' ? end.results : {...end.results, error: end.reason};
      const changed = stack.changeTask(id, {status, results});
      if (changed.tag === 'ok' && end.said.trim() !== '')
        stack.createMessage({content: end.said, sender_type: 'subagent', task_id: id});
      break;
    }
    case 'interrupted':
    case 'out-of-bounds':
    case 'not-begun':
      break;
    default:
      unreachable(end);
  }
  const task = stack.task(id);
  const status = task.tag === 'ok' ? task.value.status : 'CANCELLED';
  // At the end of the stack there is nothing to advance to.
  if (isFinalStatus(status) && isAtPointer(stack, id)) stack.advancePointer();
  return status;
}

/** The hook at the pointer has run, or was passed over. */
export function settleHook(stack: TaskStack, {layer, when}: HookPlace): void {
  const pointer = stack.pointer();
  if (pointer === 'none' || pointer.current_layer_index !== layer) return;
  if (!(when === 'before' ? pointer.is_executing_pre_hook : pointer.is_executing_post_hook)) return;
  if (stack.advancePointer().tag === 'failed') stack.finishHook();
}

/** What the user has said about a task and the director has not read. */
export const unreadAbout = (stack: TaskStack, id: StackTaskId): readonly UserMessage[] =>
  stack.unreadMessages({sender: 'user', director: true, user: false}).filter(({task_id}) => task_id === id);

/** A task as its sub-agent is told of it. */
export function taskPrompt({overall_description, input, requirements, additional_notes}: TaskDescription): string {
  return [
    overall_description,
    ...(Object.keys(input).length === 0 ? [] : [`Input:\n${JSON.stringify(input, undefined, 2)}`]),
    ...(requirements.length === 0
      ? []
      : [
          `Requirements:\n${requirements.map(each => `- ${typeof each === 'string' ? each : JSON.stringify(each)}`).join('\n')}`,
        ]),
    ...(additional_notes === '' ? [] : [`Notes:\n${additional_notes}`]),
  ].join('\n\n');
}

/** What a sub-agent is told that was interrupted. */
export const goOnPrompt =
  'The work on this task was interrupted. Go on with it where it stands, and say at the end what came of it.';

function isAtPointer(stack: TaskStack, id: StackTaskId): boolean {
  const pointer = stack.pointer();
  if (pointer === 'none' || pointer.is_executing_pre_hook || pointer.is_executing_post_hook) return false;
  const layer = stack.layer(pointer.current_layer_index);
  return layer.tag === 'ok' && layer.value.tasks[pointer.current_task_index]?.task_id === id;
}
