import {parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {runProgram} from '../workspace/run-program.ts';

/**
 * Runs a command of this weft in a process of its own, and returns the JSON that it prints. The error is the last line that
 * the command wrote to stderr.
 */
export async function runWeft(
  args: readonly string[],
  run: {
    readonly environment: NodeJS.ProcessEnv;
    readonly limitMs: number;
    /** The maximum number of bytes that the command prints. */
    readonly maxOutput: number;
  },
  signal: AbortSignal,
): Promise<Outcome<unknown, string>> {
  const all = [...process.execArgv, process.argv[1] ?? '', ...args];
  const place = {folder: process.cwd(), input: ''};
  const {output, stderr} = await runProgram(process.execPath, all, {...run, ...place}, signal);
  const read = parseJson(output.toString('utf8'));
  if (read.tag === 'ok') return ok(read.value);
  const lastLine = stderr.trim().split('\n').at(-1) ?? '';
  return failed(lastLine.replace(/^weft: /u, ''));
}
