import type {LastRun, Schedule} from '../domain/schedule.ts';
import {causeText} from '../domain/fault.ts';
import type {ScheduleId, SessionId} from '../domain/ids.ts';
import {noRecord, type AgentRuns} from './agent-runs.ts';
import type {AgentPort} from './routes/agent-routes.ts';

/** The schedules that are kept. */
export interface SchedulesPort {
  nextAt(): number | 'none';
  takeDue(now: number, next: (schedule: Schedule) => number): Schedule | 'none';
  tell(id: ScheduleId, last: LastRun): void;
}

export interface SchedulerOptions {
  readonly agent: AgentPort;
  readonly runs: AgentRuns;
  readonly schedules: SchedulesPort;
  readonly now: () => number;
  /** When a schedule is due again, in milliseconds since the epoch; loads what reads cron expressions. */
  readonly loadNext: () => Promise<(schedule: Schedule, after: number) => number>;
  readonly note: (line: string) => void;
}

/** Milliseconds after which schedules that other processes have added are seen, and what could not be read is tried again. */
const lookMs = 10_000;

/**
 * Runs what is due, until it is closed; what was due while no server ran, once. A prompt runs as one that came by HTTP: its session
 * can be followed and its questions answered, and what nobody answers is refused after some minutes.
 */
export function startScheduler(options: SchedulerOptions): {close(): void} {
  const {agent, runs, schedules, now, loadNext, note} = options;
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
      void begin(due);
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

  /** Never rejects. */
  async function begin({id, prompt, directory, mode}: Schedule): Promise<void> {
    const at = now();
    let session: SessionId | 'not-open' = 'not-open';
    const tell = (last: LastRun): void => {
      try {
        schedules.tell(id, last);
      } catch (cause) {
        // The store may be closed by then; what this process ran reads as stopped once it has ended.
        if (!isClosed) note(`${id}: ${causeText(cause)}`);
      }
    };
    try {
      const opened = await agent.open({
        session: 'new',
        workDir: directory,
        model: {apiKey: undefined, baseUrl: undefined, model: undefined},
        work: {kind: 'scheduled', mode},
      });
      if (opened.tag === 'failed') {
        tell({state: 'failed', at, session, trouble: opened.error.error, told: 'no'});
        return;
      }
      runs.start(opened.value, {
        text: prompt,
        images: [],
        context: '',
        work: {kind: 'prompt'},
        record: {
          ...noRecord,
          opened(opening) {
            session = opening;
            tell({state: 'running', at, session});
          },
          ended({end}) {
            const state = end === 'done' ? 'completed' : end === 'interrupted' ? 'stopped' : 'failed';
            tell({state, at, session, trouble: '', told: 'no'});
          },
        },
      });
    } catch (cause) {
      tell({state: 'failed', at, session, trouble: causeText(cause), told: 'no'});
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
