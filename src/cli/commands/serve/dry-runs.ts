import {runWeft} from '../../../app/run-weft.ts';
import type {DryRunsPort} from '../../../server/routes/plan-routes.ts';

/** The longest dry run in milliseconds, and the maximum number of bytes that it prints. */
const limitMs = 24 * 60 * 60 * 1000;
const maxOutput = 64 * 1024 * 1024;

/** Runs `weft plan run --dry` and `weft plan apply` in a process of their own, because a dry run changes how a process sees files. */
export function dryRuns(store: string | undefined): DryRunsPort {
  const run = (args: readonly string[], signal: AbortSignal) => {
    const environment = {...process.env, ...(store !== undefined && {WEFT_STORE: store})};
    return runWeft(args, {environment, limitMs, maxOutput}, signal);
  };
  return {
    dryRun: (plan, signal) => run(['plan', 'run', plan, '--dry', '--json'], signal),
    apply: (plan, signal) => run(['plan', 'apply', plan, '--json'], signal),
  };
}
