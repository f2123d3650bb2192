import * as z from 'zod/mini';
import {isJsonObject, type JsonObject} from '../../base/json.ts';
import type {Outcome} from '../../base/outcome.ts';
import {type AgentTask, agentTaskStates} from '../../domain/agent-task.ts';
import {type AgentTaskId, parseAgentTaskId, planId, type SessionId} from '../../domain/ids.ts';
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
import {schemaNotes} from '../../tasks/stack/stack-requests.ts';
import {type AgentRuns, noRecord} from '../agent-runs.ts';
import type {EventStream} from '../event-stream.ts';
import {type PlansPort, startExecution, type TasksPort} from '../plan-execution.ts';
import type {QueuePort} from '../queued-runs.ts';
import {json, refuse, route, type Reply, type Route} from '../route.ts';
import {agentMessage, type AgentPort, modelConfig} from './agent-routes.ts';
import {shownPlan, taskPlan} from './shown-plan.ts';

const text = z.string().check(z.minLength(1));
const object = z.custom<JsonObject>(isJsonObject);
schemaNotes.add(object, {type: 'object'});

const planRequest = z.object({prompt: text, workDir: z.optional(text), modelConfig: z.optional(modelConfig)});

/** Edited steps: texts, or steps as the plan has them. */
const approveRequest = z.object({
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

const rejectRequest = z.object({reason: z.prefault(z.string(), '')});

const executeRequest = z.object({
  planId: text,
  prompt: z.prefault(z.string(), ''),
  workDir: z.optional(text),
  taskId: z.optional(text),
  skillsPath: z.optional(text),
  sandboxConfig: z.optional(z.object({enabled: z.boolean(), provider: z.optional(z.enum(providerNames))})),
  modelConfig: z.optional(modelConfig),
  background: z.prefault(z.boolean(), false),
});

const taskAnswer = z.object({
  id: z.string(),
  sessionId: z.string(),
  planId: z.string(),
  prompt: z.string(),
  workDir: z.string(),
  state: z.enum(agentTaskStates),
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

const started = z.object({taskId: z.string(), sessionId: z.string()});

/** What plans and their execution need besides the agent. */
export interface PlanRoutesDeps {
  readonly agent: AgentPort;
  readonly runs: AgentRuns;
  readonly plans: PlansPort;
  readonly tasks: TasksPort;
  /** Where executions in the background wait for a worker; `none` where this server does them itself. */
  readonly queue: QueuePort | 'none';
  readonly now: () => number;
  readonly newSession: () => SessionId;
  /** An id for a task that the program has not named. */
  readonly newTaskId: () => string;
}

/** Plan, approve, execute; and the executions as tasks, which are kept. */
export function planRoutes({
  agent,
  runs,
  plans,
  tasks,
  queue,
  now,
  newSession,
  newTaskId,
}: PlanRoutesDeps): readonly Route[] {
  const findTask = (raw: string): AgentTask | 'unknown' => {
    const id = parseAgentTaskId(raw);
    return id === undefined ? 'unknown' : tasks.find(id);
  };
  return [
    route('post', '/agent/plan', {
      tag: 'plans',
      id: 'makePlan',
      summary: 'Have the agent plan, which changes nothing',
      body: planRequest,
      answer: [200, 'What the agent does, as events; the plan is one of them', agentMessage],
      answerIs: 'events',
      handle: async ({body: {prompt, workDir, modelConfig: config}}) => {
        const opened = await agent.open({session: 'new', workDir, model: modelOf(config), work: {kind: 'plan'}});
        if (opened.tag === 'failed') return refuse(opened.error.status, opened.error.error);
        const work = {kind: 'plan'} as const;
        const stream = runs.start(opened.value, {text: prompt, images: [], context: '', work, record: noRecord});
        return {kind: 'events', stream, after: 0};
      },
    }),
    route('get', '/agent/plans/{planId}', {
      tag: 'plans',
      id: 'getPlan',
      summary: 'Get a plan and how far it is',
      answer: [200, 'The plan', taskPlan],
      errors: {404: noPlan},
      handle: ({params}) => {
        const plan = plans.find(planId(params['planId'] ?? ''));
        return plan === 'unknown' ? refuse(404, `${noPlan}.`) : json(200, shownPlan(plan));
      },
    }),
    route('post', '/agent/plan/{planId}/approve', {
      tag: 'plans',
      id: 'approvePlan',
      summary: 'Approve a plan, with other steps if need be',
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
      summary: 'Reject a plan that is not executed yet',
      body: rejectRequest,
      bodyIs: 'optional',
      answer: [200, 'The plan', taskPlan],
      errors: planErrors,
      handle: ({params, body: {reason}}) =>
        planReply(plans.change(planId(params['planId'] ?? ''), plan => rejectPlan(plan, reason))),
    }),
    route('post', '/agent/execute', {
      tag: 'plans',
      id: 'executePlan',
      summary: 'Carry out an approved plan, once',
      body: executeRequest,
      answer: [200, 'What the agent does, as events', agentMessage],
      answerIs: 'events',
      otherAnswer: [202, 'It runs in the background', started],
      errors: {404: noPlan, 409: 'The plan is not approved, or was executed; or the task id is taken'},
      handle: async ({body}) => {
        const id = parseAgentTaskId(body.taskId ?? newTaskId());
        if (id === undefined)
          return refuse(400, 'The request does not fit: letters, digits, _ and -, at most 100, in body.taskId');
        const wanted = plans.find(planId(body.planId));
        if (wanted === 'unknown') return refuse(404, `${noPlan}.`);
        if (wanted.state !== 'approved') return refuse(409, conflictText(wanted));
        if (tasks.find(id) !== 'unknown') return refuse(409, 'There is a task of this id already.');
        const {enabled, provider} = body.sandboxConfig ?? {enabled: true, provider: undefined};
        const sandbox = enabled ? (provider ?? 'of-settings') : 'native';
        if (body.background && queue !== 'none') {
          const {apiKey, baseUrl = '', model = ''} = body.modelConfig ?? {};
          if (apiKey !== undefined)
            return refuse(
              400,
              'The request does not fit: a worker does it, with the key of its own, since keys are not kept, in body.modelConfig.apiKey',
            );
          const directory = body.workDir ?? wanted.directory;
          const session = newSession();
          const task = {
            id,
            session,
            plan: wanted.id,
            prompt: body.prompt,
            directory,
            createdAt: now(),
            endedAt: 0,
            cost: 0,
            files: [],
          };
          if (tasks.add({...task, state: 'queued'}) === 'used')
            return refuse(409, 'There is a task of this id already.');
          const {plan, prompt} = task;
          const added = await queue.add({
            kind: 'execution',
            task: id,
            session,
            plan,
            prompt,
            directory,
            sandbox,
            model,
            baseUrl,
            skills: body.skillsPath ?? '',
          });
          if (added === 'added') return json(202, {taskId: id, sessionId: session});
          tasks.change(id, each => ({...each, state: 'stopped', endedAt: now()}));
          return refuse(409, 'The plan waits for a worker already.');
        }
        const opened = await agent.open({
          session: 'new',
          workDir: body.workDir ?? wanted.directory,
          model: modelOf(body.modelConfig),
          work: {kind: 'execution', sandbox, skills: body.skillsPath ?? ''},
        });
        if (opened.tag === 'failed') return refuse(opened.error.status, opened.error.error);
        const begun = plans.change(wanted.id, beginPlan);
        if (begun.tag === 'failed') {
          await opened.value.close('finished');
          return begun.error === 'unknown' ? refuse(404, `${noPlan}.`) : refuse(409, conflictText(begun.error));
        }
        const execution = startExecution(
          opened.value,
          {
            task: id,
            plan: begun.value,
            prompt: body.prompt,
            directory: body.workDir ?? wanted.directory,
            begin: 'new-task',
          },
          {runs, plans, tasks, now},
        );
        return body.background
          ? json(202, {taskId: id, sessionId: execution.session() ?? ''})
          : {kind: 'events', stream: execution.stream, after: 0};
      },
    }),
    route('get', '/agent/tasks', {
      tag: 'plans',
      id: 'listAgentTasks',
      summary: 'List the tasks',
      answer: [200, 'The tasks, newest first', z.array(taskAnswer)],
      handle: () => json(200, tasks.list().map(shownTask)),
    }),
    route('get', '/agent/tasks/{taskId}', {
      tag: 'plans',
      id: 'getAgentTask',
      summary: 'Get a task',
      answer: [200, 'The task', taskAnswer],
      errors: {404: noTask},
      handle: ({params: {taskId = ''}}) => {
        const task = findTask(taskId);
        return task === 'unknown' ? refuse(404, `${noTask}.`) : json(200, shownTask(task));
      },
    }),
    route('get', '/agent/tasks/{taskId}/messages', {
      tag: 'plans',
      id: 'listAgentTaskMessages',
      summary: 'Get the conversation of a task',
      answer: [200, 'Messages of the Agent SDK, oldest first', z.array(object)],
      errors: {404: noTask},
      handle: async ({params: {taskId = ''}}) => {
        const task = findTask(taskId);
        const messages = task === 'unknown' ? 'unknown' : await agent.messages(task.session);
        return messages === 'unknown' ? refuse(404, `${noTask}.`) : json(200, messages);
      },
    }),
    route('get', '/agent/tasks/{taskId}/files', {
      tag: 'plans',
      id: 'listAgentTaskFiles',
      summary: 'List the files that a task has changed',
      answer: [200, 'The changes, in order', z.array(fileAnswer)],
      errors: {404: noTask},
      handle: ({params: {taskId = ''}}) => {
        const task = findTask(taskId);
        return task === 'unknown'
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
      summary: 'Follow a task; with Last-Event-ID from there on',
      answer: [200, 'What the agent does, as events', agentMessage],
      answerIs: 'events',
      errors: {404: noTask},
      handle: ({params: {taskId = ''}, lastEventId}) => {
        const task = findTask(taskId);
        if (task === 'unknown') return refuse(404, `${noTask}.`);
        const live = runs.isRunning(task.session) ? runs.events(task.session) : 'none';
        return {kind: 'events', stream: live === 'none' ? keptEvents(task.id, tasks) : live, after: lastEventId};
      },
    }),
  ];
}

const noPlan = 'There is no such plan';
const noTask = 'There is no such task';
const planErrors = {404: noPlan, 409: 'The plan is no longer in a state in which this can be done'};

const modelOf = (config: z.infer<typeof modelConfig> | undefined) => ({
  apiKey: config?.apiKey,
  baseUrl: config?.baseUrl,
  model: config?.model,
});

const conflictText = ({state}: PlanConflict): string => `The plan is ${state}.`;

function planReply(changed: Outcome<Plan, PlanConflict | 'unknown'>): Reply {
  if (changed.tag === 'ok') return json(200, shownPlan(changed.value));
  return changed.error === 'unknown' ? refuse(404, `${noPlan}.`) : refuse(409, conflictText(changed.error));
}

const shownTask = ({id, session, plan, prompt, directory, state, createdAt, endedAt, cost}: AgentTask) => ({
  id,
  sessionId: session,
  planId: plan,
  prompt,
  workDir: directory,
  state,
  createdAt: new Date(createdAt).toISOString(),
  endedAt: endedAt === 0 ? null : new Date(endedAt).toISOString(),
  cost,
});

/** Events at once from the store. */
const mostAtOnce = 200;

/** Milliseconds between two looks for events that another process keeps. */
const lookMs = 500;

/** The events of a task that runs no more, or in another process. */
function keptEvents(id: AgentTaskId, tasks: TasksPort): EventStream {
  let seen = 0;
  /** At how many looks one after the other it had ended without a further event: the last one is kept after the end. */
  let quiet = 0;
  const isAtWork = (): boolean => {
    const task = tasks.find(id);
    return task !== 'unknown' && (task.state === 'running' || task.state === 'queued');
  };
  let isOver = !isAtWork();
  return {
    after: last => tasks.events(id, last, mostAtOnce),
    get isOver() {
      return isOver;
    },
    subscribe(listener) {
      if (isOver) return () => {};
      const timer = setInterval(() => {
        try {
          const last = tasks.lastEvent(id);
          quiet = last === seen && !isAtWork() ? quiet + 1 : 0;
          if (last === seen && quiet < 2) return;
          seen = last;
          isOver = quiet >= 2;
        } catch {
          // The reader comes back with the number of its last event.
          isOver = true;
        }
        listener();
        if (isOver) clearInterval(timer);
      }, lookMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
