import {unreachable} from '../../../base/unreachable.ts';
import {visibleLine} from '../../../base/visible.ts';
import {randomUUID} from 'node:crypto';
import {HeldJob} from '../../../jobs/held-job.ts';
import {heldText, openStackRun} from '../../../jobs/stack-runs.ts';
import type {StackRunEnd, StackRunEvent} from '../../../tasks/stack/direct-stack.ts';
import {existingFolder, loadRunContext} from '../../../app/run-context.ts';
import {openUserJobs, openUserStack} from '../../../app/user-jobs.ts';
import {exitCode, timeLimitText, type ExitCode} from '../../../app/exit-code.ts';
import {note, print, printJson} from '../../../app/output.ts';
import {normalizeOptions} from '../../sdk-options.ts';
import {onSignal} from '../../signals.ts';
import type {StackRunOptions} from '../stack.ts';
import {openDirector} from './open-director.ts';

/** The process ends at most this many milliseconds after it was told to stop, whatever hangs. */
const stopWithinMs = 3000;

/** `weft stack run`: runs the tasks in order, from where the stack stands. */
export async function runStack(given: StackRunOptions): Promise<ExitCode> {
  const {keepGoing, once, harness, json, ...flags} = given;
  const options = normalizeOptions({...flags, sessionPersistence: true, color: true});
  const stopping = new AbortController();
  let stopped: ExitCode | undefined;
  const stop = (code: ExitCode): void => {
    if (stopped !== undefined) return;
    stopped = code;
    setTimeout(() => process.exit(code), stopWithinMs).unref();
    stopping.abort();
  };
  onSignal('SIGINT', () => stop(exitCode.interrupted));
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) onSignal(signal, () => stop(exitCode.terminated));
  const {timeout} = options;
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => stop(exitCode.timeLimit), Math.max(0, timeout * 1000 - performance.now()));
  const context = loadRunContext({
    directory: existingFolder(options.cwd ?? '.'),
    added: (options.addDir ?? []).map(existingFolder),
    options,
  });
  for (const notice of [...context.notices, ...context.startInstructions().skipped]) note(notice);
  const stack = await openUserStack(context.places);
  const jobs = await openUserJobs(context.places);
  try {
    const positions = once === undefined ? 'all' : 'one';
    const choices = {afterFailure: keepGoing === undefined ? 'stop' : 'go-on', positions} as const;
    const spec = {kind: 'stack', harness: harness ?? 'weft', ...choices, directory: context.directory} as const;
    const job = {id: randomUUID(), spec, session: 'not-open'} as const;
    if ((await jobs.add(job, 'running')) !== 'added') {
      note(`${heldText}.`);
      return exitCode.failed;
    }
    const held = await HeldJob.added(jobs, job);
    const director = (observe: (event: StackRunEvent) => void) =>
      openDirector(context, {stack, observe, harness: spec.harness});
    const run = await openStackRun(
      held,
      director,
      json === undefined ? tell : event => printJson(`${JSON.stringify(event)}\n`),
    ).catch(async (cause: unknown) => {
      await held.remove();
      throw cause;
    });
    const end = await run.run(choices, stopping.signal);
    if ('reason' in end) note(visibleLine(end.reason));
    if (stopped === exitCode.timeLimit && timeout !== undefined) note(timeLimitText(timeout));
    return stopped ?? codeOf(end);
  } finally {
    clearTimeout(timer);
    stack.close();
    jobs.close();
  }
}

function codeOf(end: StackRunEnd): ExitCode {
  switch (end.kind) {
    case 'done':
      return exitCode.done;
    case 'task-failed':
    case 'hook-failed':
    case 'not-begun':
    case 'stopped':
      return exitCode.failed;
    case 'hook-refused':
      return exitCode.needsApproval;
    case 'out-of-bounds':
      return exitCode.limitReached;
    default:
      return unreachable(end);
  }
}

/** Says in lines what happens; what sub-agents say and do is kept, and shown with `--json`. */
function tell(event: StackRunEvent): void {
  switch (event.type) {
    case 'task_started':
      print(`${event.task_id}  ${event.resumed ? 'goes on' : 'begins'}: ${visibleLine(event.description)}\n`);
      return;
    case 'task_finished': {
      const reason = event.reason === '' ? '' : `: ${visibleLine(event.reason)}`;
      print(`${event.task_id}  ${event.status.toLowerCase().replace('_', ' ')}${reason}\n`);
      return;
    }
    case 'hook_finished': {
      const hook = event.hook === 'pre_hook' ? 'pre-hook' : 'post-hook';
      const reason = event.reason === '' ? '' : `: ${visibleLine(event.reason)}`;
      print(`${hook} of layer ${String(event.layer_index)}  ${event.state.replace('-', ' ')}${reason}\n`);
      return;
    }
    case 'run_started':
    case 'run_finished':
    case 'hook_started':
    case 'text':
    case 'tool_use':
    case 'message_sent':
    case 'message_read':
      return;
    default:
      unreachable(event);
  }
}
