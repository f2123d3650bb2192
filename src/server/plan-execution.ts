import type {AgentClient} from '../agent/client.ts';
import type {FileDiff} from '../actions/preview.ts';
import type {Outcome} from '../base/outcome.ts';
import type {AgentTask, TaskFile} from '../domain/agent-task.ts';
import type {AgentTaskId, PlanId, SessionId} from '../domain/ids.ts';
import {goOnPlanPrompt, type Plan, type PlanConflict, planPrompt} from '../domain/plan.ts';
import type {AgentRuns} from './agent-runs.ts';
import type {EventStream, NumberedEvent} from './event-stream.ts';

/** The plans that are kept. */
export interface PlansPort {
  find(id: PlanId): Plan | 'unknown';
  change(id: PlanId, work: (plan: Plan) => Outcome<Plan, PlanConflict>): Outcome<Plan, PlanConflict | 'unknown'>;
}

/** The tasks that are kept, with their events. */
export interface TasksPort {
  add(task: AgentTask): 'added' | 'used';
  /** It runs, and is this process's own from now on. */
  begin(id: AgentTaskId): void;
  find(id: AgentTaskId): AgentTask | 'unknown';
  list(): readonly AgentTask[];
  change(id: AgentTaskId, work: (task: AgentTask) => AgentTask): void;
  addEvent(id: AgentTaskId, event: {readonly seq: number; readonly data: string}): void;
  events(id: AgentTaskId, after: number, most: number): readonly NumberedEvent[];
  /** The number of the last event; 0 where there is none. */
  lastEvent(id: AgentTaskId): number;
}

/** A plan that was claimed, and what is done with it. */
export interface Execution {
  readonly task: AgentTaskId;
  readonly plan: Plan;
  readonly prompt: string;
  readonly directory: string;
  /** `again`: after it was cut off; the task is kept already. */
  readonly begin: 'new-task' | 'kept-task' | 'again';
}

export interface ExecutionDeps {
  readonly runs: AgentRuns;
  readonly plans: PlansPort;
  readonly tasks: TasksPort;
  readonly now: () => number;
}

/** Has the agent carry out a plan, and keeps that as a task. `ended` settles when all of it is kept. */
export function startExecution(
  client: AgentClient,
  {task: id, plan, prompt, directory, begin}: Execution,
  {runs, plans, tasks, now}: ExecutionDeps,
): {readonly stream: EventStream; session(): SessionId | undefined; readonly ended: Promise<void>} {
  const before = begin === 'again' ? tasks.lastEvent(id) : 0;
  const ended = Promise.withResolvers<void>();
  let session: SessionId | undefined;
  // Another one of the same id, which came at the same moment, is left alone.
  let isKept = false;
  const request = prompt.trim() === '' ? '' : `\n\nThe request that it was made for: ${prompt}`;
  const stream = runs.start(client, {
    text: `${begin === 'again' ? goOnPlanPrompt(plan) : planPrompt(plan)}${request}`,
    images: [],
    context: '',
    work: {kind: 'execution', plan},
    record: {
      opened(opening) {
        session = opening;
        if (begin === 'new-task') {
          const task = {
            id,
            session,
            plan: plan.id,
            prompt,
            directory,
            createdAt: now(),
            endedAt: 0,
            cost: 0,
            files: [],
          };
          isKept = tasks.add({...task, state: 'running'}) === 'added';
        } else {
          tasks.begin(id);
          isKept = true;
        }
      },
      event({id: seq, data}) {
        if (isKept) tasks.addEvent(id, {seq: before + seq, data});
      },
      files(files, call) {
        if (!isKept || files.length === 0) return;
        const at = now();
        const changed = files.map((file): TaskFile => ({path: file.path, action: actionOn(file), at, toolUseId: call}));
        tasks.change(id, task => ({...task, files: [...task.files, ...changed]}));
      },
      ended({cost, end}) {
        ended.resolve();
        if (isKept) {
          const after = plans.find(plan.id);
          const isDone = after !== 'unknown' && after.state === 'completed';
          const state = end === 'interrupted' ? 'stopped' : isDone ? 'completed' : 'failed';
          tasks.change(id, task => ({...task, state, endedAt: now(), cost: task.cost + cost}));
        }
      },
    },
  });
  return {stream, session: () => session, ended: ended.promise};
}

function actionOn({before, after, movedFrom}: FileDiff): TaskFile['action'] {
  if (movedFrom !== undefined) return 'renamed';
  if (before === 'absent') return 'created';
  return after === 'absent' ? 'deleted' : 'modified';
}
