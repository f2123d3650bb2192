import {Argument, type Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import {addSubcommands, jsonFlag, type JsonOption} from '../flags.ts';
import type {SessionAgent} from './import/session.ts';

/** `weft import session`. */
export function add(command: Command): void {
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
