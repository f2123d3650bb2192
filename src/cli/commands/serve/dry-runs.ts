import {parseJson} from '../../../base/json.ts';
import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import type {DryRunsPort} from '../../../server/routes/plan-routes.ts';
import {runProgram} from '../../../workspace/run-program.ts';

/** The longest dry run in milliseconds, and the maximum number of bytes that it prints. */
const limitMs = 24 * 60 * 60 * 1000;
const maxOutput = 64 * 1024 * 1024;

/** Runs `weft plan run --dry` and `weft plan apply` in a process of their own, because a dry run changes how a process sees files. */
export const dryRuns = (store: string | undefined): DryRunsPort => ({
  dryRun: (plan, signal) => runWeft(['plan', 'run', plan, '--dry', '--json'], store, signal),
  apply: (plan, signal) => runWeft(['plan', 'apply', plan, '--json'], store, signal),
});

async function runWeft(
  words: readonly string[],
  store: string | undefined,
  signal: AbortSignal,
): Promise<Outcome<unknown, string>> {
  const environment = {...process.env, ...(store !== undefined && {WEFT_STORE: store})};
  const args = [...process.execArgv, process.argv[1] ?? '', ...words];
  const run = {folder: process.cwd(), environment, input: '', limitMs, maxOutput};
  const {output, stderr} = await runProgram(process.execPath, args, run, signal);
  const read = parseJson(output.toString('utf8'));
  return read.tag === 'ok'
    ? ok(read.value)
    : failed(
        stderr
          .trim()
          .split('\n')
          .at(-1)
          ?.replace(/^weft: /u, '') ?? '',
      );
}
