import {InvalidArgumentError, Option, type Command} from 'commander';
import {
  taskStatuses,
  type TaskStatus,
  type ExecutionPointer,
  type NextTask,
  type StackRefusal,
  type StackTask,
  type TaskLayer,
  type UserMessage,
} from '../../tasks/stack/stack-records.ts';
import {exiting, exitCode, type ExitCode} from '../../app/exit-code.ts';
import {commandFlags} from '../../app/main-options.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {visibleLine} from '../../base/visible.ts';
import {knownHarnesses} from '../../domain/harness.ts';
import {stackTaskId} from '../../domain/ids.ts';
import type {TaskStack} from '../../tasks/stack/task-stack.ts';
import {withUserStores} from '../../app/user-jobs.ts';
import {note, print} from '../../app/output.ts';
import {printDocument, printRows} from '../rows.ts';
import type {StackRunOptions} from './stack/director.ts';

interface CreateOptions extends JsonOption {
  readonly layer?: number;
  readonly newLayer?: true;
}

interface MessageOptions extends JsonOption {
  readonly task?: string;
}

/** `weft stack run|list|next|create|add|status|advance|message|messages`: the same task stack as in `weft serve`. */
export function add(stack: Command, program: Command): void {
  const run = stack
    .command('run')
    .description('Run the tasks in order, starting at the pointer')
    .option('--harness <name>', `Run the tasks with another agent: ${knownHarnesses.join(', ')}`)
    .option('--keep-going', 'Continue after a failed task')
    .option('--once', 'Run only one position: a task or a hook')
    .option('--json', 'Print events as JSON lines')
    .action(exiting(async (options: StackRunOptions) => (await import('./stack/director.ts')).runStack(options)));
  for (const option of program.options) if (commandFlags['stack run'].has(option.long)) run.addOption(option);
  stack
    .command('list')
    .description('Show the layers with their tasks, and the pointer')
    .option(...jsonFlag)
    .action(exiting(listStack));
  stack
    .command('next')
    .description('Show the next task')
    .option(...jsonFlag)
    .action(exiting(showNext));
  stack
    .command('create')
    .description('Create a task')
    .argument('<description...>', 'Description of the task')
    .addOption(new Option('--layer <n>', 'Add it to this layer').argParser(layerIndex).conflicts('newLayer'))
    .option('--new-layer', 'Add it to a new layer at the end')
    .option(...jsonFlag)
    .action(exiting(createTask));
  stack
    .command('add')
    .description('Add a task that is in no layer to a layer')
    .argument('<task>', 'ID of the task')
    .argument('<layer>', 'Index of the layer', layerIndex)
    .action(exiting(addTask));
  stack
    .command('status')
    .description('Change the status of a task')
    .argument('<task>', 'ID of the task')
    .argument('<status>', taskStatuses.join(', '), taskStatus)
    .action(exiting(changeStatus));
  stack
    .command('advance')
    .description('Advance the execution pointer to the next position')
    .option(...jsonFlag)
    .action(exiting(advance));
  stack
    .command('message')
    .description('Leave a message')
    .argument('<text...>', 'Text of the message')
    .option('--task <id>', 'Task that the message is about')
    .option(...jsonFlag)
    .action(exiting(leaveMessage));
  stack
    .command('messages')
    .description('Show all messages')
    .option(...jsonFlag)
    .action(exiting(listMessages));
}

function layerIndex(text: string): number {
  if (!/^\d{1,9}$/u.test(text)) throw new InvalidArgumentError('It must be the index of a layer, starting at 0.');
  return Number(text);
}

function taskStatus(text: string): TaskStatus {
  const status = taskStatuses.find(name => name === text.toUpperCase());
  if (status === undefined) throw new InvalidArgumentError(`Allowed choices are ${taskStatuses.join(', ')}.`);
  return status;
}

/** `weft stack list`: prints each layer with its tasks, and marks the pointer. */
function listStack({json}: JsonOption): Promise<ExitCode> {
  return withStack(stack => {
    const layers = stack.layers();
    const tasks = stack.tasks();
    const pointer = stack.pointer();
    if (json !== undefined) return ok(printDocument({pointer: pointer === 'none' ? null : pointer, layers, tasks}));
    const placed = new Set(layers.flatMap(layer => layer.tasks.map(({task_id}) => task_id)));
    const loose = tasks.filter(({id}) => !placed.has(id));
    if (tasks.length === 0 && layers.length === 0) note('no tasks. Create one: weft stack create "…" --new-layer');
    for (const layer of layers) print(layerText(layer, {pointer, stack}));
    if (loose.length > 0) print(`In no layer:\n${loose.map(task => `    ${taskText(task)}\n`).join('')}`);
    return ok(exitCode.done);
  });
}

/** `weft stack next`. */
function showNext({json}: JsonOption): Promise<ExitCode> {
  return withStack(stack => {
    const next = stack.next();
    if (json !== undefined) return ok(printDocument(next === 'none' ? {message: 'No tasks in stack'} : next));
    if (next === 'none') note('nothing left to do');
    else print(`${nextText(next)}\n`);
    return ok(exitCode.done);
  });
}

/** `weft stack create`: creates a task and, if a layer is given, adds it to the layer. */
function createTask(words: readonly string[], {layer, newLayer, json}: CreateOptions): Promise<ExitCode> {
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
    if (json !== undefined) return ok(printDocument(task));
    print(`${task.id}\n`);
    return ok(exitCode.done);
  });
}

/** `weft stack add`. */
function addTask(task: string, layer: number): Promise<ExitCode> {
  return withStack(stack => done(stack.addTask(layer, {task_id: task})));
}

/** `weft stack status`. */
function changeStatus(task: string, status: TaskStatus): Promise<ExitCode> {
  return withStack(stack => done(stack.changeTask(stackTaskId(task), {status})));
}

/** `weft stack advance`. */
function advance({json}: JsonOption): Promise<ExitCode> {
  return withStack(stack => {
    const pointer = stack.advancePointer();
    if (pointer.tag === 'failed') return pointer;
    if (json !== undefined) return ok(printDocument(pointer.value));
    print(`${pointerText(pointer.value)}\n`);
    return ok(exitCode.done);
  });
}

/** `weft stack message`. */
function leaveMessage(words: readonly string[], {task, json}: MessageOptions): Promise<ExitCode> {
  return withStack(stack => {
    const content = words.join(' ').trim();
    if (content === '') return failed({kind: 'invalid', message: 'The message is empty'});
    const message = stack.createMessage({content, sender_type: 'user', task_id: task ?? null});
    if (message.tag === 'failed') return message;
    if (json !== undefined) return ok(printDocument(message.value));
    print(`${message.value.id}\n`);
    return ok(exitCode.done);
  });
}

/** `weft stack messages`. */
function listMessages({json}: JsonOption): Promise<ExitCode> {
  return withStack(stack => {
    return ok(printRows({rows: stack.messages(), json, line: messageText, none: 'no messages'}));
  });
}

const messageText = ({sender_type, task_id, content}: UserMessage): string =>
  `${sender_type}${task_id === null ? '' : ` on ${task_id}`}: ${visibleLine(content)}`;

type Work = (stack: TaskStack) => Outcome<ExitCode, StackRefusal>;

/** Does all of `work`. If that is refused, does nothing and prints the reason. */
async function withStack(work: Work): Promise<ExitCode> {
  const outcome = await withUserStores(({stack}) => stack.perform(each => each.attempt(() => work(each))));
  if (outcome.tag === 'ok') return outcome.value;
  note(`${outcome.error.message}.`);
  return exitCode.failed;
}

const done = (outcome: Outcome<unknown, StackRefusal>): Outcome<ExitCode, StackRefusal> =>
  outcome.tag === 'ok' ? ok(exitCode.done) : outcome;

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
