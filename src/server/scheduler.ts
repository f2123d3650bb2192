import type {Schedule} from '../domain/schedule.ts';
import {causeText} from '../domain/fault.ts';

/** The schedules that are kept. */
export interface SchedulesPort {
  nextAt(): number | 'none';
  takeDue(now: number, next: (schedule: Schedule) => number): Schedule | 'none';
}

export interface SchedulerOptions {
  readonly schedules: SchedulesPort;
  /** Runs what is due, or has it run; never rejects. */
  readonly run: (due: Schedule) => Promise<void>;
  readonly now: () => number;
  /** When a schedule is due again, in milliseconds since the epoch; loads what reads cron expressions. */
  readonly loadNext: () => Promise<(schedule: Schedule, after: number) => number>;
  readonly note: (line: string) => void;
}

/** Milliseconds after which schedules that other processes have added are seen, and what could not be read is tried again. */
const lookMs = 10_000;

/** Looks what is due, until it is closed; what was due while nobody looked comes once. */
export function startScheduler(options: SchedulerOptions): {close(): void} {
  const {schedules, run, now, loadNext, note} = options;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function look(): Promise<void> {
    try {
      const nextAt = schedules.nextAt();
      if (nextAt !== 'none' && nextAt <= now()) await runDue();
    } catch (cause) {
      note(`schedules: ${causeText(cause)}`);
    }
    if (!isClosed) timer = setTimeout(() => void look(), waitMs());
  }

  async function runDue(): Promise<void> {
    const next = await loadNext();
    for (;;) {
      if (isClosed) return;
      const due = schedules.takeDue(now(), schedule => next(schedule, now()));
      if (due === 'none') return;
      void run(due);
    }
  }

  function waitMs(): number {
    try {
      const nextAt = schedules.nextAt();
      return nextAt === 'none' ? lookMs : Math.min(Math.max(nextAt - now(), 50), lookMs);
    } catch {
      return lookMs;
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
