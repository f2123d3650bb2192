import type {AgentClient} from '../agent/client.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {causeText} from '../domain/fault.ts';
import type {PlanId} from '../domain/ids.ts';
import {cutOff, type JobStore, type NewJob, type SpecOf} from '../domain/job.ts';
import {beginPlan, goOnPlanPrompt, type Plan, type PlanConflict, planPrompt, resumePlan} from '../domain/plan.ts';
import type {Schedule} from '../domain/schedule.ts';
import {type AgentPort, type OpenRequest, ownModel} from './agent-port.ts';
import type {AgentRuns, StartedPrompt} from './agent-runs.ts';
import {HeldJob} from './held-job.ts';
import {type DirectorPort, runStack} from './stack-runs.ts';

/** The plans that are kept. `change` adds the job that carries out the plan, unless the job is `claimed`. */
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

/** Has the agent carry out a plan that was begun. `again`: after it was cut off. */
export function startExecution(
  runs: AgentRuns,
  client: AgentClient,
  {
    plan,
    job,
    prompt,
    begin,
  }: {readonly plan: Plan; readonly job: HeldJob; readonly prompt: string; readonly begin: 'first' | 'again'},
): StartedPrompt {
  const request = prompt.trim() === '' ? '' : `\n\nThe request that it was made for: ${prompt}`;
  const text = `${begin === 'again' ? goOnPlanPrompt(plan) : planPrompt(plan)}${request}`;
  return runs.start(client, {text, images: [], context: '', work: {kind: 'execution', plan}, job});
}

/**
 * Does a job that was delivered to this worker, from where it was cut off where it was. Settles when all of it is kept. Rejects where it
 * has to be delivered once more: another process does it still, or this worker ends.
 */
export async function doDelivered(id: string, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const claimed = await deps.jobs.claim(id);
  if (claimed.tag === 'failed') {
    if (claimed.error === 'running') throw new Error('another process has it');
    return;
  }
  const job = await HeldJob.of(deps.jobs, claimed.value);
  await doJob(job, deps, signal);
  if (signal.aborted) throw new Error('the worker has ended');
}

/** Does a job that this process has claimed. */
export async function doJob(job: HeldJob, deps: JobDeps, signal: AbortSignal): Promise<void> {
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
      // They end with the process that has begun them.
      return;
    default:
      unreachable(spec);
  }
}

async function execute(
  job: HeldJob,
  spec: SpecOf<'execution'>,
  {agent, runs, plans}: Pick<JobDeps, 'agent' | 'runs' | 'plans'>,
): Promise<void> {
  const plan = plans.find(spec.plan);
  const begin = plan === 'unknown' || plan.state === 'approved' ? 'first' : 'again';
  if (plan === 'unknown' || !(plan.state === 'approved' || plan.state === 'executing' || plan.state === 'stopped')) {
    // Done, but the worker ended before it could say so; or rejected while it waited.
    await job.change({state: plan !== 'unknown' && plan.state === 'completed' ? 'completed' : 'failed'});
    return;
  }
  const {model, baseUrl, skills, sandbox} = spec;
  const named = {
    apiKey: undefined,
    baseUrl: baseUrl === '' ? undefined : baseUrl,
    model: model === '' ? undefined : model,
  };
  const opened = await openKept(agent, job, {
    workDir: spec.directory,
    model: named,
    work: {kind: 'execution', sandbox, skills},
  });
  if (opened.tag === 'failed') {
    if (opened.error.status === 409) await putBack(job, opened.error.error);
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
    return putBack(job, 'the plan was changed meanwhile');
  }
  await startExecution(runs, opened.value.client, {plan: begun.value, job, prompt: spec.prompt, begin}).finished;
}

/** It is to be delivered once more. */
async function putBack(job: HeldJob, why: string): Promise<never> {
  await job.change({state: 'stopped', reason: cutOff});
  throw new Error(why);
}

/** Opens the session of a job that was begun earlier, or a new one. */
async function openKept(
  agent: AgentPort,
  {job: {session}}: HeldJob,
  request: Omit<OpenRequest, 'session'>,
): Promise<
  Outcome<
    {readonly client: AgentClient; readonly session: 'kept' | 'new'},
    {readonly status: number; readonly error: string}
  >
> {
  const kept = session === 'not-open' ? 'none' : await agent.open({session, ...request});
  if (kept !== 'none' && kept.tag === 'ok') return ok({client: kept.value, session: 'kept'});
  if (kept !== 'none' && kept.error.status !== 404) return kept;
  const opened = await agent.open({session: session === 'not-open' ? 'new' : {new: session}, ...request});
  return opened.tag === 'ok' ? ok({client: opened.value, session: 'new'}) : opened;
}

/**
 * Sends the prompt of a schedule as if it came by HTTP: clients can follow its session and answer its questions. The server refuses a question
 * after some minutes without an answer. A job with a session was cut off, and goes on there. Never rejects.
 */
async function runScheduled(
  job: HeldJob,
  spec: SpecOf<'scheduled'>,
  {agent, runs, schedules}: Pick<JobDeps, 'agent' | 'runs' | 'schedules'>,
): Promise<void> {
  try {
    const schedule = schedules.list().find(({id}) => id === spec.schedule);
    if (schedule === undefined) return await job.remove();
    const {prompt, directory, mode} = schedule;
    const opened = await openKept(agent, job, {workDir: directory, model: ownModel, work: {kind: 'scheduled', mode}});
    if (opened.tag === 'failed') return await job.change({state: 'failed', reason: opened.error.error, news: 'untold'});
    const text = opened.value.session === 'kept' ? goOnPrompt : prompt;
    await runs.start(opened.value.client, {text, images: [], context: '', work: {kind: 'prompt'}, job}).finished;
  } catch (cause) {
    // The store may be closed by then; what this process ran reads as stopped once it has ended.
    await job.change({state: 'failed', reason: causeText(cause), news: 'untold'}).catch(() => {});
  }
}

const goOnPrompt = 'You were cut off. Go on with what you were asked for, from where it stands.';
