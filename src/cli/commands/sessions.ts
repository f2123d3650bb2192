import {Option, type Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import {jsonFlag, wholeNumber, type JsonOption} from '../flags.ts';

/** The flags of `weft sessions rewind`. */
export interface RewindOptions extends JsonOption {
  /** The number of the prompt to go back to before; the last one where it is not given. */
  readonly to?: number;
  readonly files?: true;
  readonly talk?: true;
  readonly both?: true;
  readonly redo?: true;
  readonly yes?: true;
}

/** Loaded when one of the commands is called. */
const actions = () => import('./sessions/run-sessions.ts');

/** `weft sessions list|show|export|rewind|delete`. */
export function add(sessions: Command): void {
  sessions
    .command('list')
    .description('List sessions, newest first')
    .option(...jsonFlag)
    .action(exiting(async (options: JsonOption) => (await actions()).printSessions(options)));
  sessions
    .command('show')
    .description('Print a session')
    .argument('<session>', 'Session id, or its first characters')
    .option(...jsonFlag)
    .action(exiting(async (id: string, options: JsonOption) => (await actions()).showSession(id, options)));
  sessions
    .command('export')
    .description('Write a session to stdout')
    .argument('<session>', 'Session id, or its first characters')
    .addOption(new Option('--format <format>', 'Output format').choices(['jsonl', 'markdown']).default('jsonl'))
    .action(
      exiting(async (id: string, options: {readonly format: 'jsonl' | 'markdown'}) =>
        (await actions()).exportSession(id, options),
      ),
    );
  sessions
    .command('rewind')
    .description('Undo back to before a prompt: files, conversation or both')
    .argument('<session>', 'Session id, or its first characters')
    .option('--to <n>', 'Go back to before this prompt (default: the last one)', wholeNumber)
    .option('--files', 'Files only')
    .option('--talk', 'Conversation only')
    .option('--both', 'Files and conversation (default)')
    .option('--redo', 'Undo the last rewind')
    .option('--yes', 'Do not ask')
    .option(...jsonFlag)
    .action(exiting(async (id: string, options: RewindOptions) => (await actions()).rewindSavedSession(id, options)));
  sessions
    .command('delete')
    .description('Delete a session')
    .argument('<session>', 'Session id, or its first characters')
    .option(...jsonFlag)
    .action(exiting(async (id: string, options: JsonOption) => (await actions()).runDelete(id, options)));
}
