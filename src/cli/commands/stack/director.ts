import {randomUUID} from 'node:crypto';
import {noUsage} from '../../../domain/usage.ts';
import {type DirectorPort, type StackRun, stackRunningText, openStackRun} from '../../../jobs/stack-runs.ts';
import type {StackStore} from '../../../store/stack-store.ts';
import {
  directStack,
  type StackRunEvent,
  type StackWorker,
  type StackRunEnd,
} from '../../../tasks/stack/direct-stack.ts';
import {connectModel, requireModel} from '../../../app/choose-model.ts';
import {note, print, printJson} from '../../../app/output.ts';
import {loadRunContext, type RunContext, contextFor} from '../../../app/run-context.ts';
import {weftWorker} from './weft-worker.ts';
import {unreachable} from '../../../base/unreachable.ts';
import {visibleLine} from '../../../base/visible.ts';
import {ClaimedJob} from '../../../jobs/claimed-job.ts';
import {type UserStores, withUserStores} from '../../../app/user-jobs.ts';
import {exitCode, timeLimitText, type ExitCode} from '../../../app/exit-code.ts';
import {normalizeOptions} from '../../sdk-options.ts';
import {onStopSignal} from '../../signals.ts';
import type {MainOptions} from '../../../app/main-options.ts';
import type {JsonOption} from '../../flags.ts';

/** Milliseconds between checks for changes by other processes: the user's messages, cancelled tasks. */
const lookMs = 250;

/** Makes the director that runs the task stack in a folder, with the settings of that folder. */
export const stackDirector =
  ({stack, sessions, named}: Pick<UserStores, 'stack' | 'sessions'> & {readonly named: string | undefined}) =>
  (directory: string): DirectorPort => ({
    open(harness, observe) {
      const context = loadRunContext({
        directory,
        added: [],
        options: {sessionPersistence: true, color: false, ...(named === undefined ? {} : {store: named})},
      });
      return openDirector({...context, store: async () => sessions}, {stack, observe, harness});
    },
  });

/** Prepares a run of the task stack, in the process that holds its job. */
async function openDirector(
  context: RunContext,
  {
    stack,
    observe,
    harness,
  }: {
    readonly stack: StackStore;
    readonly observe: (event: StackRunEvent) => void;
    /** The agent that does the tasks: `weft`, or the name of a harness. */
    readonly harness: string;
  },
): Promise<StackRun> {
  const ports = {
    perform: <T>(work: Parameters<typeof stack.perform<T>>[0]): T => stack.perform(work),
    read: <T>(work: Parameters<typeof stack.read<T>>[0]): T => stack.read(work),
    worker:
      harness === 'weft'
        ? await ownWorker(context)
        : (await import('./harness-worker.ts')).harnessWorker(context, harness),
    watch(listener: () => void) {
      const timer = setInterval(listener, lookMs);
      return () => clearInterval(timer);
    },
    newSession: () => randomUUID(),
    observe,
  };
  return {run: (options, signal) => directStack(ports, options, signal)};
}

async function ownWorker(context: RunContext): Promise<StackWorker> {
  const chosen = await connectModel(context);
  requireModel(chosen);
  if (context.options.maxCost !== undefined && chosen.port.facts(chosen.model).costOf(noUsage) === 'unknown')
    note(`the price of ${chosen.model} is unknown, so --max-cost counts only costs that the provider reports`);
  return weftWorker({context, chosen, store: await context.store()});
}

/** Milliseconds after a stop signal at which the process ends, even if something hangs. */
const stopWithinMs = 3000;

export interface StackRunOptions extends Omit<MainOptions, 'sessionPersistence' | 'color'>, JsonOption {
  readonly keepGoing?: true;
  readonly once?: true;
  readonly harness?: string;
}

/** `weft stack run`: runs the tasks in order, starting at the pointer. */
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
  onStopSignal(stop);
  const {timeout} = options;
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => stop(exitCode.timeLimit), Math.max(0, timeout * 1000 - performance.now()));
  const context = contextFor(options);
  for (const notice of [...(await context.notices()), ...context.startInstructions().skipped]) note(notice);
  return withUserStores(async ({stack, jobs}) => {
    const positions = once === undefined ? 'all' : 'one';
    const choices = {afterFailure: keepGoing === undefined ? 'stop' : 'go-on', positions} as const;
    const spec = {kind: 'stack', harness: harness ?? 'weft', ...choices, directory: context.directory} as const;
    const job = {id: randomUUID(), spec, session: 'not-open'} as const;
    if ((await jobs.add(job, 'running')) !== 'added') {
      note(`${stackRunningText}.`);
      return exitCode.failed;
    }
    const held = await ClaimedJob.added(jobs, job);
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
  }, context.places).finally(() => clearTimeout(timer));
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

/** Prints the progress of tasks and hooks. The texts and tool calls of sub-agents are printed only with `--json`. */
function tell(event: StackRunEvent): void {
  switch (event.type) {
    case 'task_started':
      print(`${event.task_id}  ${event.resumed ? 'resumed' : 'started'}: ${visibleLine(event.description)}\n`);
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
