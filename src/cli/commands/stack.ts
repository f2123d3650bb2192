import {InvalidArgumentError, Option, type Command} from 'commander';
import {taskStatuses, type TaskStatus} from '../../tasks/stack/stack-records.ts';
import {exiting} from '../../app/exit-code.ts';
import {type MainOptions} from '../../app/main-options.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';

/** Loaded when one of the commands is called. */
const actions = () => import('./stack/run-stack.ts');

export interface CreateOptions extends JsonOption {
  readonly layer?: number;
  readonly newLayer?: true;
}

export interface MessageOptions extends JsonOption {
  readonly task?: string;
}

/** Flags of weft itself that a run of the stack takes, too: who answers, what may run, where, and how much. */
const runFlags: ReadonlySet<string | undefined> = new Set([
  '--model',
  '--fallback-model',
  '--provider',
  '--base-url',
  '--permission-mode',
  '--sandbox',
  '--allowed-tools',
  '--disallowed-tools',
  '--allowedTools',
  '--disallowedTools',
  '--max-turns',
  '--max-cost',
  '--timeout',
  '--cwd',
  '--add-dir',
  '--settings',
  '--mcp-config',
]);

export interface StackRunOptions extends Omit<MainOptions, 'sessionPersistence' | 'color'>, JsonOption {
  readonly keepGoing?: true;
  readonly once?: true;
  readonly harness?: string;
}

/** `weft stack run|list|next|create|add|status|advance|message|messages`: the task stack that `weft serve` serves, too. */
export function add(stack: Command, program: Command): void {
  const run = stack
    .command('run')
    .description('Run the tasks in order, from where the stack stands')
    .option('--harness <name>', 'Let another agent do the tasks: claude, codex, gemini, opencode, pi')
    .option('--keep-going', 'Go on after a task that failed')
    .option('--once', 'Run one position only: a task or a hook')
    .option('--json', 'Print what happens as JSON lines')
    .action(exiting(async (options: StackRunOptions) => (await import('./stack/run-director.ts')).runStack(options)));
  for (const option of program.options) if (runFlags.has(option.long)) run.addOption(option);
  stack
    .command('list')
    .description('Show the layers with their tasks, and the pointer')
    .option(...jsonFlag)
    .action(exiting(async (options: JsonOption) => (await actions()).listStack(options)));
  stack
    .command('next')
    .description('Show what is to be done next')
    .option(...jsonFlag)
    .action(exiting(async (options: JsonOption) => (await actions()).showNext(options)));
  stack
    .command('create')
    .description('Create a task')
    .argument('<description...>', 'What is to be done')
    .addOption(new Option('--layer <n>', 'Put it into this layer').argParser(layerIndex).conflicts('newLayer'))
    .option('--new-layer', 'Put it into a new layer at the end')
    .option(...jsonFlag)
    .action(
      exiting(async (words: readonly string[], options: CreateOptions) => (await actions()).createTask(words, options)),
    );
  stack
    .command('add')
    .description('Put a task that lies in no layer into one')
    .argument('<task>', 'Id of the task')
    .argument('<layer>', 'Index of the layer', layerIndex)
    .action(exiting(async (task: string, layer: number) => (await actions()).addTask(task, layer)));
  stack
    .command('status')
    .description('Change the status of a task')
    .argument('<task>', 'Id of the task')
    .argument('<status>', taskStatuses.join(', '), taskStatus)
    .action(exiting(async (task: string, status: TaskStatus) => (await actions()).changeStatus(task, status)));
  stack
    .command('advance')
    .description('Advance the execution pointer to the next position')
    .option(...jsonFlag)
    .action(exiting(async (options: JsonOption) => (await actions()).advance(options)));
  stack
    .command('message')
    .description('Leave a message')
    .argument('<text...>', 'What it says')
    .option('--task <id>', 'Task that it is about')
    .option(...jsonFlag)
    .action(
      exiting(async (words: readonly string[], options: MessageOptions) =>
        (await actions()).leaveMessage(words, options),
      ),
    );
  stack
    .command('messages')
    .description('Show all messages')
    .option(...jsonFlag)
    .action(exiting(async (options: JsonOption) => (await actions()).listMessages(options)));
}

function layerIndex(text: string): number {
  if (!/^\d{1,9}$/u.test(text)) throw new InvalidArgumentError('It must be the index of a layer; the first has 0.');
  return Number(text);
}

function taskStatus(text: string): TaskStatus {
  const status = taskStatuses.find(name => name === text.toUpperCase());
  if (status === undefined) throw new InvalidArgumentError(`Allowed choices are ${taskStatuses.join(', ')}.`);
  return status;
}
