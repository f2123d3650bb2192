import type {AgentClient} from '../agent/client.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {causeText} from '../domain/fault.ts';
import type {PlanId} from '../domain/ids.ts';
import {cutOff, type JobStore, type NewJob, type SpecOf} from '../domain/job.ts';
import {beginPlan, resumePlanPrompt, type Plan, type PlanConflict, planPrompt, resumePlan} from '../domain/plan.ts';
import type {Schedule} from '../domain/schedule.ts';
import {type AgentPort, type OpenRequest, emptyModelConfig} from './agent-port.ts';
import {type AgentRuns, type Prompt, type StartedPrompt, textPrompt} from './agent-runs.ts';
import {ClaimedJob} from './claimed-job.ts';
import {type DirectorPort, runStack} from './stack-runs.ts';

/** The stored plans. `change` adds the job that carries out the plan, unless the job is `claimed`. */
export interface PlansPort {
  find(id: PlanId): Plan | 'unknown';
  change(
    id: PlanId,
    work: (plan: Plan) => Outcome<Plan, PlanConflict>,
    job?: NewJob | 'claimed',
  ): Outcome<Plan, PlanConflict | 'unknown'>;
}

export interface JobDeps {
  readonly agent: AgentPort;
  readonly runs: AgentRuns;
  readonly jobs: JobStore;
  readonly plans: PlansPort;
  readonly schedules: {list(): readonly Schedule[]};
  /** Runs the task stack in a folder. */
  readonly director: (directory: string) => DirectorPort;
}

/** Has the agent carry out a started plan. `again`: after an interruption. */
export function startExecution(
  runs: AgentRuns,
  client: AgentClient,
  {
    plan,
    job,
    prompt,
    begin,
    deltas = 'without',
  }: {
    readonly plan: Plan;
    readonly job: ClaimedJob;
    readonly prompt: string;
    readonly begin: 'first' | 'again';
    readonly deltas?: Prompt['deltas'];
  },
): StartedPrompt {
  const request = prompt.trim() === '' ? '' : `\n\nThe request that it was made for: ${prompt}`;
  const text = `${begin === 'again' ? resumePlanPrompt(plan) : planPrompt(plan)}${request}`;
  return runs.start(client, {...textPrompt, deltas, text, work: {kind: 'execution', plan}, job});
}

/**
 * Runs a job that was delivered to this worker, continuing if it was interrupted. Resolves when everything is stored. Rejects if the job
 * must be delivered again: another process still runs it, or this worker is ending.
 */
export async function runDelivered(id: string, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const claimed = await deps.jobs.claim(id);
  if (claimed.tag === 'failed') {
    if (claimed.error === 'running') throw new Error('another process has it');
    return;
  }
  const job = await ClaimedJob.of(deps.jobs, claimed.value);
  await runJob(job, deps, signal);
  if (signal.aborted) throw new Error('the worker has ended');
}

/** Runs a job that this process has claimed. */
export async function runJob(job: ClaimedJob, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const {spec} = job.job;
  switch (spec.kind) {
    case 'execution':
      return execute(job, spec, deps);
    case 'scheduled':
      return runScheduled(job, spec, deps);
    case 'stack':
      return runStack(job, spec, deps.director(spec.directory), signal);
    case 'agent':
    case 'prompt':
    case 'direct':
      // Runs of these kinds end with the process that started them.
      return;
    default:
      unreachable(spec);
  }
}

async function execute(
  job: ClaimedJob,
  spec: SpecOf<'execution'>,
  {agent, runs, plans}: Pick<JobDeps, 'agent' | 'runs' | 'plans'>,
): Promise<void> {
  const plan = plans.find(spec.plan);
  const begin = plan === 'unknown' || plan.state === 'approved' ? 'first' : 'again';
  if (plan === 'unknown' || !(plan.state === 'approved' || plan.state === 'executing' || plan.state === 'stopped')) {
    // The plan was completed, but the worker died before it recorded this; or the plan was rejected while the job was
    // queued.
    await job.change({state: plan !== 'unknown' && plan.state === 'completed' ? 'completed' : 'failed'});
    return;
  }
  const {model, baseUrl, skills, sandbox, conditions} = spec;
  const named = {
    apiKey: undefined,
    baseUrl: baseUrl === '' ? undefined : baseUrl,
    model: model === '' ? undefined : model,
  };
  const opened = await openSession(agent, job, {
    workDir: spec.directory,
    model: named,
    work: {kind: 'execution', sandbox, skills},
    conditions,
  });
  if (opened.tag === 'failed') {
    if (opened.error.status === 409) await requeue(job, opened.error.error);
    await job.change({state: 'failed'});
    return;
  }
  const begun = plans.change(
    spec.plan,
    each => (each.state === 'executing' ? ok(each) : each.state === 'stopped' ? resumePlan(each) : beginPlan(each)),
    'claimed',
  );
  if (begun.tag === 'failed') {
    await opened.value.client.close('finished');
    return requeue(job, 'the plan has changed in the meantime');
  }
  await startExecution(runs, opened.value.client, {plan: begun.value, job, prompt: spec.prompt, begin}).finished;
}

/** Marks the job as stopped and throws, so that it is delivered again. */
async function requeue(job: ClaimedJob, why: string): Promise<never> {
  await job.change({state: 'stopped', reason: cutOff});
  throw new Error(why);
}

/** Reopens the session of a job that ran before, or opens a new one. */
async function openSession(
  agent: AgentPort,
  {job: {session}}: ClaimedJob,
  request: Omit<OpenRequest, 'session'>,
): Promise<
  Outcome<
    {readonly client: AgentClient; readonly session: 'reopened' | 'new'},
    {readonly status: number; readonly error: string}
  >
> {
  const reopened = session === 'not-open' ? 'none' : await agent.open({session, ...request});
  if (reopened !== 'none' && reopened.tag === 'ok') return ok({client: reopened.value, session: 'reopened'});
  if (reopened !== 'none' && reopened.error.status !== 404) return reopened;
  const opened = await agent.open({session: session === 'not-open' ? 'new' : {new: session}, ...request});
  return opened.tag === 'ok' ? ok({client: opened.value, session: 'new'}) : opened;
}

/**
 * Submits the prompt of a schedule as if it came by HTTP, so that clients can follow its session and answer its questions. The server
 * refuses a question after some minutes without an answer. A job that already has a session was interrupted, and continues there. Never
 * rejects.
 */
async function runScheduled(
  job: ClaimedJob,
  spec: SpecOf<'scheduled'>,
  {agent, runs, schedules}: Pick<JobDeps, 'agent' | 'runs' | 'schedules'>,
): Promise<void> {
  try {
    const schedule = schedules.list().find(({id}) => id === spec.schedule);
    if (schedule === undefined) return await job.remove();
    const {prompt, directory, mode} = schedule;
    const opened = await openSession(agent, job, {
      workDir: directory,
      model: emptyModelConfig,
      work: {kind: 'scheduled', mode},
    });
    if (opened.tag === 'failed') return await job.change({state: 'failed', reason: opened.error.error, news: 'untold'});
    const text = opened.value.session === 'reopened' ? continuePrompt : prompt;
    await runs.start(opened.value.client, {...textPrompt, text, work: {kind: 'prompt'}, job}).finished;
  } catch (cause) {
    // The store may be closed by now. In that case, the job counts as stopped once this process has ended.
    await job.change({state: 'failed', reason: causeText(cause), news: 'untold'}).catch(() => {});
  }
}

const continuePrompt = 'You were cut off. Continue the task from where you stopped.';
