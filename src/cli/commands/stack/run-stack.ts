import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import {visibleLine} from '../../../base/visible.ts';
import {stackTaskId} from '../../../domain/ids.ts';
import type {
  ExecutionPointer,
  NextTask,
  StackRefusal,
  StackTask,
  TaskLayer,
  TaskStatus,
} from '../../../tasks/stack/stack-records.ts';
import type {TaskStack} from '../../../tasks/stack/task-stack.ts';
import {userPlaces} from '../../../app/user-data.ts';
import {openUserStack} from '../../../app/user-jobs.ts';
import {exitCode, type ExitCode} from '../../../app/exit-code.ts';
import type {JsonOption} from '../../flags.ts';
import {note, print, printJson} from '../../../app/output.ts';
import type {CreateOptions, MessageOptions} from '../stack.ts';

/** `weft stack list`: each layer with its tasks, and a mark at the pointer. */
export function listStack({json}: JsonOption): Promise<ExitCode> {
  return withStack(stack => {
    const layers = stack.layers();
    const tasks = stack.tasks();
    const pointer = stack.pointer();
    if (json !== undefined) return shown({pointer: pointer === 'none' ? null : pointer, layers, tasks});
    const placed = new Set(layers.flatMap(layer => layer.tasks.map(({task_id}) => task_id)));
    const loose = tasks.filter(({id}) => !placed.has(id));
    if (tasks.length === 0 && layers.length === 0) note('no tasks. Create one: weft stack create "…" --new-layer');
    for (const layer of layers) print(layerText(layer, {pointer, stack}));
    if (loose.length > 0) print(`In no layer:\n${loose.map(task => `    ${taskText(task)}\n`).join('')}`);
    return ok(exitCode.done);
  });
}

/** `weft stack next`. */
export function showNext({json}: JsonOption): Promise<ExitCode> {
  return withStack(stack => {
    const next = stack.next();
    if (json !== undefined) return shown(next === 'none' ? {message: 'No tasks in stack'} : next);
    if (next === 'none') note('nothing is left to do');
    else print(`${nextText(next)}\n`);
    return ok(exitCode.done);
  });
}

/** `weft stack create`: the task and, where one is named, its place in a layer. */
export function createTask(words: readonly string[], {layer, newLayer, json}: CreateOptions): Promise<ExitCode> {
  return withStack(stack => {
    const overall_description = words.join(' ').trim();
    if (overall_description === '') return failed({kind: 'invalid', message: 'The description is empty'});
    const task = stack.createTask({
      description: {overall_description, input: {}, requirements: [], additional_notes: ''},
    });
    const created = newLayer === undefined ? ok(undefined) : stack.createLayer({});
    if (created.tag === 'failed') return created;
    const index = created.value?.layer_index ?? layer;
    const placed = index === undefined ? ok(undefined) : stack.addTask(index, {task_id: task.id});
    if (placed.tag === 'failed') return placed;
    if (json !== undefined) return shown(task);
    print(`${task.id}\n`);
    return ok(exitCode.done);
  });
}

/** `weft stack add`. */
export function addTask(task: string, layer: number): Promise<ExitCode> {
  return withStack(stack => done(stack.addTask(layer, {task_id: task})));
}

/** `weft stack status`. */
export function changeStatus(task: string, status: TaskStatus): Promise<ExitCode> {
  return withStack(stack => done(stack.changeTask(stackTaskId(task), {status})));
}

/** `weft stack advance`. */
export function advance({json}: JsonOption): Promise<ExitCode> {
  return withStack(stack => {
    const pointer = stack.advancePointer();
    if (pointer.tag === 'failed') return pointer;
    if (json !== undefined) return shown(pointer.value);
    print(`${pointerText(pointer.value)}\n`);
    return ok(exitCode.done);
  });
}

/** `weft stack message`. */
export function leaveMessage(words: readonly string[], {task, json}: MessageOptions): Promise<ExitCode> {
  return withStack(stack => {
    const content = words.join(' ').trim();
    if (content === '') return failed({kind: 'invalid', message: 'The message is empty'});
    const message = stack.createMessage({content, sender_type: 'user', task_id: task ?? null});
    if (message.tag === 'failed') return message;
    if (json !== undefined) return shown(message.value);
    print(`${message.value.id}\n`);
    return ok(exitCode.done);
  });
}

/** `weft stack messages`. */
export function listMessages({json}: JsonOption): Promise<ExitCode> {
  return withStack(stack => {
    const messages = stack.messages();
    if (json !== undefined) return shown(messages);
    if (messages.length === 0) note('no messages');
    for (const {sender_type, task_id, content} of messages)
      print(`${sender_type}${task_id === null ? '' : ` on ${task_id}`}: ${visibleLine(content)}\n`);
    return ok(exitCode.done);
  });
}

type Work = (stack: TaskStack) => Outcome<ExitCode, StackRefusal>;

/** Does all of `work` or, where that is refused, nothing of it, and says why. */
async function withStack(work: Work): Promise<ExitCode> {
  const store = await openUserStack(userPlaces());
  try {
    const outcome = store.perform(stack => stack.attempt(() => work(stack)));
    if (outcome.tag === 'ok') return outcome.value;
    note(`${outcome.error.message}.`);
    return exitCode.failed;
  } finally {
    store.close();
  }
}

const done = (outcome: Outcome<unknown, StackRefusal>): Outcome<ExitCode, StackRefusal> =>
  outcome.tag === 'ok' ? ok(exitCode.done) : outcome;

function shown(value: object): Outcome<ExitCode, StackRefusal> {
  printJson(`${JSON.stringify(value, undefined, 2)}\n`);
  return ok(exitCode.done);
}

const line = (isHere: boolean, text: string): string => `${isHere ? '  → ' : '    '}${text}\n`;

function layerText(
  layer: TaskLayer,
  {pointer, stack}: {readonly pointer: ExecutionPointer | 'none'; readonly stack: TaskStack},
): string {
  const at = pointer !== 'none' && pointer.current_layer_index === layer.layer_index ? pointer : 'elsewhere';
  const onHook = at !== 'elsewhere' && (at.is_executing_pre_hook || at.is_executing_post_hook);
  return [
    `Layer ${String(layer.layer_index)}\n`,
    ...(layer.pre_hook === null
      ? []
      : [
          line(
            at !== 'elsewhere' && at.is_executing_pre_hook,
            `before: ${visibleLine(JSON.stringify(layer.pre_hook))}`,
          ),
        ]),
    ...layer.tasks.flatMap(({task_id}, index) => {
      const task = stack.task(task_id);
      const isHere = at !== 'elsewhere' && !onHook && at.current_task_index === index;
      return task.tag === 'ok' ? [line(isHere, taskText(task.value))] : [];
    }),
    ...(layer.post_hook === null
      ? []
      : [
          line(
            at !== 'elsewhere' && at.is_executing_post_hook,
            `after: ${visibleLine(JSON.stringify(layer.post_hook))}`,
          ),
        ]),
  ].join('');
}

const taskText = ({id, status, description}: StackTask): string =>
  `${id}  ${status.toLowerCase().replace('_', ' ')}  ${visibleLine(description.overall_description)}`;

function nextText({is_pre_hook, is_post_hook, layer, task}: NextTask): string {
  const index = String(layer.layer_index);
  if (is_pre_hook) return `before layer ${index}: ${visibleLine(JSON.stringify(layer.pre_hook))}`;
  if (is_post_hook) return `after layer ${index}: ${visibleLine(JSON.stringify(layer.post_hook))}`;
  return `layer ${index}: ${task === null ? '' : taskText(task)}`;
}

function pointerText(pointer: ExecutionPointer): string {
  const layer = `layer ${String(pointer.current_layer_index)}`;
  if (pointer.is_executing_pre_hook) return `${layer}, pre-hook`;
  return pointer.is_executing_post_hook
    ? `${layer}, post-hook`
    : `${layer}, task ${String(pointer.current_task_index)}`;
}
