import {setTimeout as delay} from 'node:timers/promises';
import type {FileDiff} from '../actions/preview.ts';
import type {ActionId} from '../domain/ids.ts';
import type {Job, JobAnswer, JobChange, JobsOf, JobStore, NewJob, TaskFile} from '../domain/job.ts';
import {jobKey} from '../domain/job.ts';

/**
 * Milliseconds between two polls for requests of other processes, the longest wait for a job to stop, and the poll interval during that
 * wait.
 */
export const pollMs = 500;
const maxStopMs = 10_000;
const stopPollMs = 100;

/** Receives requests of other processes for a job. */
export interface JobListener {
  /** Called if the job is to stop, or no longer belongs to this process. */
  stop(): void;
  /** Called with the answer to a question, possibly more than once. */
  answer(ask: string, answer: JobAnswer): void;
}

/** A job that this process runs. Writes stay in order; each rejects if it isn't stored. */
export class ClaimedJob {
  readonly job: Job;
  readonly #store: JobStore;
  /** The number of the last event of the job, and of earlier jobs with its key. */
  #last: number;
  #files: readonly TaskFile[];
  #writes: Promise<unknown> = Promise.resolve();

  private constructor(store: JobStore, job: Job, last: number) {
    this.#store = store;
    this.job = job;
    this.#last = last;
    this.#files = job.files;
  }

  static async of(store: JobStore, job: Job): Promise<ClaimedJob> {
    return new ClaimedJob(store, job, await store.lastEvent({key: jobKey(job.spec)}, 'all'));
  }

  /** Wraps a job that this process has just added as running. */
  static added(store: JobStore, job: NewJob): Promise<ClaimedJob> {
    const begun = {state: 'running', attempt: 1, createdAt: 0, startedAt: 0, endedAt: 0, reason: ''} as const;
    return ClaimedJob.of(store, {...job, ...begun, cost: 0, files: [], news: 'none'});
  }

  change(change: JobChange): Promise<void> {
    return this.#write(() => this.#store.change(this.job, change));
  }

  append(event: object): Promise<void> {
    this.#last += 1;
    const kept = {id: this.#last, data: JSON.stringify(event)};
    return this.#write(() => this.#store.append(this.job, kept));
  }

  addFiles(files: readonly FileDiff[], call: ActionId, at: number): Promise<void> {
    if (files.length === 0) return Promise.resolve();
    const changed = files.map((file): TaskFile => ({path: file.path, action: actionOn(file), at, toolUseId: call}));
    this.#files = [...this.#files, ...changed];
    return this.change({files: this.#files});
  }

  ask(id: string, title: string): Promise<void> {
    return this.#write(() => this.#store.ask(this.job, {id, title}));
  }

  settle(ask: string): Promise<void> {
    return this.#write(() => this.#store.settle(this.job, ask));
  }

  remove(): Promise<void> {
    return this.#write(() => this.#store.remove(this.job.id));
  }

  /** Polls for requests of other processes until the returned function is called. */
  listen(listener: JobListener): () => void {
    const look = async (): Promise<void> => {
      const heard = await this.#store.heard(this.job);
      if (heard === 'lost' || heard.stop) listener.stop();
      if (heard !== 'lost') for (const {id, answer} of heard.answers) listener.answer(id, answer);
    };
    // If the database doesn't answer, poll again next time.
    const timer = setInterval(() => void look().catch(() => {}), pollMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  #write(work: () => Promise<'kept' | 'lost' | void>): Promise<void> {
    const write = async (before: Promise<unknown>): Promise<void> => {
      await before;
      if ((await work()) === 'lost') throw new Error('another process has taken over the job');
    };
    const written = write(this.#writes);
    this.#writes = written.catch(() => {});
    return written;
  }
}

function actionOn({before, after, movedFrom}: FileDiff): TaskFile['action'] {
  if (movedFrom !== undefined) return 'renamed';
  if (before === 'absent') return 'created';
  return after === 'absent' ? 'deleted' : 'modified';
}

/** Stops queued or running jobs, in any process. Gives up waiting for a process that doesn't respond. */
export async function stopJob(store: JobStore, of: JobsOf): Promise<'stopped' | 'running' | 'unknown'> {
  const asked = await store.stop(of);
  if (asked !== 'asked') return asked;
  for (let waited = 0; waited < maxStopMs; waited += stopPollMs) {
    if ((await store.list(of)).every(({state}) => state !== 'running')) return 'stopped';
    await delay(stopPollMs);
  }
  return 'running';
}
