import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {findShell} from './find-shell.ts';

/** Whether this machine gives commands a terminal: starts a shell in one and asks it. In words either way. */
export async function probeTerminal(signal: AbortSignal): Promise<Outcome<string, string>> {
  try {
    const {spawn} = await import('@lydell/node-pty');
    const pty = spawn(findShell(process.env, []), ['-c', 'test -t 0 && tty'], {
      cols: 80,
      rows: 24,
      env: {PATH: process.env['PATH'] ?? ''},
    });
    const {promise, resolve} = Promise.withResolvers<Outcome<string, string>>();
    let seen = '';
    pty.onData(text => {
      seen += text;
    });
    pty.onExit(({exitCode}) =>
      resolve(exitCode === 0 ? ok(seen.trim()) : failed('A shell was started in a terminal and found none')),
    );
    const late = (): void => {
      pty.kill();
      resolve(failed('A shell was started in a terminal and did not answer'));
    };
    signal.addEventListener('abort', late, {once: true});
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', late);
    }
  } catch (cause) {
    return failed(`No terminal for commands: ${causeText(cause)}`);
  }
}
