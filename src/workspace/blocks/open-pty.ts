import {constants} from 'node:os';
import type {IPty} from '@lydell/node-pty';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import type {BlockEnd, BlockSource, SourceRequest} from './block-source.ts';

/** Starts a command in a pseudo-terminal. A failure says why this machine gives none. */
export async function openPty(request: SourceRequest): Promise<Outcome<BlockSource, string>> {
  try {
    const {spawn} = await import('@lydell/node-pty');
    const pty = spawn(request.shell, ['-c', request.command], {
      cols: request.size.columns,
      rows: request.size.rows,
      cwd: request.directory,
      env: request.environment,
      // Bytes as they are: what is no text must survive in the file.
      encoding: null,
    });
    return ok(sourceOf(pty));
  } catch (cause) {
    return failed(causeText(cause));
  }
}

function sourceOf(pty: IPty): BlockSource {
  const ended = Promise.withResolvers<BlockEnd>();
  let open = true;
  // Trouble with the terminal is its end, which comes by itself; without a listener it would be thrown at everybody.
  if ('on' in pty && typeof pty.on === 'function') pty.on('error', () => {});
  pty.onExit(({exitCode, signal}) => {
    open = false;
    ended.resolve(
      signal === undefined || signal === 0
        ? {kind: 'exited', code: exitCode}
        : {kind: 'signalled', signal: signalName(signal)},
    );
  });
  return {
    terminal: 'pty',
    input: 'open',
    leader: pty.pid,
    ended: ended.promise,
    get output() {
      return open && 'ptsName' in pty && typeof pty.ptsName === 'string' ? pty.ptsName : '';
    },
    descriptor: 'fd' in pty && typeof pty.fd === 'number' ? pty.fd : undefined,
    onData: listener =>
      void pty.onData((data: unknown) => {
        listener(typeof data === 'string' ? Buffer.from(data) : data instanceof Uint8Array ? data : Buffer.alloc(0));
      }),
    write(text) {
      if (!open) return 'closed';
      pty.write(text);
      return 'written';
    },
    resize: ({columns, rows}) => attempt(() => pty.resize(columns, rows)),
    pause: () => attempt(() => pty.pause()),
    resume: () => attempt(() => pty.resume()),
    close: () =>
      attempt(() => {
        if ('destroy' in pty && typeof pty.destroy === 'function') pty.destroy();
      }),
  };

  /** The terminal may be gone at any moment. */
  function attempt(work: () => void): void {
    if (!open) return;
    try {
      work();
    } catch {
      open = false;
    }
  }
}

const signalName = (number: number): string =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
