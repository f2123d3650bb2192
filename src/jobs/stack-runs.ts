import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import type {JobQueue, JobStore, SpecOf} from '../domain/job.ts';
import {runFinished, type DirectorOptions, type StackRunEnd, type StackRunEvent} from '../tasks/stack/direct-stack.ts';
import {KeptEvents} from './event-stream.ts';
import {HeldJob, stopJob} from './held-job.ts';

/** A run of the task stack that is ready. */
export interface StackRun {
  /** To be called once. */
  run(options: DirectorOptions, signal: AbortSignal): Promise<StackRunEnd>;
}

/** Runs the task stack. */
export interface DirectorPort {
  /** Makes ready a run, in which weft or the agent of a harness does the tasks. Rejects where there can be none: no model. */
  open(harness: string, observe: (event: StackRunEvent) => void): Promise<StackRun>;
}

/** Makes ready the run of a job: what happens in it is kept, then observed. The run never rejects, and ends when the job is stopped. */
export async function openStackRun(
  job: HeldJob,
  director: (observe: (event: StackRunEvent) => void) => Promise<StackRun>,
  observe: (event: StackRunEvent) => void,
): Promise<StackRun> {
  const keep = async (event: StackRunEvent): Promise<void> => {
    // The run itself will say what is wrong with the database.
    await job.append(event).catch(() => {});
    observe(event);
  };
  const opened = await director(event => void keep(event));
  return {
    async run(options, signal) {
      const stopped = new AbortController();
      const unhear = job.hear({stop: () => stopped.abort(), answer: () => {}});
      const end = await opened
        .run(options, AbortSignal.any([signal, stopped.signal]))
        .catch((cause: unknown): StackRunEnd => ({kind: 'not-begun', reason: causeText(cause)}));
      unhear();
      // Readers of the end may begin the next run at once, so the job ends first.
      await job.change({state: end.kind === 'done' ? 'completed' : end.kind === 'stopped' ? 'stopped' : 'failed'});
      await keep(runFinished(end));
      return end;
    },
  };
}

/** Does a run of the stack that was delivered to this worker. */
export async function runStack(
  job: HeldJob,
  {harness, afterFailure, positions}: SpecOf<'stack'>,
  director: DirectorPort,
  signal: AbortSignal,
): Promise<void> {
  // Readers learn why a run cannot begin.
  const open = (observe: (event: StackRunEvent) => void): Promise<StackRun> =>
    director.open(harness, observe).catch((cause: unknown) => ({run: () => Promise.reject(cause)}));
  const run = await openStackRun(job, open, () => {});
  await run.run({afterFailure, positions}, signal);
}

interface StackRunsOptions {
  readonly jobs: JobStore;
  /** Where a run waits for a worker; `none` where this process does it. */
  readonly queue: JobQueue | 'none';
  readonly director: DirectorPort;
  /** Where it runs; a worker needs to have the folder, too. */
  readonly directory: string;
  readonly uuid: () => string;
}

const ofStack = {key: 'stack'} as const;

/** The runs of the task stack as requests see them: one at a time, and what happens in them. */
export class StackRuns {
  readonly #options: StackRunsOptions;
  #running: {readonly stopping: AbortController; readonly ended: Promise<unknown>} | 'nothing' = 'nothing';
  /** All that happens from now on, and what has happened in the last two runs. It never ends. */
  readonly stream: KeptEvents;

  constructor(options: StackRunsOptions) {
    this.#options = options;
    this.stream = KeptEvents.endless(options.jobs, ofStack);
  }

  /** The last event that a reader who has none yet does not get: those of the run that goes on are new. */
  begin(): Promise<number> {
    return this.#options.jobs.lastEvent(ofStack, 'ended');
  }

  /** Begins a run with the agent of a harness, or `weft`; it goes on when this settles. The error says why there is none. */
  async start(harness: string, options: DirectorOptions): Promise<Outcome<undefined, string>> {
    const {jobs, queue, director, directory, uuid} = this.#options;
    const spec = {kind: 'stack', harness, ...options, directory} as const;
    const job = {id: uuid(), spec, session: 'not-open'} as const;
    if ((await jobs.add(job, queue === 'none' ? 'running' : 'queued')) !== 'added')
      return failed(
        queue === 'none' && this.#running === 'nothing'
          ? `It cannot run: ${heldText}.`
          : 'The task stack runs already.',
      );
    if (queue !== 'none') {
      await queue.add(job.id);
      return ok(undefined);
    }
    const held = await HeldJob.added(jobs, job);
    try {
      const run = await openStackRun(
        held,
        observe => director.open(harness, observe),
        () => this.stream.tell(),
      );
      const stopping = new AbortController();
      const end = (): void => {
        this.#running = 'nothing';
      };
      this.#running = {stopping, ended: run.run(options, stopping.signal).then(end, end)};
      return ok(undefined);
    } catch (cause) {
      await held.remove();
      return failed(`The task stack cannot run: ${causeText(cause)}`);
    }
  }

  /** Stops what runs, in this process or another, and settles when that is kept. */
  async stop(): Promise<void> {
    if (this.#running === 'nothing') await stopJob(this.#options.jobs, ofStack);
    else await this.close();
  }

  /** Stops what this process runs. */
  async close(): Promise<void> {
    if (this.#running === 'nothing') return;
    this.#running.stopping.abort();
    await this.#running.ended;
  }
}

/** The refusal while another weft runs the stack. */
export const heldText = 'the task stack runs already, in another weft';
