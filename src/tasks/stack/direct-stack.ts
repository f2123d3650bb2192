import {tryOr} from '../../base/outcome.ts';
import * as z from 'zod/mini';
import type {JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {StackMessageId, StackTaskId} from '../../domain/ids.ts';
import {
  isFinalStatus,
  type StackTask,
  type TaskDescription,
  type TaskStatus,
  type UserMessage,
} from './stack-records.ts';
import type {TaskStack} from './task-stack.ts';

/** An event of a task stack run. Sent to observers unchanged. */
export type StackRunEvent =
  | {readonly type: 'run_started'}
  | {
      readonly type: 'task_started';
      readonly task_id: StackTaskId;
      readonly session_id: string;
      readonly description: string;
      /** Whether the task continues the work of an earlier run. */
      readonly resumed: boolean;
    }
  | {readonly type: 'text'; readonly task_id: StackTaskId; readonly content: string}
  | {readonly type: 'tool_use'; readonly task_id: StackTaskId; readonly title: string}
  /** The sub-agent sent this message to the director and the user. */
  | {
      readonly type: 'message_sent';
      readonly task_id: StackTaskId;
      readonly message_id: StackMessageId;
      readonly content: string;
    }
  /** The sub-agent has read this message from the user. */
  | {readonly type: 'message_read'; readonly task_id: StackTaskId; readonly message_id: StackMessageId}
  | {
      readonly type: 'task_finished';
      readonly task_id: StackTaskId;
      readonly status: TaskStatus;
      /** Why the task failed or stopped. Empty otherwise. */
      readonly reason: string;
    }
  | {readonly type: 'hook_started'; readonly layer_index: number; readonly hook: HookName}
  | {
      readonly type: 'hook_finished';
      readonly layer_index: number;
      readonly hook: HookName;
      readonly state: HookEnd['kind'];
      readonly reason: string;
    }
  | {readonly type: 'run_finished'; readonly outcome: StackRunEnd['kind']; readonly reason: string};

type HookName = 'pre_hook' | 'post_hook';

export type HookEnd =
  | {readonly kind: 'done'}
  | {readonly kind: 'passed-over'; readonly reason: string}
  | {readonly kind: 'failed'; readonly reason: string}
  /** The action would have needed an approval, or a rule forbids it. */
  | {readonly kind: 'refused'; readonly reason: string}
  | {readonly kind: 'interrupted'};

export type StackRunEnd =
  | {readonly kind: 'done'}
  | {readonly kind: 'task-failed'}
  | {readonly kind: 'hook-failed'; readonly reason: string}
  | {readonly kind: 'hook-refused'; readonly reason: string}
  | {readonly kind: 'out-of-bounds'; readonly reason: string}
  | {readonly kind: 'not-begun'; readonly reason: string}
  | {readonly kind: 'stopped'};

/** Does the work of the stack: with sub-agents of weft or with other agents' programs. */
export interface StackWorker {
  /** Begins a task, or continues it if its session exists. An abort of `signal` interrupts it. */
  begin(task: TaskWork, host: TaskHost, signal: AbortSignal): TaskRun;
  /** Runs the work that a hook requests, under the same rules as everything else. Never rejects. */
  runHook(work: Exclude<HookWork, {kind: 'none'}>, signal: AbortSignal): Promise<HookEnd>;
}

export interface TaskWork {
  readonly task: StackTask;
  /** The id of the sub-agent's session, a UUID. */
  readonly session: string;
}

export interface TaskHost {
  readonly text: (content: string) => void;
  /** Reports a tool call. `title` describes it in one line. */
  readonly tool: (title: string) => void;
  /** Sends a message from the sub-agent to the director and the user. */
  readonly say: (content: string) => 'kept' | 'not-kept';
  /** Stores fields that are needed to continue the task later. */
  readonly progress: (fields: JsonObject) => void;
  /** Reports that the sub-agent has this message in its conversation. */
  readonly read: (message: StackMessageId) => void;
}

export interface TaskRun {
  /** Delivers a message from the user to the sub-agent, once. */
  steer(message: UserMessage): void;
  /** Settles when everything that the task started has settled and is stored. Never rejects. */
  readonly finished: Promise<TaskEnd>;
}

export interface DirectorPorts {
  /** Performs a change and returns once it is stored. */
  readonly perform: <T>(work: (stack: TaskStack) => T) => T;
  readonly read: <T>(work: (stack: TaskStack) => T) => T;
  readonly worker: StackWorker;
  /** Calls the listener at intervals, because other processes change the stack, too. The returned function ends it. */
  readonly watch: (listener: () => void) => () => void;
  readonly newSession: () => string;
  readonly observe: (event: StackRunEvent) => void;
}

export interface DirectorOptions {
  /** Whether a failed task ends the run. */
  readonly afterFailure: 'stop' | 'go-on';
  /** `one`: one position of the stack. */
  readonly positions: 'all' | 'one';
}

/** Makes the event that ends a run. The next run may begin when observers get it. */
export const runFinished = (end: StackRunEnd): StackRunEvent => ({
  type: 'run_finished',
  outcome: end.kind,
  reason: 'reason' in end ? end.reason : '',
});

/**
 * Runs the task stack from its pointer, position by position, until nothing is left, something fails, or `signal` aborts. Only one director
 * may run at a time. It resumes what a killed director left in progress. Rejects if the stack can't be stored.
 */
export async function directStack(
  ports: DirectorPorts,
  {afterFailure, positions}: DirectorOptions,
  signal: AbortSignal,
): Promise<StackRunEnd> {
  ports.observe({type: 'run_started'});
  let end: StackRunEnd = {kind: 'done'};
  for (;;) {
    if (signal.aborted) return {kind: 'stopped'};
    const step = ports.perform(stack => takeNext(stack, ports.newSession));
    if (step.kind === 'nothing-left') return end;
    const result = step.kind === 'hook' ? await runHook(step, ports, signal) : await runTask(step, ports, signal);
    if (result.kind === 'task-failed') end = result;
    if (result.kind !== 'done' && (result.kind !== 'task-failed' || afterFailure === 'stop')) return result;
    if (positions === 'one') return end;
  }
}

async function runHook(
  {hook, work}: Extract<DirectorStep, {kind: 'hook'}>,
  ports: DirectorPorts,
  signal: AbortSignal,
): Promise<StackRunEnd> {
  const place = {layer_index: hook.layer, hook: hook.when === 'before' ? 'pre_hook' : 'post_hook'} as const;
  ports.observe({type: 'hook_started', ...place});
  const end: HookEnd =
    work.kind === 'none' ? {kind: 'passed-over', reason: work.why} : await ports.worker.runHook(work, signal);
  if (end.kind === 'done' || end.kind === 'passed-over')
    ports.perform(stack => {
      settleHook(stack, hook);
      if (end.kind === 'passed-over')
        stack.createMessage({
          content: `The ${hookText(hook)} was skipped: ${end.reason}.`,
          sender_type: 'director',
          task_id: null,
        });
    });
  ports.observe({type: 'hook_finished', ...place, state: end.kind, reason: 'reason' in end ? end.reason : ''});
  switch (end.kind) {
    case 'done':
    case 'passed-over':
      return {kind: 'done'};
    case 'failed':
      return {kind: 'hook-failed', reason: `the ${hookText(hook)} failed: ${end.reason}`};
    case 'refused':
      return {kind: 'hook-refused', reason: `the ${hookText(hook)} was refused: ${end.reason}`};
    case 'interrupted':
      return {kind: 'stopped'};
    default:
      return unreachable(end);
  }
}

const hookText = ({layer, when}: HookPosition): string =>
  `${when === 'before' ? 'pre-hook' : 'post-hook'} of layer ${String(layer)}`;

async function runTask(
  {task, session, attempt}: Extract<DirectorStep, {kind: 'task'}>,
  ports: DirectorPorts,
  signal: AbortSignal,
): Promise<StackRunEnd> {
  const {id} = task;
  ports.observe({
    type: 'task_started',
    task_id: id,
    session_id: session,
    description: task.description.overall_description,
    resumed: attempt === 'again',
  });
  const work = new AbortController();
  const stop = (): void => work.abort();
  signal.addEventListener('abort', stop, {once: true});
  const run = ports.worker.begin({task, session}, hostOf(id, ports), work.signal);
  const given = new Set<StackMessageId>();
  const look = (): void => ignoreFailure(lookAtTask);
  const lookAtTask = (): void => {
    const seen = ports.read(stack => ({task: stack.task(id), messages: unreadAbout(stack, id)}));
    // Someone has cancelled the task or put it back.
    if (seen.task.tag === 'failed' || seen.task.value.status !== 'IN_PROGRESS') work.abort();
    for (const message of seen.messages.filter(each => !given.has(each.id))) {
      given.add(message.id);
      run.steer(message);
    }
  };
  const unwatch = ports.watch(look);
  look();
  let end: TaskEnd;
  try {
    end = await run.finished;
  } finally {
    unwatch();
    signal.removeEventListener('abort', stop);
  }
  const status = ports.perform(stack => settleTask(stack, id, end));
  ports.observe({type: 'task_finished', task_id: id, status, reason: 'reason' in end ? end.reason : ''});
  if (end.kind === 'out-of-bounds' || end.kind === 'not-begun') return end;
  if (status === 'FAILED') return {kind: 'task-failed'};
  // A task that was put back starts over. Without this check, a task that stopped by itself would stop the run forever.
  return isFinalStatus(status) || (work.signal.aborted && !signal.aborted) ? {kind: 'done'} : {kind: 'stopped'};
}

/** UTF-16 units of a sub-agent's text that are stored as progress. */
const maxProgress = 2000;

/** Returns the host of a task, which stores and publishes what its sub-agent does. */
function hostOf(id: StackTaskId, {perform, observe}: DirectorPorts): TaskHost {
  return {
    text(content) {
      ignoreFailure(() => perform(stack => saveProgress(stack, id, {text: content.slice(0, maxProgress)})));
      observe({type: 'text', task_id: id, content});
    },
    say(content) {
      try {
        const sent = perform(stack => stack.createMessage({content, sender_type: 'subagent', task_id: id}));
        if (sent.tag === 'failed') return 'not-kept';
        observe({type: 'message_sent', task_id: id, message_id: sent.value.id, content});
        return 'kept';
      } catch {
        return 'not-kept';
      }
    },
    progress: fields => ignoreFailure(() => perform(stack => saveProgress(stack, id, fields))),
    tool: title => observe({type: 'tool_use', task_id: id, title}),
    read(message) {
      ignoreFailure(() => perform(stack => stack.setReadStatus(message, {director_read_status: 'READ'})));
      observe({type: 'message_read', task_id: id, message_id: message});
    },
  };
}

/** Ignores failures to store intermediate state. The end of the task is stored, or the run fails. */
const ignoreFailure = (work: () => unknown): void => void tryOr(work, undefined);

/**
 * A decision of the director, made as a change of the task stack. Each is one transaction: a killed director leaves a
 * task that has not begun, is in progress or has ended, and nothing in between.
 */
type DirectorStep =
  | {readonly kind: 'nothing-left'}
  | {readonly kind: 'hook'; readonly hook: HookPosition; readonly work: HookWork}
  /** `session` identifies the sub-agent's conversation. It is the same for every attempt at a task. */
  | {readonly kind: 'task'; readonly task: StackTask; readonly session: string; readonly attempt: 'first' | 'again'};

interface HookPosition {
  readonly layer: number;
  readonly when: 'before' | 'after';
}

export type HookWork =
  | {readonly kind: 'command'; readonly command: string}
  | {readonly kind: 'prompt'; readonly prompt: string}
  /** An agent works until the condition holds. `prompt` tells it more, and may be empty. */
  | {readonly kind: 'goal'; readonly goal: string; readonly prompt: string}
  /** The hook has no work that weft can run. `why` is a clause. */
  | {readonly kind: 'none'; readonly why: string};

/** How the work on a task ended. `said` is the last text of the sub-agent, often empty. */
export type TaskEnd =
  | {readonly kind: 'completed'; readonly said: string; readonly results: JsonObject}
  | {readonly kind: 'failed'; readonly reason: string; readonly said: string; readonly results: JsonObject}
  /** The task was stopped and can be continued. */
  | {readonly kind: 'interrupted'}
  /** A limit of the whole run was reached. The task can be continued. */
  | {readonly kind: 'out-of-bounds'; readonly reason: string}
  /** The task could not begin. It can be tried again. */
  | {readonly kind: 'not-begun'; readonly reason: string};

const commandHook = z.object({type: z.literal('command'), command: z.string().check(z.minLength(1))});
const promptHook = z.object({type: z.literal('prompt'), prompt: z.string().check(z.minLength(1))});
const goalHook = z.object({
  type: z.literal('goal'),
  goal: z.string().check(z.minLength(1)),
  prompt: z.prefault(z.string(), ''),
});

function hookWork(hook: JsonObject): HookWork {
  const command = z.safeParse(commandHook, hook);
  if (command.success) return {kind: 'command', command: command.data.command};
  const prompt = z.safeParse(promptHook, hook);
  if (prompt.success) return {kind: 'prompt', prompt: prompt.data.prompt};
  const goal = z.safeParse(goalHook, hook);
  if (goal.success) return {kind: 'goal', goal: goal.data.goal, prompt: goal.data.prompt};
  const {type} = hook;
  if (type === 'command' || type === 'prompt' || type === 'goal') return {kind: 'none', why: `its ${type} is missing`};
  return {kind: 'none', why: `weft does not run hooks of type ${JSON.stringify(type ?? null)}`};
}

/** Moves the pointer to the next position and marks a task there as begun. `newSession` makes the id of a conversation. */
function takeNext(stack: TaskStack, newSession: () => string): DirectorStep {
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

/** Stores the progress of a task, for observers and for a later run that resumes it. */
function saveProgress(stack: TaskStack, id: StackTaskId, progress: JsonObject): void {
  const task = stack.task(id);
  if (task.tag === 'ok') stack.changeTask(id, {progress: {...task.value.progress, ...progress}});
}

/**
 * Stores the result of a task and its sub-agent's last text as a message, then advances the pointer. Returns the status in the stack, which
 * stays unchanged if someone else has ended the task.
 */
function settleTask(stack: TaskStack, id: StackTaskId, end: TaskEnd): TaskStatus {
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

/** Records that the hook at the pointer has run or was skipped. */
function settleHook(stack: TaskStack, {layer, when}: HookPosition): void {
  const pointer = stack.pointer();
  if (pointer === 'none' || pointer.current_layer_index !== layer) return;
  if (!(when === 'before' ? pointer.is_executing_pre_hook : pointer.is_executing_post_hook)) return;
  if (stack.advancePointer().tag === 'failed') stack.finishHook();
}

/** Returns the user's messages about a task that the director has not read. */
const unreadAbout = (stack: TaskStack, id: StackTaskId): readonly UserMessage[] =>
  stack.unreadMessages({sender: 'user', director: true, user: false}).filter(({task_id}) => task_id === id);

/** Returns the prompt for the sub-agent of a task. */
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

export const resumePrompt =
  'The work on this task was interrupted. Continue it from its current state, and report the result at the end.';

function isAtPointer(stack: TaskStack, id: StackTaskId): boolean {
  const pointer = stack.pointer();
  if (pointer === 'none' || pointer.is_executing_pre_hook || pointer.is_executing_post_hook) return false;
  const layer = stack.layer(pointer.current_layer_index);
  return layer.tag === 'ok' && layer.value.tasks[pointer.current_task_index]?.task_id === id;
}
