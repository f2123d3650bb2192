import {spawn} from 'node:child_process';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import type {BlockEnd, BlockSource, SourceRequest} from './block-source.ts';

/** Starts a command with pipes, where there are no pseudo-terminals: programs do not know that somebody could answer. */
export async function openPipes(request: SourceRequest): Promise<Outcome<BlockSource, string>> {
  const child = spawn(request.shell, ['-c', `exec 2>&1\n${request.command}`], {
    cwd: request.directory,
    env: request.environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  const ended = Promise.withResolvers<BlockEnd>();
  const started = Promise.withResolvers<Outcome<number, string>>();
  child.once('spawn', () => started.resolve(ok(child.pid ?? 0)));
  child.on('error', cause => started.resolve(failed(causeText(cause))));
  child.once('close', (code, signal) =>
    ended.resolve(signal === null ? {kind: 'exited', code: code ?? 0} : {kind: 'signalled', signal}),
  );
  child.stdin.on('error', () => {});
  const outcome = await started.promise;
  if (outcome.tag === 'failed') return outcome;
  return ok({
    terminal: 'pipes',
    input: 'open',
    leader: outcome.value,
    ended: ended.promise,
    descriptor: undefined,
    output: '',
    onData: listener => void child.stdout.on('data', listener),
    write(text) {
      if (!child.stdin.writable) return 'closed';
      child.stdin.write(text);
      return 'written';
    },
    resize: () => {},
    pause: () => void child.stdout.pause(),
    resume: () => void child.stdout.resume(),
    close() {
      child.stdin.destroy();
      child.stdout.destroy();
    },
  });
}
