import {byKind} from '../base/unreachable.ts';
import type {Outcome} from '../base/outcome.ts';
import type {PlanId, ScheduleId, SessionId} from './ids.ts';
import type {ProviderName} from './sandbox.ts';
import type {RunningAgent} from './sub-agent.ts';

/** `queued`: it waits for a worker. `stopped`: somebody stopped it, or its process was cut off. */
export const jobStates = ['queued', 'running', 'completed', 'failed', 'stopped'] as const;
export type JobState = (typeof jobStates)[number];

/** The reason of a job whose process ended without a word. The next claim goes on with it. */
export const cutOff = 'weft was cut off';

/** The work of a job, for a plan, a schedule, the task stack or a prompt. The store keeps it, so it never holds an API key. */
export type JobSpec =
  | {
      readonly kind: 'execution';
      readonly plan: PlanId;
      readonly prompt: string;
      readonly directory: string;
      readonly sandbox: ProviderName | 'of-settings';
      /** Empty if the settings decide. */
      readonly model: string;
      readonly baseUrl: string;
      /** A folder with skills, on the machine that does it; empty for none. */
      readonly skills: string;
    }
  | {readonly kind: 'scheduled'; readonly schedule: ScheduleId}
  | {
      /** A run of the task stack. */
      readonly kind: 'stack';
      readonly harness: string;
      readonly afterFailure: 'stop' | 'go-on';
      readonly positions: 'all' | 'one';
      readonly directory: string;
    }
  /** A sub-agent at work. Its row is gone when it has ended. */
  | {readonly kind: 'agent'; readonly agent: RunningAgent}
  /** A prompt that other processes may answer and stop. Its row is gone when it has ended. */
  | {readonly kind: 'prompt'; readonly session: SessionId};

export type SpecOf<Kind extends JobSpec['kind']> = Extract<JobSpec, {readonly kind: Kind}>;

/** At most one job of a key waits or runs. */
export const jobKey = (spec: JobSpec): string =>
  byKind<JobSpec, string>(spec, {
    execution: ({plan}) => planKey(plan),
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
  /** Each claim adds one. The store refuses writes of an earlier attempt. */
  readonly attempt: number;
  readonly session: SessionId | 'not-open';
  readonly createdAt: number;
  /** When it was last claimed; 0 while it waits. */
  readonly startedAt: number;
  /** 0 until it ends, and if it was cut off. */
  readonly endedAt: number;
  /** The trouble that kept it from its end; empty for none. */
  readonly reason: string;
  /** US dollars, as far as prices are known. */
  readonly cost: number;
  readonly files: readonly TaskFile[];
  /** True if the user was notified of its end, for jobs whose end is announced. */
  readonly news: 'none' | 'untold' | 'told';
}

export type NewJob = Pick<Job, 'id' | 'spec' | 'session'>;

/** The fields that the process with the claim may change. */
export type JobChange = Partial<Pick<Job, 'state' | 'session' | 'reason' | 'cost' | 'files' | 'news'>>;

/** The right to write what becomes of a job, until somebody else claims it. */
export type Claim = Pick<Job, 'id' | 'attempt'>;

export interface JobEvent {
  /** From 1 on without gaps, counted on from job to job of one key. */
  readonly id: number;
  readonly data: string;
}

/** Which jobs: one, those of a session, or those of a key. */
export type JobsOf = {readonly id: string} | {readonly session: SessionId} | {readonly key: string};

export type JobAnswer =
  | {
      readonly kind: 'approval';
      readonly decision: 'allow' | 'allow_session' | 'deny';
      /** The reason why it isn't allowed. Empty if it is. */
      readonly message: string;
    }
  | {
      readonly kind: 'question';
      /** By question: a label, or several; other words are the user's own. */
      readonly answers: Readonly<Record<string, string | readonly string[]>>;
    };

export type AnswerEnd = 'taken' | 'unknown' | 'already-answered';

/**
 * All jobs of a user, with their events and what they ask. A job whose process was cut off reads as stopped. Everything rejects with a
 * `StoreError` if the database fails, and has changed nothing then.
 */
export interface JobStore {
  /** `running`: this process does it, as its first attempt. `used`: that id exists. `busy`: a job of that key waits or runs. */
  add(job: NewJob, state: 'queued' | 'running'): Promise<'added' | 'used' | 'busy'>;
  /** Takes up what waits or was cut off. `ended`: there is nothing to do any more. */
  claim(id: string): Promise<Outcome<Job, 'unknown' | 'running' | 'ended'>>;
  /** `lost`: somebody else has claimed it. A state that is an end is kept with its time. */
  change(claim: Claim, change: JobChange): Promise<'kept' | 'lost'>;
  append(claim: Claim, event: JobEvent): Promise<'kept' | 'lost'>;
  remove(id: string): Promise<void>;
  list(of: JobsOf | {readonly kind: JobSpec['kind']} | {readonly state: JobState}): Promise<readonly Job[]>;
  /** Events with greater numbers, at most `most`, in order. */
  events(of: JobsOf, after: number, most: number): Promise<readonly JobEvent[]>;
  /** The number of the last event, of jobs that have ended or of all; 0 if there is none. */
  lastEvent(of: JobsOf, which: 'ended' | 'all'): Promise<number>;
  running(): Promise<ReadonlySet<SessionId>>;
  ask(claim: Claim, ask: {readonly id: string; readonly title: string}): Promise<void>;
  settle(claim: Claim, ask: string): Promise<void>;
  answer(session: SessionId, ask: string, answer: JobAnswer): Promise<AnswerEnd>;
  /** The titles of what waits for an answer in a session, the oldest first. */
  waiting(session: SessionId): Promise<readonly string[]>;
  /** The wishes of other processes so far; `lost` if another process has claimed the job. */
  heard(claim: Claim): Promise<Heard | 'lost'>;
  /** Stops a job that waits, and asks the process of a running job to stop it. */
  stop(of: JobsOf): Promise<'stopped' | 'asked' | 'unknown'>;
  /** The store drops later writes, so a job that still runs reads as cut off. */
  close(): void;
}

export interface Heard {
  readonly stop: boolean;
  readonly answers: readonly {readonly id: string; readonly answer: JobAnswer}[];
}

/** Delivers jobs to workers. The record of a job decides whether a worker does it. */
export interface JobQueue {
  /** `queued-already` if that job is waiting or running. */
  add(job: string): Promise<'added' | 'queued-already'>;
}
