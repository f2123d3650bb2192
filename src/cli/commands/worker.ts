import {InvalidArgumentError, Option, type Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';

export interface WorkerOptions {
  readonly store?: string;
  readonly concurrency: number;
}

/** `weft worker`. */
export function add(command: Command): void {
  command
    .option('--store <where>', 'The store: postgres://… (default: WEFT_STORE)')
    .addOption(new Option('--concurrency <n>', 'Runs at a time').argParser(count).default(2))
    .action(exiting(async (options: WorkerOptions) => (await import('./worker/run-worker.ts')).runWorker(options)));
}

function count(text: string): number {
  if (!/^[1-9]\d{0,2}$/u.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 999.');
  return Number(text);
}
