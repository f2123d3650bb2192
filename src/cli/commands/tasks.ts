import {Option, type Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import type {JsonOption} from '../flags.ts';

const inputs = ['auto', 'base64', 'json', 'sse'] as const;
const outputs = ['base64', 'json', 'sse'] as const;
const transformTargets = ['openai', 'anthropic'] as const;

export type TaskInput = (typeof inputs)[number];
export type TaskOutput = (typeof outputs)[number];
export type TransformTarget = (typeof transformTargets)[number];

/** Loaded when one of the commands is called. */
const actions = () => import('./tasks/run-tasks.ts');

/** `weft tasks decode|watch|encode|transform`. */
export function add(tasks: Command): void {
  const file = ['[file]', 'File to read; stdin without one or with "-"'] as const;
  type File = string | undefined;
  tasks
    .command('decode')
    .description('Print each payload or event as one line of JSON')
    .argument(...file)
    .addOption(new Option('--input <form>', 'Input format').choices(inputs).default('auto'))
    .action(
      exiting(async (path: File, options: {readonly input: TaskInput}) => (await actions()).decodeTasks(path, options)),
    );
  tasks
    .command('watch')
    .description('Show the todo list live')
    .argument(...file)
    .option('--json', 'Print the list as one line of JSON after each change (default in a pipe)')
    .action(exiting(async (path: File, options: JsonOption) => (await actions()).watchTasks(path, options)));
  tasks
    .command('encode')
    .description('Turn todo lists ({"todos":[...]} lines) into task-protocol events')
    .argument(...file)
    .addOption(new Option('--output <form>', 'Output format').choices(outputs).default('base64'))
    .action(
      exiting(async (path: File, options: {readonly output: TaskOutput}) =>
        (await actions()).encodeTasks(path, options),
      ),
    );
  tasks
    .command('transform')
    .description('Convert an event stream to the stream of another API (SSE)')
    .addOption(new Option('--to <api>', 'Target API').choices(transformTargets).makeOptionMandatory())
    .argument(...file)
    .action(
      exiting(async (path: File, options: {readonly to: TransformTarget}) =>
        (await actions()).transformTasks(path, options),
      ),
    );
}
