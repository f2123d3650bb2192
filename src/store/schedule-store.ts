import * as z from 'zod/mini';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {scheduleId, type ScheduleId} from '../domain/ids.ts';
import {type Job, type NewJob, scheduleKey} from '../domain/job.ts';
import {permissionModes} from '../domain/risk.ts';
import type {LastRun, Schedule} from '../domain/schedule.ts';
import type {Database, Row} from './database.ts';
import {insertJob, newestJobs, parsed, settleDead} from './job-store.ts';

/**
 * The schedules of a user; each run of one is a job. Of several processes that look for what is due, one gets it. All methods throw a
 * `StoreError` when the database fails; nothing was changed then.
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

  /** What comes next first. */
  list(): readonly Schedule[] {
    const jobs = newestJobs(this.#db, 'scheduled');
    return this.#db
      .all("SELECT body, next_at FROM documents WHERE kind = 'schedule' ORDER BY next_at, id")
      .flatMap(row => scheduleIn(row, jobs));
  }

  remove(id: ScheduleId): 'removed' | 'unknown' {
    return this.#db.transaction('jobs', () => {
      settleDead(this.#db);
      if (!this.list().some(each => each.id === id)) return 'unknown';
      this.#db.run("DELETE FROM documents WHERE kind = 'schedule' AND id = ?", id);
      this.#db.run("DELETE FROM jobs WHERE key = ? AND state NOT IN ('queued', 'running')", scheduleKey(id));
      return 'removed';
    });
  }

  /** The next time of any schedule, in milliseconds since the epoch. */
  nextAt(): number | 'none' {
    const row = this.#db.first("SELECT MIN(next_at) AS next FROM documents WHERE kind = 'schedule'");
    return typeof row?.['next'] === 'number' ? row['next'] : 'none';
  }

  /**
   * Makes a job of one that is due, which is due again at the time that `next` says. One whose last job waits or runs is passed over until
   * that time.
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
        const job = jobOf(schedule.id, {id, session: 'not-open'});
        if (insertJob(this.#db, job, {state, now}) === 'added') return job;
      }
      return 'none';
    });
  }

  /** Makes a job of this one now, which this process does. */
  take(id: ScheduleId, now: number, job: Omit<NewJob, 'spec'>): Outcome<Schedule, 'unknown' | 'running'> {
    return this.#db.transaction('jobs', () => {
      const schedule = this.list().find(each => each.id === id);
      if (schedule === undefined) return failed('unknown');
      const added = insertJob(this.#db, jobOf(id, job), {state: 'running', now});
      return added === 'added' ? ok(schedule) : failed('running');
    });
  }

  /** Those whose last run has ended and was not told of; they count as told from now on. */
  takeNews(): readonly Schedule[] {
    // Mostly there is none, and whoever only looks keeps nobody waiting.
    if (!this.list().some(isNews)) return [];
    return this.#db.transaction('jobs', () => {
      settleDead(this.#db);
      const news = this.list().filter(isNews);
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

const jobOf = (schedule: ScheduleId, job: Omit<NewJob, 'spec'>): NewJob => ({
  ...job,
  spec: {kind: 'scheduled', schedule},
});

const isNews = ({last}: Schedule): boolean => 'told' in last && last.told === 'no';

const text = z.prefault(z.string(), '');

const keptSchedule = z.object({
  id: z.pipe(z.string(), z.transform(scheduleId)),
  cron: text,
  prompt: text,
  directory: text,
  mode: z.enum(permissionModes),
  createdAt: z.number(),
});

/** Nothing for a row that is damaged. */
const scheduleIn = (row: Row, jobs: ReadonlyMap<string, Job>): readonly Schedule[] =>
  parsed(keptSchedule, row['body']).map(kept => ({
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
