import {causeText} from '../domain/fault.ts';
import type {JobQueue, JobStore, NewJob} from '../domain/job.ts';
import type {Schedule} from '../domain/schedule.ts';

/** The schedules that are kept. */
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
  /** Where jobs wait for a worker; `none` where this process does them. */
  readonly queue: JobQueue | 'none';
  /** Does what is due, where there is no queue; never rejects. */
  readonly run: (due: NewJob) => Promise<void>;
  readonly uuid: () => string;
  readonly now: () => number;
  /** When a schedule is due again, in milliseconds since the epoch; loads what reads cron expressions. */
  readonly loadNext: () => Promise<(schedule: Schedule, after: number) => number>;
  readonly note: (line: string) => void;
}

/** Milliseconds after which schedules that other processes have added are seen, and what could not be read is tried again. */
const lookMs = 10_000;

/**
 * Starts due schedules until it is closed. A schedule that was due several times meanwhile starts once, in one process. With a queue, the
 * scheduler also delivers each waiting job again: a process may have ended between the record and the queue.
 */
export function startScheduler(options: SchedulerOptions): {close(): void} {
  const {schedules, jobs, queue, run, uuid, now, loadNext, note} = options;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function look(): Promise<void> {
    let waitMs = lookMs;
    try {
      if (isDue(schedules.nextAt())) await runDue();
      if (queue !== 'none') for (const {id} of await jobs.list({state: 'queued'})) await deliver(id, queue);
      const nextAt = schedules.nextAt();
      if (nextAt !== 'none') waitMs = Math.min(Math.max(nextAt - now(), 50), lookMs);
    } catch (cause) {
      note(`schedules: ${causeText(cause)}`);
    }
    if (!isClosed) timer = setTimeout(() => void look(), waitMs);
  }

  const isDue = (nextAt: number | 'none'): boolean => nextAt !== 'none' && nextAt <= now();

  async function runDue(): Promise<void> {
    const next = await loadNext();
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

  void look();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
