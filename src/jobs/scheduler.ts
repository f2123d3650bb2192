import {causeText} from '../domain/fault.ts';
import type {JobQueue, JobStore, NewJob} from '../domain/job.ts';
import type {Schedule} from '../domain/schedule.ts';

export interface SchedulesPort {
  nextAt(): number | 'none';
  takeDue(
    now: number,
    next: (schedule: Schedule) => number,
    job: {readonly id: string; readonly state: 'queued' | 'running'},
  ): NewJob | 'none';
}

export interface SchedulerOptions {
  readonly schedules: SchedulesPort;
  readonly jobs: JobStore;
  /** The queue for workers; `none` if this process runs the jobs itself. */
  readonly queue: JobQueue | 'none';
  /** Runs a due job if there is no queue. Never rejects. */
  readonly run: (due: NewJob) => Promise<void>;
  readonly uuid: () => string;
  readonly now: () => number;
  /** Loads the cron parser. The loaded function returns when a schedule is due next, in milliseconds since the epoch. */
  readonly loadNextTime: () => Promise<(schedule: Schedule, after: number) => number>;
  readonly note: (line: string) => void;
}

/** The longest wait between two checks, in milliseconds. Each check sees schedules that other processes added, and retries failed reads. */
const pollMs = 10_000;

/**
 * Starts due schedules until it is closed. A schedule that was due several times since the last check starts once, in
 * one process. With a queue, each check delivers all queued jobs again, because a process may have died between storing
 * and queuing a job.
 */
export function startScheduler(options: SchedulerOptions): {close(): void} {
  const {schedules, jobs, queue, run, uuid, now, loadNextTime, note} = options;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function tick(): Promise<void> {
    let waitMs = pollMs;
    try {
      if (isDue(schedules.nextAt())) await runDue();
      if (queue !== 'none') for (const {id} of await jobs.list({state: 'queued'})) await deliver(id, queue);
      const nextAt = schedules.nextAt();
      if (nextAt !== 'none') waitMs = Math.min(Math.max(nextAt - now(), 50), pollMs);
    } catch (cause) {
      note(`schedules: ${causeText(cause)}`);
    }
    if (!isClosed) timer = setTimeout(() => void tick(), waitMs);
  }

  const isDue = (nextAt: number | 'none'): boolean => nextAt !== 'none' && nextAt <= now();

  async function runDue(): Promise<void> {
    const next = await loadNextTime();
    for (;;) {
      if (isClosed) return;
      const state = queue === 'none' ? 'running' : 'queued';
      const due = schedules.takeDue(now(), schedule => next(schedule, now()), {id: uuid(), state});
      if (due === 'none') return;
      if (queue === 'none') void run(due);
    }
  }

  async function deliver(id: string, to: JobQueue): Promise<void> {
    try {
      await to.add(id);
    } catch (cause) {
      note(`${id}: ${causeText(cause)}`);
    }
  }

  void tick();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
