import {execFile} from 'node:child_process';
import {signalChild} from './signal-child.ts';

/** How a program ended, and its output. `too-slow`: the program, or a child that holds its pipe, ran longer than the limit. */
export interface ProgramEnd {
  readonly kind: 'exited' | 'not-started' | 'too-slow' | 'too-much' | 'aborted';
  /** The exit code; -1 for a program that was killed or too slow. */
  readonly code: number;
  readonly output: Buffer;
  readonly stderr: string;
  /** Node's own error message. */
  readonly message: string;
}

/**
 * Runs a program to its end. Kills it when the signal aborts, and at the limits. Does not use execa: after a
 * kill, execa would wait until no child of the program holds the pipe.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  run: {
    readonly folder: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly input: string | Buffer;
    readonly limitMs: number;
    /** The maximum number of bytes of stdout, and of stderr. */
    readonly maxOutput: number;
    /**
     * `killed`: when weft kills the program, the programs that it started end, too. When the program ends, weft does not
     * wait for those that hold its pipes.
     */
    readonly children?: 'killed';
  },
  signal: AbortSignal,
): Promise<ProgramEnd> {
  if (signal.aborted) {
    const nothing = Buffer.alloc(0);
    return Promise.resolve({kind: 'aborted', code: -1, output: nothing, stderr: '', message: 'stopped'});
  }
  const options = {
    cwd: run.folder,
    env: run.environment,
    killSignal: 'SIGKILL',
    maxBuffer: run.maxOutput,
    encoding: 'buffer',
    detached: run.children === 'killed',
  } as const;
  return new Promise(resolve => {
    let stopped: 'aborted' | 'too-slow' | undefined;
    const child = execFile(program, args, options, (error, output, errors) => {
      clearTimeout(timer);
      const code = error === null ? 0 : error.code;
      const kind = stopped ?? (typeof code === 'number' ? 'exited' : kindOf(code));
      const stderr = errors.toString('utf8');
      if (kind !== 'exited') kill();
      signal.removeEventListener('abort', abort);
      const isExit = stopped === undefined && typeof code === 'number';
      resolve({kind, code: isExit ? code : -1, output, stderr, message: error?.message ?? ''});
    });
    const kill = (): void => {
      if (run.children === 'killed') killGroup(child.pid);
    };
    const stop = (why: 'aborted' | 'too-slow'): void => {
      stopped = why;
      signalChild(child, 'SIGKILL');
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const abort = (): void => {
      kill();
      stop('aborted');
    };
    signal.addEventListener('abort', abort);
    // Node's own `timeout` drops the output of a program that exited in time but whose pipe is still open, and reports success.
    const timer = setTimeout(stop, run.limitMs, 'too-slow');
    // Such a program may start an agent that lives on with its pipes, as password managers do.
    if (run.children === 'killed') {
      child.once('exit', () => {
        setTimeout(() => {
          child.stdout?.destroy();
          child.stderr?.destroy();
        }, heldPipeMs).unref();
      });
    }
    // The program may end before it has read all of its input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(run.input);
  });
}

/** Milliseconds to read the output of a program that has ended, while another one holds its pipes. */
const heldPipeMs = 250;

/** Ends what is left of a process group. */
function killGroup(id: number | undefined): void {
  if (id === undefined) return;
  try {
    process.kill(-id, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}

function kindOf(code: string | number | null | undefined): ProgramEnd['kind'] {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'too-much';
  return typeof code === 'string' ? 'not-started' : 'exited';
}
