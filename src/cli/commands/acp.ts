import type {Command} from 'commander';
import {exiting} from '../../app/exit-code.ts';
import type {AcpOptions} from '../run-acp.ts';

export function add(command: Command): void {
  command
    .option('--server <url>', 'Run the sessions on this weft server')
    .option(
      '--token-file <file>',
      "File with the server's token (default: WEFT_SERVER_TOKEN, or your own server's token)",
    )
    .option('-C, --cwd <dir>', "With --server: folder of new sessions, on the server's machine (default: the editor's)")
    .option('--model <model>', 'With --server: model to use there')
    .option('--skill <name...>', 'With --server: load this skill of the server in each new session')
    .option('--ask-about-everything', "With --server: ask even if the server's settings would allow it")
    .option('--login', 'Sign in, or save an API key, in the terminal UI. Editors start this')
    .action(
      exiting(async ({login, ...options}: AcpOptions & {readonly login?: true}) =>
        login === true
          ? (await import('../run-main.ts')).runMain([], {sessionPersistence: true, color: true})
          : (await import('../run-acp.ts')).runAcp(options),
      ),
    );
}
