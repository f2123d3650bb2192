import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import type {AttachOptions} from '../run-attach.ts';

export function add(command: Command): void {
  command
    .argument('<url>', 'Address of the server: http://127.0.0.1:4096')
    .argument('[session]', 'Session id, or its first characters; without it, a new session')
    .option(
      '--token-file <file>',
      "File with the server's token (default: WEFT_SERVER_TOKEN, or your own server's token)",
    )
    .option('-C, --cwd <dir>', "Folder of a new session, on the server's machine")
    .action(
      exiting(async (url: string, session: string | undefined, options: AttachOptions) =>
        (await import('../run-attach.ts')).runAttach(url, session, options),
      ),
    );
}
