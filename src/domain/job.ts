import {byKind} from '../base/unreachable.ts';
import type {Outcome} from '../base/outcome.ts';
import type {EndConditions} from './goal.ts';
import type {AgentTaskId, PlanId, ScheduleId, SessionId} from './ids.ts';
import type {ProviderName} from './sandbox.ts';
import type {RunningAgent} from './sub-agent.ts';

/** `queued`: the job waits for a worker. `stopped`: someone stopped it, or its process died. */
export const jobStates = ['queued', 'running', 'completed', 'failed', 'stopped'] as const;
export type JobState = (typeof jobStates)[number];

/** The stop reason of a job whose process died without reporting an end. The next claim resumes the job. */
export const cutOff = 'weft was cut off';

/** The work of a job, for a plan, a schedule, the task stack or a prompt. The store keeps it, so it never holds an API key. */
export type JobSpec =
  | {
      readonly kind: 'execution';
      readonly plan: PlanId;
      readonly prompt: string;
      readonly directory: string;
      readonly sandbox: ProviderName | 'of-settings';
      /** The model. Empty if the settings decide. */
      readonly model: string;
      readonly baseUrl: string;
      /** A folder with skills on the machine that runs the job; empty for none. */
      readonly skills: string;
      readonly conditions?: EndConditions | undefined;
    }
  /** A prompt of a program without a plan. `id` is the job's. */
  | {readonly kind: 'direct'; readonly id: AgentTaskId; readonly prompt: string; readonly directory: string}
  | {readonly kind: 'scheduled'; readonly schedule: ScheduleId}
  | {
      readonly kind: 'stack';
      readonly harness: string;
      readonly afterFailure: 'stop' | 'go-on';
      readonly positions: 'all' | 'one';
      readonly directory: string;
    }
  /** A running sub-agent. The store deletes the row when the sub-agent ends. */
  | {readonly kind: 'agent'; readonly agent: RunningAgent}
  /** A prompt whose questions other processes may answer, and which they may stop. The store deletes the row when the prompt ends. */
  | {readonly kind: 'prompt'; readonly session: SessionId};

export type SpecOf<Kind extends JobSpec['kind']> = Extract<JobSpec, {readonly kind: Kind}>;

/** True for the tasks of programs, whose events and files are kept. */
export const isTaskSpec = (spec: JobSpec): spec is SpecOf<'execution' | 'direct'> =>
  spec.kind === 'execution' || spec.kind === 'direct';

/** Returns the job's key. At most one job with the same key is queued or running. */
export const jobKey = (spec: JobSpec): string =>
  byKind<JobSpec, string>(spec, {
    execution: ({plan}) => planKey(plan),
    direct: ({id}) => `task ${id}`,
    scheduled: ({schedule}) => scheduleKey(schedule),
    stack: () => 'stack',
    agent: ({agent}) => `agent ${agent.id}`,
    prompt: ({session}) => `session ${session}`,
  });

export const planKey = (id: PlanId): string => `plan ${id}`;
export const scheduleKey = (id: ScheduleId): string => `schedule ${id}`;

export interface TaskFile {
  readonly path: string;
  readonly action: 'created' | 'modified' | 'deleted' | 'renamed';
  readonly at: number;
  readonly toolUseId: string;
}

/** Work that is done once, by one process at a time. Times are milliseconds since the epoch. */
export interface Job {
  readonly id: string;
  readonly spec: JobSpec;
  readonly state: JobState;
  /** Each claim adds one. The store refuses writes from an earlier attempt. */
  readonly attempt: number;
  readonly session: SessionId | 'not-open';
  readonly createdAt: number;
  /** The time of the last claim; 0 while the job is queued. */
  readonly startedAt: number;
  /** 0 until the job ends, and if its process died. */
  readonly endedAt: number;
  /** Why the job did not finish; empty if it did. */
  readonly reason: string;
  /** US dollars, as far as prices are known. */
  readonly cost: number;
  readonly files: readonly TaskFile[];
  /** Whether weft has notified the user of the job's end: `told` if it has. `none`: weft does not announce the end. */
  readonly news: 'none' | 'untold' | 'told';
}

export type NewJob = Pick<Job, 'id' | 'spec' | 'session'>;

/** The fields that the process with the claim may change. */
export type JobChange = Partial<Pick<Job, 'state' | 'session' | 'reason' | 'cost' | 'files' | 'news'>>;

/** The right to update a job, until another process claims it. */
export type Claim = Pick<Job, 'id' | 'attempt'>;

export interface JobEvent {
  /** Counts from 1 without gaps, across all jobs with the same key. */
  readonly id: number;
  readonly data: string;
}

/** Selects one job, the jobs of a session, or the jobs with a key. */
export type JobsOf = {readonly id: string} | {readonly session: SessionId} | {readonly key: string};

export type JobAnswer =
  | {
      readonly kind: 'approval';
      readonly decision: 'allow' | 'allow_session' | 'deny';
      /** The reason for a refusal; empty for an approval. */
      readonly message: string;
    }
  | {
      readonly kind: 'question';
      /** The answers by question: one label or several. Any other text is the user's own answer. */
      readonly answers: Readonly<Record<string, string | readonly string[]>>;
    };

export type AnswerEnd = 'taken' | 'unknown' | 'already-answered';

/**
 * All jobs of a user, with their events and questions. A job whose process died is returned as `stopped`. Every method
 * rejects with a `StoreError` if the database fails, and then nothing has changed.
 */
export interface JobStore {
  /**
   * `running`: this process runs the job as its first attempt. `used`: the id already exists. `busy`: a job with this
   * key is waiting or running.
   */
  add(job: NewJob, state: 'queued' | 'running'): Promise<'added' | 'used' | 'busy'>;
  /** Claims a queued job, or one whose process died. `ended`: there is nothing left to do. */
  claim(id: string): Promise<Outcome<Job, 'unknown' | 'running' | 'ended'>>;
  /** `lost`: another process has claimed the job. A final state is stored with the current time. */
  change(claim: Claim, change: JobChange): Promise<'kept' | 'lost'>;
  append(claim: Claim, event: JobEvent): Promise<'kept' | 'lost'>;
  remove(id: string): Promise<void>;
  list(of: JobsOf | {readonly kind: JobSpec['kind']} | {readonly state: JobState}): Promise<readonly Job[]>;
  /** Returns at most `most` events with numbers greater than `after`, in order. */
  events(of: JobsOf, after: number, most: number): Promise<readonly JobEvent[]>;
  /** Returns the number of the last event of ended jobs or of all jobs; 0 if there is none. */
  lastEvent(of: JobsOf, which: 'ended' | 'all'): Promise<number>;
  running(): Promise<ReadonlySet<SessionId>>;
  ask(claim: Claim, ask: {readonly id: string; readonly title: string}): Promise<void>;
  settle(claim: Claim, ask: string): Promise<void>;
  answer(session: SessionId, ask: string, answer: JobAnswer): Promise<AnswerEnd>;
  /** Returns the titles of a session's unanswered questions, oldest first. */
  waiting(session: SessionId): Promise<readonly string[]>;
  /** Returns what other processes have requested so far: a stop, and answers. `lost` if another process has claimed the job. */
  heard(claim: Claim): Promise<Heard | 'lost'>;
  /** Stops a queued job, or asks the process of a running job to stop it. */
  stop(of: JobsOf): Promise<'stopped' | 'asked' | 'unknown'>;
  /** The store ignores later writes, so a job that is still running will look as if its process died. */
  close(): void;
}

export interface Heard {
  readonly stop: boolean;
  readonly answers: readonly {readonly id: string; readonly answer: JobAnswer}[];
}

/** Delivers jobs to workers. The record of a job decides whether a worker does it. */
export interface JobQueue {
  /** Returns `queued-already` if the job is waiting or running. */
  add(job: string): Promise<'added' | 'queued-already'>;
}
