import {isJsonObject, type Json, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {parseSessionId, scheduleId, type ScheduleId, type SessionId} from '../domain/ids.ts';
import {permissionModes} from '../domain/risk.ts';
import type {LastRun, Schedule} from '../domain/schedule.ts';
import type {Row} from './database.ts';
import {OwnedRows, type OwnedRowsOptions, textOf} from './owned-rows.ts';

/**
 * The schedules of a user. Of several processes that look for what is due, one gets it. All methods throw a `StoreError` when the
 * database fails; nothing was changed then.
 */
export interface ScheduleStore {
  add(schedule: Schedule): void;
  find(id: ScheduleId): Schedule | 'unknown';
  /** What comes next first. */
  list(): readonly Schedule[];
  remove(id: ScheduleId): 'removed' | 'unknown';
  /** The next time of any schedule, in milliseconds since the epoch. */
  nextAt(): number | 'none';
  /**
   * Takes one that is due, to be run by this process: it is running then, and due again at the time that `next` says. One that still
   * runs is passed over until that time.
   */
  takeDue(now: number, next: (schedule: Schedule) => number): Schedule | 'none';
  /** Takes this one now. */
  take(id: ScheduleId, now: number): Outcome<Schedule, 'unknown' | 'running'>;
  /**
   * The same by a worker, of what was taken to be queued: it is this process's own run from now on. One that was cut off keeps the session
   * it ran in. `running` where another process does it.
   */
  takeUp(id: ScheduleId, now: number): Outcome<Schedule, 'unknown' | 'running'>;
  /** Keeps what becomes of a run; nothing where the schedule was removed. */
  tell(id: ScheduleId, last: LastRun): void;
  /** Those whose last run has ended and was not told of; they count as told from now on. */
  takeNews(): readonly Schedule[];
  close(): void;
}

/** Opens the schedules; missing folders, file and tables are made. */
export function openScheduleStore(options: OwnedRowsOptions): Outcome<ScheduleStore, Fault> {
  const opened = OwnedRows.open(options);
  return opened.tag === 'failed' ? opened : ok(new SqliteSchedules(opened.value));
}

class SqliteSchedules implements ScheduleStore {
  readonly #rows: OwnedRows;

  constructor(rows: OwnedRows) {
    this.#rows = rows;
  }

  add(schedule: Schedule): void {
    const {pid, started, at} = this.#rows.own();
    this.#rows.guard(() =>
      this.#rows.db.run(
        'INSERT INTO schedules (id, body, next_at, pid, started, at) VALUES (?, ?, ?, ?, ?, ?)',
        schedule.id,
        JSON.stringify(schedule),
        Math.trunc(schedule.nextAt),
        pid,
        started,
        at,
      ),
    );
  }

  find(id: ScheduleId): Schedule | 'unknown' {
    return this.#rows.guard(() => this.#read(this.#rows.db.first('SELECT * FROM schedules WHERE id = ?', id)));
  }

  list(): readonly Schedule[] {
    return this.#rows.guard(() =>
      this.#rows.db
        .all('SELECT * FROM schedules ORDER BY next_at, id')
        .map(row => this.#read(row))
        .filter(schedule => schedule !== 'unknown'),
    );
  }

  remove(id: ScheduleId): 'removed' | 'unknown' {
    return this.#rows.transaction('schedules', () => {
      if (this.#rows.db.first('SELECT 1 FROM schedules WHERE id = ?', id) === undefined) return 'unknown';
      this.#rows.db.run('DELETE FROM schedules WHERE id = ?', id);
      return 'removed';
    });
  }

  nextAt(): number | 'none' {
    const row = this.#rows.guard(() => this.#rows.db.first('SELECT MIN(next_at) AS next FROM schedules'));
    return typeof row?.['next'] === 'number' ? row['next'] : 'none';
  }

  takeDue(now: number, next: (schedule: Schedule) => number): Schedule | 'none' {
    return this.#rows.transaction('schedules', () => {
      const due = this.#rows.db.all('SELECT * FROM schedules WHERE next_at <= ? ORDER BY next_at, id', Math.trunc(now));
      for (const row of due) {
        const found = this.#read(row);
        if (found === 'unknown') continue;
        const schedule = {...found, nextAt: next(found)};
        if (schedule.last.state !== 'running') return this.#claim(schedule, now);
        this.#write(schedule);
      }
      return 'none';
    });
  }

  take(id: ScheduleId, now: number): Outcome<Schedule, 'unknown' | 'running'> {
    return this.#rows.transaction('schedules', () => {
      const found = this.#read(this.#rows.db.first('SELECT * FROM schedules WHERE id = ?', id));
      if (found === 'unknown') return failed('unknown');
      return found.last.state === 'running' ? failed('running') : ok(this.#claim(found, now));
    });
  }

  takeUp(id: ScheduleId, now: number): Outcome<Schedule, 'unknown' | 'running'> {
    return this.#rows.transaction('schedules', () => {
      const found = this.#read(this.#rows.db.first('SELECT * FROM schedules WHERE id = ?', id));
      if (found === 'unknown') return failed('unknown');
      const {last} = found;
      if (last.state === 'running' && last.session !== 'not-open') return failed('running');
      const session = last.state === 'stopped' ? last.session : 'not-open';
      return ok(this.#claim(found, now, session));
    });
  }

  tell(id: ScheduleId, last: LastRun): void {
    this.#rows.transaction('schedules', () => {
      const found = this.#read(this.#rows.db.first('SELECT * FROM schedules WHERE id = ?', id));
      if (found !== 'unknown') this.#write({...found, last});
    });
  }

  takeNews(): readonly Schedule[] {
    // Mostly there is none, and whoever only looks keeps nobody waiting.
    if (!this.list().some(isNews)) return [];
    return this.#rows.transaction('schedules', () => {
      const news = this.#rows.db
        .all('SELECT * FROM schedules ORDER BY next_at, id')
        .map(row => this.#read(row))
        .filter(schedule => schedule !== 'unknown')
        .filter(isNews);
      for (const schedule of news) this.#write({...schedule, last: {...schedule.last, told: 'yes'}});
      return news;
    });
  }

  close(): void {
    this.#rows.db.close();
  }

  #claim(schedule: Schedule, now: number, session: SessionId | 'not-open' = 'not-open'): Schedule {
    const claimed: Schedule = {...schedule, last: {state: 'running', at: now, session}};
    this.#write(claimed);
    const {pid, started, at} = this.#rows.own();
    this.#rows.db.run('UPDATE schedules SET pid = ?, started = ?, at = ? WHERE id = ?', pid, started, at, schedule.id);
    return claimed;
  }

  #write(schedule: Schedule): void {
    this.#rows.db.run(
      'UPDATE schedules SET body = ?, next_at = ? WHERE id = ?',
      JSON.stringify(schedule),
      Math.trunc(schedule.nextAt),
      schedule.id,
    );
  }

  #read(row: Row | undefined): Schedule | 'unknown' {
    const schedule = row === undefined ? undefined : scheduleIn(String(row['body']));
    if (row === undefined || schedule === undefined) return 'unknown';
    const {last} = schedule;
    if (last.state !== 'running' || !this.#rows.isCutOff(row)) return schedule;
    return {...schedule, last: {...last, state: 'stopped', trouble: 'weft was cut off', told: 'no'}};
  }
}

type News = Schedule & {readonly last: Extract<LastRun, {readonly told: string}>};

const isNews = (schedule: Schedule): schedule is News => 'told' in schedule.last && schedule.last.told === 'no';

/** `undefined` for a row that is damaged. */
function scheduleIn(body: string): Schedule | undefined {
  const parsed = parseJson(body);
  if (parsed.tag === 'failed' || !isJsonObject(parsed.value)) return undefined;
  const {id, cron, prompt, directory, mode, createdAt, nextAt, last} = parsed.value;
  const known = permissionModes.find(each => each === mode);
  if (known === undefined) return undefined;
  return {
    id: scheduleId(textOf(id)),
    cron: textOf(cron),
    prompt: textOf(prompt),
    directory: textOf(directory),
    mode: known,
    createdAt: Number(createdAt),
    nextAt: Number(nextAt),
    last: lastIn(last),
  };
}

function lastIn(last: Json | undefined): LastRun {
  if (!isJsonObject(last)) return {state: 'none'};
  const {state, at, trouble, told} = last;
  const session: SessionId | 'not-open' = parseSessionId(textOf(last['session'])) ?? 'not-open';
  switch (state) {
    case 'running':
      return {state, at: Number(at), session};
    case 'completed':
    case 'failed':
    case 'stopped':
      return {state, at: Number(at), session, trouble: textOf(trouble), told: told === 'no' ? told : 'yes'};
    default:
      return {state: 'none'};
  }
}
