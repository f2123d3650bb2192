import type {Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import type {ScheduleId} from '../domain/ids.ts';
import {beginPlan, resumePlan} from '../domain/plan.ts';
import type {QueuedRun} from '../domain/queued-run.ts';
import type {Schedule} from '../domain/schedule.ts';
import {type ExecutionDeps, startExecution} from './plan-execution.ts';
import type {OpenRequest} from './routes/agent-routes.ts';
import {runScheduled, type ScheduledRunDeps} from './scheduled-run.ts';

/** Where runs wait for a worker. */
export interface QueuePort {
  /** `queued-already` where such a run waits or is at work. */
  add(run: QueuedRun): Promise<'added' | 'queued-already'>;
}

export interface QueuedRunDeps extends ExecutionDeps, ScheduledRunDeps {
  readonly schedules: ScheduledRunDeps['schedules'] & {
    takeUp(id: ScheduleId, now: number): Outcome<Schedule, 'unknown' | 'running'>;
  };
  /** Rejects where another process runs the stack. */
  runStack(run: QueuedRun & {readonly kind: 'stack'}, signal: AbortSignal): Promise<void>;
}

/**
 * Does what a worker has taken from the queue, from where it was cut off where it was. Settles when all of it is kept. Rejects where
 * the run has to be taken up once more: another process has it open still, or this worker ends.
 */
export async function runQueued(run: QueuedRun, deps: QueuedRunDeps, signal: AbortSignal): Promise<void> {
  switch (run.kind) {
    case 'execution':
      await execute(run, deps);
      break;
    case 'scheduled': {
      const taken = deps.schedules.takeUp(run.schedule, deps.now());
      if (taken.tag === 'failed') {
        if (taken.error === 'running') throw new Error('another process has it');
        return;
      }
      await runScheduled(taken.value, deps);
      break;
    }
    case 'stack':
      await deps.runStack(run, signal);
      break;
    default:
      unreachable(run);
  }
  if (signal.aborted) throw new Error('the worker has ended');
}

async function execute(run: QueuedRun & {readonly kind: 'execution'}, deps: QueuedRunDeps): Promise<void> {
  const {agent, plans, tasks, now} = deps;
  const task = tasks.find(run.task);
  const plan = plans.find(run.plan);
  const fail = (): void => tasks.change(run.task, each => ({...each, state: 'failed', endedAt: now()}));
  if (task === 'unknown' || plan === 'unknown') {
    fail();
    return;
  }
  if (plan.state === 'executing') throw new Error('another process carries out the plan');
  if (plan.state !== 'approved' && plan.state !== 'stopped') {
    // Done, but the worker ended before it could say so; or rejected while it waited.
    if (task.state !== 'completed') fail();
    return;
  }
  const open = (session: OpenRequest['session']) =>
    agent.open({
      session,
      workDir: run.directory,
      model: {
        apiKey: undefined,
        baseUrl: run.baseUrl === '' ? undefined : run.baseUrl,
        model: run.model === '' ? undefined : run.model,
      },
      work: {kind: 'execution', sandbox: run.sandbox, skills: run.skills},
    });
  const kept = await open(run.session);
  const opened = kept.tag === 'failed' && kept.error.status === 404 ? await open({new: run.session}) : kept;
  if (opened.tag === 'failed') {
    if (opened.error.status === 409) throw new Error(opened.error.error);
    fail();
    return;
  }
  const begun = plans.change(run.plan, each => (each.state === 'stopped' ? resumePlan(each) : beginPlan(each)));
  if (begun.tag === 'failed') {
    await opened.value.close('finished');
    throw new Error('the plan was changed meanwhile');
  }
  await startExecution(
    opened.value,
    {
      task: run.task,
      plan: begun.value,
      prompt: run.prompt,
      directory: run.directory,
      begin: plan.state === 'stopped' ? 'again' : 'kept-task',
    },
    deps,
  ).ended;
}
