import {setTimeout as delay} from 'node:timers/promises';
import type {FileDiff} from '../actions/preview.ts';
import type {ActionId} from '../domain/ids.ts';
import type {Job, JobAnswer, JobChange, JobsOf, JobStore, NewJob, TaskFile} from '../domain/job.ts';
import {jobKey} from '../domain/job.ts';

/** Milliseconds between two looks at what other processes do, and for which one is waited that shall stop. */
export const lookMs = 500;
const stopMs = 10_000;
const endLookMs = 100;

/** Hears the wishes of other processes for a job. */
export interface JobListener {
  /** It shall end, or is not this process's any more. */
  stop(): void;
  /** The same answer may come more than once. */
  answer(ask: string, answer: JobAnswer): void;
}

/** A job that this process does. Writes are kept in order; each rejects if it is not kept. */
export class HeldJob {
  readonly job: Job;
  readonly #store: JobStore;
  /** The last event of the job, and of earlier ones of its key. */
  #last: number;
  #files: readonly TaskFile[];
  #writes: Promise<unknown> = Promise.resolve();

  private constructor(store: JobStore, job: Job, last: number) {
    this.#store = store;
    this.job = job;
    this.#last = last;
    this.#files = job.files;
  }

  static async of(store: JobStore, job: Job): Promise<HeldJob> {
    return new HeldJob(store, job, await store.lastEvent({key: jobKey(job.spec)}, 'all'));
  }

  /** One that this process has just added as running. */
  static added(store: JobStore, job: NewJob): Promise<HeldJob> {
    const begun = {state: 'running', attempt: 1, createdAt: 0, startedAt: 0, endedAt: 0, reason: ''} as const;
    return HeldJob.of(store, {...job, ...begun, cost: 0, files: [], news: 'none'});
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

  /** Removes the record of the job. */
  remove(): Promise<void> {
    return this.#write(() => this.#store.remove(this.job.id));
  }

  /** Hears what other processes want, until the result is called. */
  hear(listener: JobListener): () => void {
    const look = async (): Promise<void> => {
      const heard = await this.#store.heard(this.job);
      if (heard === 'lost' || heard.stop) listener.stop();
      if (heard !== 'lost') for (const {id, answer} of heard.answers) listener.answer(id, answer);
    };
    // A database that does not answer for a moment has no news.
    const timer = setInterval(() => void look().catch(() => {}), lookMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  #write(work: () => Promise<'kept' | 'lost' | void>): Promise<void> {
    const write = async (before: Promise<unknown>): Promise<void> => {
      await before;
      if ((await work()) === 'lost') throw new Error('another process has taken up the job');
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

/** Stops what waits or runs, wherever; a process that does not hear is not waited for without end. */
export async function stopJob(store: JobStore, of: JobsOf): Promise<'stopped' | 'running' | 'unknown'> {
  const asked = await store.stop(of);
  if (asked !== 'asked') return asked;
  for (let waited = 0; waited < stopMs; waited += endLookMs) {
    if ((await store.list(of)).every(({state}) => state !== 'running')) return 'stopped';
    await delay(endLookMs);
  }
  return 'running';
}
