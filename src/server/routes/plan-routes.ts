import * as z from 'zod/mini';
import {ok, type Outcome} from '../../base/outcome.ts';
import {changeKinds} from '../../domain/change-set.ts';
import {parseAgentTaskId, type PlanId, planId, type SessionId} from '../../domain/ids.ts';
import {isTaskSpec, type Job, jobStates, type JobQueue, type SpecOf} from '../../domain/job.ts';
import {
  approvePlan,
  beginPlan,
  type Plan,
  planBounds,
  type PlanConflict,
  planSteps,
  rejectPlan,
} from '../../domain/plan.ts';
import {providerNames} from '../../domain/sandbox.ts';
import {jsonObject, schemaNotes, nonEmptyText as text} from '../../tasks/stack/stack-records.ts';
import {textPrompt} from '../../jobs/agent-runs.ts';
import {StoredEvents} from '../../jobs/event-stream.ts';
import {ClaimedJob} from '../../jobs/claimed-job.ts';
import {type PlansPort, startExecution} from '../../jobs/run-jobs.ts';
import {toClientPlan} from '../../jobs/run-messages.ts';
import {json, refuse, route, type RawRequest, type Reply, type Route} from '../route.ts';
import {
  agentMessage,
  type AgentRoutesDeps,
  conditionFields,
  conditionsOf,
  deltasOf,
  freeTaskId,
  modelConfig,
  modelOf,
  taskPlan,
  textQuery,
  usedTaskId,
} from './agent-routes.ts';

const planRequest = z.strictObject({prompt: text, workDir: z.optional(text), modelConfig: z.optional(modelConfig)});

/** Edited steps: texts, or steps in the form of the plan. */
const approveRequest = z.strictObject({
  steps: z.optional(
    z
      .array(
        z.union([
          z.string().check(z.minLength(1), z.maxLength(planBounds.step)),
          z.object({description: z.string().check(z.minLength(1), z.maxLength(planBounds.step))}),
        ]),
      )
      .check(z.minLength(1), z.maxLength(planBounds.steps)),
  ),
});

const rejectRequest = z.strictObject({reason: z.prefault(z.string(), '')});

const executeRequest = z.strictObject({
  planId: text,
  prompt: z.prefault(z.string(), ''),
  workDir: z.optional(text),
  taskId: z.optional(text),
  skillsPath: z.optional(text),
  sandboxConfig: z.optional(z.strictObject({enabled: z.boolean(), provider: z.optional(z.enum(providerNames))})),
  modelConfig: z.optional(modelConfig),
  background: z.prefault(z.boolean(), false),
  ...conditionFields,
  approve: z.optional(z.boolean()),
});

const taskAnswer = z.object({
  id: z.string(),
  sessionId: z.string(),
  /** The plan that the task executes; `null` for a prompt without a plan. */
  planId: z.nullable(z.string()),
  prompt: z.string(),
  workDir: z.string(),
  state: z.enum(jobStates),
  createdAt: z.string(),
  endedAt: z.nullable(z.string()),
  cost: z.number(),
});
schemaNotes.add(taskAnswer, {id: 'AgentTask'});

const fileAnswer = z.object({
  path: z.string(),
  action: z.enum(['created', 'modified', 'deleted', 'renamed']),
  at: z.string(),
  toolUseId: z.string(),
});
schemaNotes.add(fileAnswer, {id: 'TaskFile'});

const planChange = z.object({path: z.string(), kind: z.enum(changeKinds)});

const dryRunAnswer = z.object({
  id: z.string(),
  session: z.string(),
  tree: z.string(),
  exitCode: z.number(),
  changes: z.array(planChange),
  checks: z.array(jsonObject),
  leftOut: z.array(z.string()),
});
const appliedAnswer = z.object({
  id: z.string(),
  session: z.string(),
  tree: z.string(),
  applied: z.array(planChange),
});

/** Tries plans without changing files. Answers are as `weft plan run --dry --json` and `weft plan apply --json` print them. */
export interface DryRunsPort {
  dryRun(plan: PlanId, signal: AbortSignal): Promise<Outcome<unknown, string>>;
  apply(plan: PlanId, signal: AbortSignal): Promise<Outcome<unknown, string>>;
}

const started = z.object({taskId: z.string(), sessionId: z.string()});

export interface PlanRoutesDeps extends Omit<AgentRoutesDeps, 'directory'> {
  readonly plans: PlansPort;
  readonly dryRuns: DryRunsPort;
  /** When executing a pending plan approves it. `if-asked`: the request has `approve: true`. `always`: unless it has `approve: false`. */
  readonly approveOnExecute: 'never' | 'if-asked' | 'always';
  /** The queue in which background executions wait for a worker; `none` if this server runs them itself. */
  readonly queue: JobQueue | 'none';
  readonly newSession: () => SessionId;
}

/** The routes to plan, approve and execute, and for the executions, which are saved as tasks. */
export function planRoutes({
  agent,
  runs,
  plans,
  dryRuns,
  jobs,
  queue,
  newSession,
  newTaskId,
  approveOnExecute,
}: PlanRoutesDeps): readonly Route[] {
  const findTask = async (raw: string): Promise<Task | undefined> =>
    parseAgentTaskId(raw) === undefined ? undefined : (await jobs.list({id: raw})).find(isTask);
  /** Answers a request about the plan in its path. */
  const withPlan =
    (answer: (plan: Plan, signal: AbortSignal) => Promise<Reply> | Reply) =>
    ({params, signal}: Pick<RawRequest, 'params' | 'signal'>): Promise<Reply> | Reply => {
      const plan = plans.find(planId(params['planId'] ?? ''));
      return plan === 'unknown' ? refuse(404, `${noPlan}.`) : answer(plan, signal);
    };
  return [
    route('post', '/agent/plan', {
      tag: 'plans',
      id: 'makePlan',
      summary: 'Let the agent make a plan, without changing anything',
      query: textQuery,
      body: planRequest,
      answer: [200, "The agent's work, as events; the plan is one of them", agentMessage],
      answerIs: 'events',
      handle: async ({query, body: {prompt, workDir, modelConfig: config}}) => {
        const work = {kind: 'plan'} as const;
        const opened = await agent.open({session: 'new', workDir, model: modelOf(config), work});
        if (opened.tag === 'failed') return refuse(opened.error.status, opened.error.error);
        const {events} = runs.start(opened.value, {
          ...textPrompt,
          text: prompt,
          deltas: deltasOf(query),
          work,
          job: 'none',
        });
        return {kind: 'events', stream: events, after: 0};
      },
    }),
    route('get', '/agent/plans/{planId}', {
      tag: 'plans',
      id: 'getPlan',
      summary: 'Get a plan and its progress',
      answer: [200, 'The plan', taskPlan],
      errors: {404: noPlan},
      handle: withPlan(plan => json(200, toClientPlan(plan))),
    }),
    route('post', '/agent/plan/{planId}/approve', {
      tag: 'plans',
      id: 'approvePlan',
      summary: 'Approve a plan, optionally with edited steps',
      body: approveRequest,
      bodyIs: 'optional',
      answer: [200, 'The plan', taskPlan],
      errors: planErrors,
      handle: ({params, body: {steps}}) =>
        planReply(
          plans.change(planId(params['planId'] ?? ''), plan =>
            approvePlan(
              plan,
              steps === undefined
                ? plan.steps
                : planSteps(steps.map(step => (typeof step === 'string' ? step : step.description))),
            ),
          ),
        ),
    }),
    route('post', '/agent/plan/{planId}/reject', {
      tag: 'plans',
      id: 'rejectPlan',
      summary: 'Reject a plan that has not been executed',
      body: rejectRequest,
      bodyIs: 'optional',
      answer: [200, 'The plan', taskPlan],
      errors: planErrors,
      handle: ({params, body: {reason}}) =>
        planReply(plans.change(planId(params['planId'] ?? ''), plan => rejectPlan(plan, reason))),
    }),
    route('post', '/agent/plan/{planId}/dry-run', {
      tag: 'plans',
      id: 'dryRunPlan',
      summary: 'Carry a plan out without changing files, and answer with the changes. weft refuses whatever would ask',
      answer: [200, 'The changes, and the checks that ran', dryRunAnswer],
      errors: {404: noPlan, 409: 'The plan can not run, or the dry run did not come to its end'},
      handle: withPlan(async ({id}, signal) => tried(await dryRuns.dryRun(id, signal), dryRunAnswer)),
    }),
    route('post', '/agent/plan/{planId}/apply', {
      tag: 'plans',
      id: 'applyPlan',
      summary: 'Apply exactly the changes of a dry run, of an approved plan',
      answer: [200, 'The applied changes', appliedAnswer],
      errors: {404: noPlan, 409: 'There is no dry run, a file has changed since, or the plan is not approved'},
      handle: withPlan(async (plan, signal) =>
        plan.state !== 'approved' && approveOnExecute === 'never'
          ? refuse(409, conflictText(plan))
          : tried(await dryRuns.apply(plan.id, signal), appliedAnswer),
      ),
    }),
    route('post', '/agent/execute', {
      tag: 'plans',
      id: 'executePlan',
      summary: 'Execute an approved plan, once',
      query: textQuery,
      body: executeRequest,
      answer: [200, "The agent's work, as events", agentMessage],
      answerIs: 'events',
      otherAnswer: [202, 'The plan runs in the background', started],
      errors: {404: noPlan, 409: 'The plan is not approved, or was executed; or the task id is taken'},
      handle: async ({body, query}) => {
        const id = await freeTaskId(jobs, body.taskId ?? newTaskId());
        if (typeof id !== 'string') return id;
        const wanted = plans.find(planId(body.planId));
        if (wanted === 'unknown') return refuse(404, `${noPlan}.`);
        const approves = approveOnExecute === 'always' ? body.approve !== false : body.approve === true;
        if (wanted.state === 'pending' && approves && approveOnExecute === 'never')
          return refuse(409, 'The plan is pending. The server approves on execute only with --approve-on-execute.');
        if (wanted.state !== 'approved' && !(wanted.state === 'pending' && approves))
          return refuse(409, conflictText(wanted));
        const approved = (plan: Plan): Outcome<Plan, PlanConflict> =>
          plan.state === 'pending' && approves ? approvePlan(plan, plan.steps) : ok(plan);
        const {enabled, provider} = body.sandboxConfig ?? {enabled: true, provider: undefined};
        const {apiKey, baseUrl = '', model = ''} = body.modelConfig ?? {};
        const spec: SpecOf<'execution'> = {
          kind: 'execution',
          plan: wanted.id,
          prompt: body.prompt,
          directory: body.workDir ?? wanted.directory,
          sandbox: enabled ? (provider ?? 'of-settings') : 'native',
          model,
          baseUrl,
          skills: body.skillsPath ?? '',
          conditions: conditionsOf(body),
        };
        if (body.background && queue !== 'none') {
          if (apiKey !== undefined)
            return refuse(
              400,
              'Invalid request: a worker runs it with its own key, because keys are not saved, in body.modelConfig.apiKey',
            );
          const session = newSession();
          const ready = plans.change(wanted.id, approved);
          if (ready.tag === 'failed') return planReply(ready);
          const added = await jobs.add({id, spec, session}, 'queued');
          if (added === 'used') return usedTaskId;
          if (added === 'busy') return refuse(409, 'The plan is already waiting for a worker.');
          await queue.add(id);
          return json(202, {taskId: id, sessionId: session});
        }
        const {directory: workDir, sandbox, skills, conditions} = spec;
        const opened = await agent.open({
          session: 'new',
          workDir,
          model: modelOf(body.modelConfig),
          work: {kind: 'execution', sandbox, skills},
          conditions,
        });
        if (opened.tag === 'failed') return refuse(opened.error.status, opened.error.error);
        const job = {id, spec, session: 'not-open'} as const;
        const begun = plans.change(
          wanted.id,
          plan => {
            const ready = approved(plan);
            return ready.tag === 'ok' ? beginPlan(ready.value) : ready;
          },
          job,
        );
        if (begun.tag === 'failed') {
          await opened.value.close('finished');
          return planReply(begun);
        }
        const execution = startExecution(runs, opened.value, {
          plan: begun.value,
          job: await ClaimedJob.added(jobs, job),
          prompt: body.prompt,
          begin: 'first',
          deltas: deltasOf(query),
        });
        return body.background
          ? json(202, {taskId: id, sessionId: execution.session ?? ''})
          : {kind: 'events', stream: execution.events, after: 0};
      },
    }),
    route('get', '/agent/tasks', {
      tag: 'plans',
      id: 'listAgentTasks',
      summary: 'List the tasks',
      answer: [200, 'The tasks, newest first', z.array(taskAnswer)],
      handle: async () => {
        const tasks = [...(await jobs.list({kind: 'execution'})), ...(await jobs.list({kind: 'direct'}))].filter(
          isTask,
        );
        return json(200, tasks.toSorted((a, b) => b.createdAt - a.createdAt).map(shownTask));
      },
    }),
    route('get', '/agent/tasks/{taskId}', {
      tag: 'plans',
      id: 'getAgentTask',
      summary: 'Get a task',
      answer: [200, 'The task', taskAnswer],
      errors: {404: noTask},
      handle: async ({params: {taskId = ''}}) => {
        const task = await findTask(taskId);
        return task === undefined ? refuse(404, `${noTask}.`) : json(200, shownTask(task));
      },
    }),
    route('get', '/agent/tasks/{taskId}/messages', {
      tag: 'plans',
      id: 'listAgentTaskMessages',
      summary: 'Get the conversation of a task',
      answer: [200, 'Messages of the Agent SDK, oldest first', z.array(jsonObject)],
      errors: {404: noTask},
      handle: async ({params: {taskId = ''}}) => {
        const task = await findTask(taskId);
        const messages =
          task === undefined || task.session === 'not-open' ? 'unknown' : await agent.messages(task.session);
        return messages === 'unknown' ? refuse(404, `${noTask}.`) : json(200, messages);
      },
    }),
    route('get', '/agent/tasks/{taskId}/files', {
      tag: 'plans',
      id: 'listAgentTaskFiles',
      summary: 'List the files that a task has changed',
      answer: [200, 'The changes, in order', z.array(fileAnswer)],
      errors: {404: noTask},
      handle: async ({params: {taskId = ''}}) => {
        const task = await findTask(taskId);
        return task === undefined
          ? refuse(404, `${noTask}.`)
          : json(
              200,
              task.files.map(file => ({...file, at: new Date(file.at).toISOString()})),
            );
      },
    }),
    route('get', '/agent/tasks/{taskId}/events', {
      tag: 'plans',
      id: 'followAgentTask',
      summary: 'Follow a task, after Last-Event-ID if given',
      answer: [200, "The agent's work, as events", agentMessage],
      answerIs: 'events',
      errors: {404: noTask},
      handle: async ({params: {taskId = ''}, lastEventId}) => {
        const task = await findTask(taskId);
        if (task === undefined) return refuse(404, `${noTask}.`);
        const {id, session, state} = task;
        const isLive = session !== 'not-open' && state === 'running' && runs.isRunning(session);
        const live = isLive ? runs.events(session) : 'none';
        return {
          kind: 'events',
          stream: live === 'none' ? await StoredEvents.ofJob(jobs, id) : live,
          after: lastEventId,
        };
      },
    }),
  ];
}

const noPlan = 'There is no such plan';
const noTask = 'There is no such task';
const planErrors = {404: noPlan, 409: 'The state of the plan no longer allows this'};

const conflictText = ({state}: PlanConflict): string => `The plan is ${state}.`;

function tried(done: Outcome<unknown, string>, schema: typeof dryRunAnswer | typeof appliedAnswer): Reply {
  if (done.tag === 'failed') return refuse(409, done.error);
  const read = schema.safeParse(done.value);
  return read.success ? json(200, read.data) : refuse(409, 'The dry run gave no result.');
}

function planReply(changed: Outcome<Plan, PlanConflict | 'unknown'>): Reply {
  if (changed.tag === 'ok') return json(200, toClientPlan(changed.value));
  return changed.error === 'unknown' ? refuse(404, `${noPlan}.`) : refuse(409, conflictText(changed.error));
}

type Task = Job & {readonly spec: SpecOf<'execution' | 'direct'>};

/** True for tasks that programs started. A task that a person started has an id that programs can't use. */
const isTask = (job: Job): job is Task => isTaskSpec(job.spec) && parseAgentTaskId(job.id) !== undefined;

const shownTask = ({id, session, spec, state, createdAt, endedAt, cost}: Task) => ({
  id,
  sessionId: session === 'not-open' ? '' : session,
  planId: spec.kind === 'execution' ? spec.plan : null,
  prompt: spec.prompt,
  workDir: spec.directory,
  state,
  createdAt: new Date(createdAt).toISOString(),
  endedAt: endedAt === 0 ? null : new Date(endedAt).toISOString(),
  cost,
});
