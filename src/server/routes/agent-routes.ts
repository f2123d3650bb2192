import * as z from 'zod/mini';
import type {ArtifactUrl} from '../../actions/artifacts-port.ts';
import {ok} from '../../base/outcome.ts';
import {changeKinds} from '../../domain/change-set.ts';
import type {ImageBlock} from '../../domain/conversation.ts';
import {efforts} from '../../domain/model-stream.ts';
import {conditionForms, type EndConditions, readCondition} from '../../domain/goal.ts';
import {imageFrom} from '../../domain/image-facts.ts';
import {type AgentTaskId, parseAgentTaskId, parseSessionId, type SessionId} from '../../domain/ids.ts';
import {planStates, planStepStatuses} from '../../domain/plan.ts';
import {riskLevels} from '../../domain/risk.ts';
import type {SessionSummary} from '../../domain/journal.ts';
import {cancelReasons} from '../../domain/settled.ts';
import {anyJson, jsonObject, schemaNotes, nonEmptyText as text} from '../../tasks/stack/stack-records.ts';
import type {AnswerEnd, JobStore} from '../../domain/job.ts';
import type {AgentPort} from '../../jobs/agent-port.ts';
import type {AgentRuns, Prompt} from '../../jobs/agent-runs.ts';
import {ClaimedJob} from '../../jobs/claimed-job.ts';
import {flag, isTrue, json, refuse, route, type Reply, type Route} from '../route.ts';

/** Returns the path of an artifact. */
export const artifactPath: ArtifactUrl = ({session, sha256}) => `/agent/sessions/${session}/artifacts/${sha256}`;

const goalForm = `not a condition that weft can check: ${conditionForms.join('; ')}`;

const image = z.strictObject({type: z.literal('image'), data: text, mimeType: z.optional(z.string())});

/** How a client wants text: whole, or as it arrives. */
export const textQuery = z.object({deltas: z.optional(flag)});
export const deltasOf = ({deltas}: z.infer<typeof textQuery>): Prompt['deltas'] =>
  isTrue(deltas) ? 'with' : 'without';

export const modelConfig = z.strictObject({
  apiKey: z.optional(text),
  baseUrl: z.optional(text),
  model: z.optional(text),
  effort: z.optional(z.enum(efforts)),
});

/** The conditions under which a prompt or a plan may end. */
export const conditionFields = {
  goal: z.optional(text.check(z.refine(goal => readCondition(goal).tag === 'ok', goalForm))),
  requireChecks: z.optional(z.array(text)),
};

/** Returns the conditions of a request; `undefined` if it has none. */
export const conditionsOf = ({
  goal = '',
  requireChecks = [],
}: {
  readonly goal?: string | undefined;
  readonly requireChecks?: readonly string[] | undefined;
}): EndConditions | undefined => (goal === '' && requireChecks.length === 0 ? undefined : {goal, requireChecks});

const promptRequest = z.strictObject({
  prompt: text,
  workDir: z.optional(text),
  sessionId: z.optional(text),
  taskId: z.optional(text),
  conversation: z.prefault(
    z.array(z.strictObject({role: z.enum(['user', 'assistant', 'system']), content: z.string()})),
    [],
  ),
  images: z.prefault(z.array(image), []),
  attachments: z.prefault(z.array(image), []),
  modelConfig: z.optional(modelConfig),
  ...conditionFields,
});

const permissionRequest = z.strictObject({
  sessionId: text,
  permissionId: text,
  decision: z.enum(['allow', 'allow_session', 'deny']),
  message: z.prefault(z.string(), ''),
});

const questionRequest = z.strictObject({
  sessionId: text,
  questionId: text,
  answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
});

const planStep = z.object({id: z.string(), description: z.string(), status: z.enum(planStepStatuses)});

export const taskPlan = z.object({
  id: z.string(),
  goal: z.string(),
  steps: z.array(planStep),
  notes: z.optional(z.string()),
  createdAt: z.string(),
  state: z.enum(planStates),
  sessionId: z.string(),
  workDir: z.string(),
  reason: z.optional(z.string()),
});
schemaNotes.add(taskPlan, {id: 'TaskPlan'});

/** A permission request. With `changes` the command has already run, and the answer keeps or drops these changes. */
const permission = z.looseObject({
  id: z.string(),
  toolName: z.string(),
  input: anyJson,
  title: z.optional(z.string()),
  risk: z.optional(z.enum(riskLevels)),
  reasons: z.optional(z.array(z.string())),
  options: z.optional(z.array(z.enum(['allow', 'allow_session', 'deny']))),
  changes: z.optional(z.array(z.object({path: z.string(), kind: z.enum(changeKinds)}))),
  questionId: z.optional(z.string()),
});

export const agentMessage = z.object({
  type: z.enum([
    'text',
    'text_delta',
    'tool_use',
    'tool_result',
    'session',
    'notice',
    'done',
    'error',
    'plan',
    'permission_request',
  ]),
  sessionId: z.optional(z.string()),
  content: z.optional(z.string()),
  name: z.optional(z.string()),
  id: z.optional(z.string()),
  input: z.optional(anyJson),
  toolUseId: z.optional(z.string()),
  output: z.optional(z.string()),
  isError: z.optional(z.boolean()),
  outcome: z.optional(z.enum(['success', 'error', 'cancelled'])),
  reason: z.optional(z.enum(cancelReasons)),
  plan: z.optional(taskPlan),
  permission: z.optional(permission),
  message: z.optional(z.string()),
  cost: z.optional(z.number()),
  unknownCosts: z.optional(z.array(z.string())),
  estimatedCosts: z.optional(z.array(z.string())),
  duration: z.optional(z.number()),
  checks: z.optional(
    z.array(
      z.object({
        name: z.string(),
        command: z.string(),
        directory: z.string(),
        exit_code: z.nullable(z.int()),
        fresh: z.boolean(),
        passed: z.optional(z.int()),
        failed: z.optional(z.int()),
        at: z.string(),
        tree: z.string(),
      }),
    ),
  ),
  state: z.optional(z.enum(planStates)),
  openSteps: z.optional(z.array(planStep)),
});
schemaNotes.add(agentMessage, {id: 'AgentMessage'});

const sessionAnswer = z.object({
  id: z.string(),
  title: z.string(),
  workDir: z.string(),
  model: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  messages: z.int(),
  running: z.boolean(),
});
schemaNotes.add(sessionAnswer, {id: 'Session'});

const settled = z.object({sessionId: z.string(), state: z.string()});

const shown =
  (running: ReadonlySet<SessionId>) =>
  ({id, title, directory, model, createdAt, updatedAt, messages}: SessionSummary) => ({
    id,
    title,
    workDir: directory,
    model,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    messages,
    running: running.has(id),
  });

export interface AgentRoutesDeps {
  readonly agent: AgentPort;
  readonly runs: AgentRuns;
  readonly jobs: JobStore;
  /** Returns an id for a task without an id from the program. */
  readonly newTaskId: () => string;
  readonly directory: string;
}

/** The routes of the agent: prompts as event streams, answers to its questions, and its sessions. */
export function agentRoutes({agent: port, runs, jobs, newTaskId, directory}: AgentRoutesDeps): readonly Route[] {
  const find = async (raw: string): Promise<SessionSummary | undefined> => {
    const idPrefix = parseSessionId(raw);
    return idPrefix === undefined ? undefined : (await port.sessions({idPrefix}))[0];
  };

  return [
    route('post', '/agent', {
      tag: 'agent',
      id: 'runAgent',
      summary: 'Send a prompt to the agent',
      query: textQuery,
      body: promptRequest,
      bodyLimit: 'images',
      answer: [200, "The agent's work, as events", agentMessage],
      answerIs: 'events',
      errors: {404: noSession, 409: 'The session is already running a prompt, or the task id is taken'},
      handle: async ({body, query}) => {
        const id = await freeTaskId(jobs, body.taskId ?? newTaskId());
        if (typeof id !== 'string') return id;
        const session = body.sessionId === undefined ? 'new' : parseSessionId(body.sessionId);
        if (session === undefined) return refuse(404, `${noSession}.`);
        if (session !== 'new' && (await runs.running()).has(session))
          return refuse(409, 'The session is already running a prompt.');
        const images: ImageBlock[] = [];
        for (const {data, mimeType} of [...body.images, ...body.attachments]) {
          const read = imageFrom(data, mimeType);
          if (read.tag === 'failed') return refuse(400, `Invalid request: an image of body.images ${read.error}`);
          images.push(read.value);
        }
        const conditions = conditionsOf(body);
        const isAsItWas = body.modelConfig === undefined && body.workDir === undefined && conditions === undefined;
        if (session !== 'new' && runs.isAttached(session) && !isAsItWas)
          return refuse(
            409,
            'The session is attached to a terminal. Send the prompt without workDir, modelConfig, goal and requireChecks.',
          );
        const held = session === 'new' ? 'none' : await runs.resume(session, isAsItWas ? 'as-it-was' : 'anew');
        const opened =
          held === 'none'
            ? await port.open({
                session,
                workDir: body.workDir,
                model: modelOf(body.modelConfig),
                work: {kind: 'prompt'},
                conditions,
              })
            : ok(held);
        if (opened.tag === 'failed') return refuse(opened.error.status, opened.error.error);
        const known = body.workDir === undefined && session !== 'new' ? await find(session) : undefined;
        const folder = body.workDir ?? known?.directory ?? directory;
        const spec = {kind: 'direct', id, prompt: body.prompt, directory: folder} as const;
        const job = {id, spec, session: session === 'new' ? 'not-open' : session} as const;
        if ((await jobs.add(job, 'running')) !== 'added') {
          await opened.value.close('finished');
          return usedTaskId;
        }
        const {events} = runs.start(opened.value, {
          text: body.prompt,
          images: images.filter(each => each !== undefined),
          ...earlier(body.conversation),
          deltas: deltasOf(query),
          work: {kind: 'prompt'},
          job: await ClaimedJob.added(jobs, job),
        });
        return {kind: 'events', stream: events, after: 0};
      },
    }),
    route('post', '/agent/stop/{sessionId}', {
      tag: 'agent',
      id: 'stopAgent',
      summary: 'Stop the running work of a session',
      answer: [200, 'The session is stopped and saved', settled],
      errors: {404: noSession},
      handle: async ({params: {sessionId = ''}}) => {
        const session = parseSessionId(sessionId);
        const isKept = (await find(sessionId)) !== undefined;
        if (session === undefined || ((await runs.stop(session)) === 'unknown' && !isKept))
          return refuse(404, `${noSession}.`);
        return json(200, {sessionId: session, state: 'stopped'});
      },
    }),
    route('post', '/agent/permission', {
      tag: 'agent',
      id: 'answerPermission',
      summary: 'Answer a permission request',
      body: permissionRequest,
      answer: [200, 'The decision is accepted', settled],
      errors: askErrors,
      handle: async ({body: {sessionId, permissionId, decision, message}}) => {
        const session = parseSessionId(sessionId);
        if (session === undefined) return refuse(404, `${noSession}.`);
        return replyTo(session, await runs.answer(session, permissionId, {kind: 'approval', decision, message}));
      },
    }),
    route('post', '/agent/question', {
      tag: 'agent',
      id: 'answerQuestion',
      summary: 'Answer a question of the agent',
      body: questionRequest,
      answer: [200, 'The answers are accepted', settled],
      errors: askErrors,
      handle: async ({body: {sessionId, questionId, answers}}) => {
        const session = parseSessionId(sessionId);
        if (session === undefined) return refuse(404, `${noSession}.`);
        return replyTo(session, await runs.answer(session, questionId, {kind: 'question', answers}));
      },
    }),
    route('get', '/agent/sessions', {
      tag: 'agent',
      id: 'listSessions',
      summary: 'List the sessions',
      answer: [200, 'The sessions, newest first', z.array(sessionAnswer)],
      handle: async () => json(200, (await port.sessions()).map(shown(await runs.running()))),
    }),
    route('get', '/agent/sessions/{sessionId}', {
      tag: 'agent',
      id: 'getSession',
      summary: 'Get a session',
      answer: [200, 'The session', sessionAnswer],
      errors: {404: noSession},
      handle: async ({params: {sessionId = ''}}) => {
        const found = await find(sessionId);
        return found === undefined ? refuse(404, `${noSession}.`) : json(200, shown(await runs.running())(found));
      },
    }),
    route('get', '/agent/sessions/{sessionId}/events', {
      tag: 'agent',
      id: 'followSession',
      summary: 'Follow the prompt of a session, after Last-Event-ID if given',
      answer: [200, "The agent's work, as events", agentMessage],
      answerIs: 'events',
      errors: {404: unknownStream},
      handle: ({params: {sessionId = ''}, lastEventId}) => {
        const session = parseSessionId(sessionId);
        const stream = session === undefined ? 'none' : runs.events(session);
        return stream === 'none' ? refuse(404, `${unknownStream}.`) : {kind: 'events', stream, after: lastEventId};
      },
    }),
    route('get', '/agent/sessions/{sessionId}/messages', {
      tag: 'agent',
      id: 'listSessionMessages',
      summary: 'Get the conversation of a session',
      answer: [200, 'Messages of the Agent SDK, oldest first', z.array(jsonObject)],
      errors: {404: noSession},
      handle: async ({params: {sessionId = ''}}) => {
        const session = parseSessionId(sessionId);
        const messages = session === undefined ? 'unknown' : await port.messages(session);
        return messages === 'unknown' ? refuse(404, `${noSession}.`) : json(200, messages);
      },
    }),
    route('get', '/agent/sessions/{sessionId}/artifacts/{sha256}', {
      tag: 'agent',
      id: 'getArtifact',
      summary: 'Get a file that the agent saved with a session',
      answer: [200, 'The file, unchanged', z.string()],
      answerIs: 'file',
      errors: {404: noArtifact},
      handle: async ({params: {sessionId = '', sha256 = ''}, signal}) => {
        const session = parseSessionId(sessionId);
        const found = session === undefined ? undefined : await port.artifact({session, sha256}, signal);
        return found === undefined ? refuse(404, `${noArtifact}.`) : {kind: 'file', ...found};
      },
    }),
  ];
}

const noSession = 'There is no such session';
const unknownStream = 'There is no such session, or its last prompt ended long ago';
const noArtifact = 'There is no such artifact';
const askErrors = {404: 'There is no such question', 409: 'The question was already answered'};

function replyTo(session: SessionId, end: AnswerEnd): Reply {
  if (end === 'taken') return json(200, {sessionId: session, state: 'answered'});
  return end === 'unknown' ? refuse(404, `${askErrors[404]}.`) : refuse(409, `${askErrors[409]}.`);
}

export const usedTaskId = refuse(409, 'A task with this id already exists.');

/** Returns the id for a new task, or the refusal of an id that is invalid or taken. */
export async function freeTaskId(jobs: JobStore, given: string): Promise<AgentTaskId | Reply> {
  const id = parseAgentTaskId(given);
  if (id === undefined) return refuse(400, 'Invalid request: letters, digits, _ and -, at most 100, in body.taskId');
  return (await jobs.list({id})).length > 0 ? usedTaskId : id;
}

/** Returns the model that a request chooses. Fields that it leaves out are undefined. */
export const modelOf = (config: z.infer<typeof modelConfig> | undefined) => ({
  apiKey: config?.apiKey,
  baseUrl: config?.baseUrl,
  model: config?.model,
  effort: config?.effort,
});

/** Splits a conversation into messages, and text that can't be one: what the system says, and answers before the first prompt. */
function earlier(
  conversation: z.infer<typeof promptRequest>['conversation'],
): Pick<Prompt, 'conversation' | 'context'> {
  const said = conversation.filter(({content}) => content.trim() !== '');
  const first = said.findIndex(({role}) => role === 'user');
  const isMessage = (role: string, at: number): boolean => role !== 'system' && first >= 0 && at >= first;
  return {
    conversation: said.flatMap(({role, content}, at) =>
      role !== 'system' && isMessage(role, at) ? {role, text: content} : [],
    ),
    context: said.flatMap(({role, content}, at) => (isMessage(role, at) ? [] : `${role}: ${content}`)).join('\n\n'),
  };
}
