import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import type {JobQueue, JobStore, SpecOf} from '../domain/job.ts';
import {runFinished, type DirectorOptions, type StackRunEnd, type StackRunEvent} from '../tasks/stack/direct-stack.ts';
import {StoredEvents} from './event-stream.ts';
import {ClaimedJob, stopJob} from './claimed-job.ts';

export interface StackRun {
  /** Starts the run; call it once. */
  run(options: DirectorOptions, signal: AbortSignal): Promise<StackRunEnd>;
}

export interface DirectorPort {
  /** Prepares a run in which weft or a harness's agent does the tasks. Rejects if that is impossible, as without a model. */
  open(harness: string, observe: (event: StackRunEvent) => void): Promise<StackRun>;
}

/** Prepares the run of a job. Its events are stored, then observed. The run never rejects, and ends when the job is stopped. */
export async function openStackRun(
  job: ClaimedJob,
  director: (observe: (event: StackRunEvent) => void) => Promise<StackRun>,
  observe: (event: StackRunEvent) => void,
): Promise<StackRun> {
  const keep = async (event: StackRunEvent): Promise<void> => {
    // The run itself will report a database error.
    await job.append(event).catch(() => {});
    observe(event);
  };
  const opened = await director(event => void keep(event));
  return {
    async run(options, signal) {
      const stopped = new AbortController();
      const stopListening = job.listen({stop: () => stopped.abort(), answer: () => {}});
      const end = await opened
        .run(options, AbortSignal.any([signal, stopped.signal]))
        .catch((cause: unknown): StackRunEnd => ({kind: 'not-begun', reason: causeText(cause)}));
      stopListening();
      // Readers of the end may start the next run at once, so the job ends first.
      await job.change({state: end.kind === 'done' ? 'completed' : end.kind === 'stopped' ? 'stopped' : 'failed'});
      await keep(runFinished(end));
      return end;
    },
  };
}

/** Runs the task stack for a job that was delivered to this worker. */
export async function runStack(
  job: ClaimedJob,
  {harness, afterFailure, positions}: SpecOf<'stack'>,
  director: DirectorPort,
  signal: AbortSignal,
): Promise<void> {
  // Turns the error into a failed run, so that readers learn why it can't start.
  const open = (observe: (event: StackRunEvent) => void): Promise<StackRun> =>
    director.open(harness, observe).catch((cause: unknown) => ({run: () => Promise.reject(cause)}));
  const run = await openStackRun(job, open, () => {});
  await run.run({afterFailure, positions}, signal);
}

interface StackRunsOptions {
  readonly jobs: JobStore;
  /** The queue for workers; `none` if this process runs the job itself. */
  readonly queue: JobQueue | 'none';
  readonly director: DirectorPort;
  /** The run's folder; a worker must have it too. */
  readonly directory: string;
  readonly uuid: () => string;
}

const stackJobs = {key: 'stack'} as const;

/** The runs of the task stack for requests: one at a time, with their events. */
export class StackRuns {
  readonly #options: StackRunsOptions;
  #running: {readonly stopping: AbortController; readonly ended: Promise<unknown>} | 'nothing' = 'nothing';
  /** All new events, and those of the last two runs. It never ends. */
  readonly stream: StoredEvents;

  constructor(options: StackRunsOptions) {
    this.#options = options;
    this.stream = StoredEvents.endless(options.jobs, stackJobs);
  }

  /** Returns the last event that a new reader skips: events of the current run count as new. */
  begin(): Promise<number> {
    return this.#options.jobs.lastEvent(stackJobs, 'ended');
  }

  /** Starts a run with a harness's agent, or `weft`. The run continues after this resolves. The error says why it can't start. */
  async start(harness: string, options: DirectorOptions): Promise<Outcome<undefined, string>> {
    const {jobs, queue, director, directory, uuid} = this.#options;
    const spec = {kind: 'stack', harness, ...options, directory} as const;
    const job = {id: uuid(), spec, session: 'not-open'} as const;
    if ((await jobs.add(job, queue === 'none' ? 'running' : 'queued')) !== 'added')
      return failed(
        queue === 'none' && this.#running === 'nothing'
          ? `Can't run: ${stackRunningText}.`
          : 'The task stack is already running.',
      );
    if (queue !== 'none') {
      await queue.add(job.id);
      return ok(undefined);
    }
    const claimed = await ClaimedJob.added(jobs, job);
    try {
      const run = await openStackRun(
        claimed,
        observe => director.open(harness, observe),
        () => this.stream.notify(),
      );
      const stopping = new AbortController();
      const end = (): void => {
        this.#running = 'nothing';
      };
      this.#running = {stopping, ended: run.run(options, stopping.signal).then(end, end)};
      return ok(undefined);
    } catch (cause) {
      await claimed.remove();
      return failed(`Can't run the task stack: ${causeText(cause)}`);
    }
  }

  /** Stops the run in any process, and resolves when that is stored. */
  async stop(): Promise<void> {
    if (this.#running === 'nothing') await stopJob(this.#options.jobs, stackJobs);
    else await this.close();
  }

  /** Stops this process's run. */
  async close(): Promise<void> {
    if (this.#running === 'nothing') return;
    this.#running.stopping.abort();
    await this.#running.ended;
  }
}

/** The error message if another weft process is running the stack. */
export const stackRunningText = 'the task stack is already running in another weft process';
