import {Argument, type Command, Option} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import {addSubcommands, jsonFlag, type JsonOption} from '../flags.ts';
import {movedAgents, type MoveOptions, moveIn} from './import/overview.ts';
import type {SessionAgent} from './import/session.ts';

/** `weft import` and `weft import session`. */
export function add(command: Command): void {
  command
    .enablePositionalOptions()
    .addOption(new Option('--from <agent>', 'Only the files of this agent').choices(movedAgents))
    .option('-y, --yes', 'Import without the question')
    .option('--dry-run', 'Only show what would be imported')
    .option('--replace', 'Replace your own values and files of the same name')
    .option(jsonFlag[0], 'Only show the files, as JSON')
    .action(exiting(async (options: MoveOptions) => moveIn(options)));
  addSubcommands(command, [
    [
      'session',
      'Copy a session of another agent, to continue it in weft',
      [
        new Argument('<agent>', 'Agent that the session is from').choices(['claude', 'codex']),
        ['[id]', 'Session id, or its first characters (default: list them)'],
        jsonFlag,
      ],
      exiting(async (agent: SessionAgent, id: string | undefined, options: JsonOption) =>
        (await import('./import/session.ts')).importSession(agent, id, options),
      ),
    ],
  ]);
}
