import {randomInt} from 'node:crypto';
import type {DatabaseChoice} from '../config/places.ts';
import {causeText} from '../domain/fault.ts';
import type {JobStore} from '../domain/job.ts';
import type {Schedule} from '../domain/schedule.ts';
import {makeJobStore} from '../store/job-store.ts';
import type {Store} from '../store/open-store.ts';
import {PlanStore} from '../store/plan-store.ts';
import type {RunQueue} from '../store/postgres/run-queue.ts';
import {ScheduleStore} from '../store/schedule-store.ts';
import {StackStore} from '../store/stack-store.ts';
import {UsageError} from './exit-code.ts';
import {type InDatabase, now, openUserDatabase, sessionsIn} from './user-database.ts';
import {userPlaces} from './user-data.ts';

/** The stores in the user's database, over one connection. */
export interface UserStores {
  readonly sessions: Store;
  readonly jobs: JobStore;
  readonly plans: PlanStore;
  readonly schedules: ScheduleStore;
  readonly stack: StackStore;
  close(): void;
}

const digits = (): string =>
  randomInt(16 ** 6)
    .toString(16)
    .padStart(6, '0');

export async function openUserStores(places: InDatabase): Promise<UserStores> {
  const database = await openUserDatabase(places);
  const [sessions, jobs] = [sessionsIn(database), makeJobStore(database, now)];
  return {
    sessions,
    jobs,
    plans: new PlanStore(database, now),
    schedules: new ScheduleStore(database),
    stack: new StackStore(database, {now, digits}),
    close() {
      sessions.close();
      jobs.close();
    },
  };
}

/** Opens the user's stores for `work`, and closes them afterwards. */
export async function withUserStores<T>(
  work: (stores: UserStores) => T | Promise<T>,
  places: InDatabase = userPlaces(),
): Promise<T> {
  const stores = await openUserStores(places);
  try {
    return await work(stores);
  } finally {
    stores.close();
  }
}

/** Opens the job queue of a shared store. */
export async function openUserQueue(
  {url}: DatabaseChoice & {readonly kind: 'postgres'},
  note: (line: string) => void,
): Promise<RunQueue> {
  const {openRunQueue} = await import('../store/postgres/run-queue.ts');
  try {
    return await openRunQueue(url, note);
  } catch (cause) {
    throw new UsageError(`Can't open the job queue: ${causeText(cause)}`);
  }
}

/**
 * Loads the parser of cron expressions. An expression that is no longer valid is next due in a day, so that it is not retried
 * endlessly.
 */
export async function loadNextTime(): Promise<(schedule: Schedule, after: number) => number> {
  const {nextTime} = await import('../tasks/cron.ts');
  return ({cron}, after) => {
    const next = nextTime(cron, after);
    return next.tag === 'ok' ? next.value : after + 86_400_000;
  };
}
