import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import type {AcpOptions} from '../run-acp.ts';

export function add(command: Command): void {
  command
    .option('--server <url>', 'Let the sessions run on this weft server')
    .option(
      '--token-file <file>',
      "File with the server's token (default: WEFT_SERVER_TOKEN, else that of your own server)",
    )
    .option('-C, --cwd <dir>', "With --server: folder of new sessions, on the server's machine (default: the editor's)")
    .option('--model <model>', 'With --server: model to use there')
    .option('--skill <name...>', 'With --server: skill there that the work of a new session begins with')
    .option('--ask-about-everything', 'With --server: ask also about what its own settings would allow')
    .action(exiting(async (options: AcpOptions) => (await import('../run-acp.ts')).runAcp(options)));
}
