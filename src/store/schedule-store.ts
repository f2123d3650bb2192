import * as z from 'zod/mini';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {scheduleId, type ScheduleId} from '../domain/ids.ts';
import {type Job, type NewJob, scheduleKey} from '../domain/job.ts';
import {permissionModes} from '../domain/risk.ts';
import type {LastRun, Schedule} from '../domain/schedule.ts';
import type {Database, Row} from './database.ts';
import {insertJob, newestJobs, parseColumn, settleDeadJobs} from './job-store.ts';

/**
 * The user's schedules; each run of one is a job. Only one of several processes gets a due schedule. Every method throws a `StoreError` if
 * the database fails, and then nothing was changed.
 */
export class ScheduleStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  add(schedule: Omit<Schedule, 'last'>): void {
    const sql = "INSERT INTO documents (kind, id, body, created_at, next_at) VALUES ('schedule', ?, ?, ?, ?)";
    const {id, createdAt, nextAt} = schedule;
    this.#db.run(sql, id, JSON.stringify(schedule), Math.trunc(createdAt), Math.trunc(nextAt));
  }

  /** Lists schedules, next due first. */
  list(): readonly Schedule[] {
    const jobs = newestJobs(this.#db, 'scheduled');
    return this.#db
      .all("SELECT body, next_at FROM documents WHERE kind = 'schedule' ORDER BY next_at, id")
      .flatMap(row => scheduleFromRow(row, jobs));
  }

  remove(id: ScheduleId): 'removed' | 'unknown' {
    return this.#db.transaction('jobs', () => {
      settleDeadJobs(this.#db);
      if (!this.list().some(each => each.id === id)) return 'unknown';
      this.#db.run("DELETE FROM documents WHERE kind = 'schedule' AND id = ?", id);
      this.#db.run("DELETE FROM jobs WHERE key = ? AND state NOT IN ('queued', 'running')", scheduleKey(id));
      return 'removed';
    });
  }

  /** Returns the next time of any schedule, in milliseconds since the epoch. */
  nextAt(): number | 'none' {
    const row = this.#db.first("SELECT MIN(next_at) AS next FROM documents WHERE kind = 'schedule'");
    return typeof row?.['next'] === 'number' ? row['next'] : 'none';
  }

  /**
   * Adds a job for one due schedule, and sets when it is due again to `next`. Skips a schedule until then if its last job is queued or
   * running.
   */
  takeDue(
    now: number,
    next: (schedule: Schedule) => number,
    {id, state}: {readonly id: string; readonly state: 'queued' | 'running'},
  ): NewJob | 'none' {
    return this.#db.transaction('jobs', () => {
      for (const schedule of this.list()) {
        if (schedule.nextAt > now) break;
        const sql = "UPDATE documents SET next_at = ? WHERE kind = 'schedule' AND id = ?";
        this.#db.run(sql, Math.trunc(next(schedule)), schedule.id);
        const job = toJob(schedule.id, {id, session: 'not-open'});
        if (insertJob(this.#db, job, {state, now}) === 'added') return job;
      }
      return 'none';
    });
  }

  /** Adds a job for this schedule now, which this process runs. */
  take(id: ScheduleId, now: number, job: Omit<NewJob, 'spec'>): Outcome<Schedule, 'unknown' | 'running'> {
    return this.#db.transaction('jobs', () => {
      const schedule = this.list().find(each => each.id === id);
      if (schedule === undefined) return failed('unknown');
      const added = insertJob(this.#db, toJob(id, job), {state: 'running', now});
      return added === 'added' ? ok(schedule) : failed('running');
    });
  }

  /** Returns schedules whose last run has ended but wasn't reported, and marks them as reported. */
  takeNews(): readonly Schedule[] {
    // Usually there is none, and a mere reader should block no other process.
    if (!this.list().some(hasNews)) return [];
    return this.#db.transaction('jobs', () => {
      settleDeadJobs(this.#db);
      const news = this.list().filter(hasNews);
      const jobs = newestJobs(this.#db, 'scheduled');
      for (const {id} of news) {
        const job = jobs.get(scheduleKey(id));
        if (job !== undefined) this.#db.run("UPDATE jobs SET news = 'told' WHERE id = ?", job.id);
      }
      return news;
    });
  }

  close(): void {
    this.#db.close();
  }
}

const toJob = (schedule: ScheduleId, job: Omit<NewJob, 'spec'>): NewJob => ({
  ...job,
  spec: {kind: 'scheduled', schedule},
});

const hasNews = ({last}: Schedule): boolean => 'told' in last && last.told === 'no';

const text = z.prefault(z.string(), '');

const scheduleSchema = z.object({
  id: z.pipe(z.string(), z.transform(scheduleId)),
  cron: text,
  prompt: text,
  directory: text,
  mode: z.enum(permissionModes),
  createdAt: z.number(),
});

/** Returns nothing for a damaged row. */
const scheduleFromRow = (row: Row, jobs: ReadonlyMap<string, Job>): readonly Schedule[] =>
  parseColumn(scheduleSchema, row['body']).map(kept => ({
    ...kept,
    nextAt: Number(row['next_at']),
    last: lastRun(jobs.get(scheduleKey(kept.id))),
  }));

function lastRun(job: Job | undefined): LastRun {
  if (job === undefined) return {state: 'none'};
  const {state, session, reason, news} = job;
  const at = job.startedAt === 0 ? job.createdAt : job.startedAt;
  if (state === 'queued' || state === 'running') return {state: 'running', at, session};
  return {state, at, session, trouble: reason, told: news === 'untold' ? 'no' : 'yes'};
}
