import {randomInt} from 'node:crypto';
import type {DatabaseChoice} from '../config/places.ts';
import type {Outcome} from '../base/outcome.ts';
import {causeText, type Fault} from '../domain/fault.ts';
import type {JobStore} from '../domain/job.ts';
import type {Schedule} from '../domain/schedule.ts';
import {type KeptOptions, openJobStore} from '../store/job-store.ts';
import {openPlanStore, type PlanStore} from '../store/plan-store.ts';
import type {RunQueue} from '../store/postgres/run-queue.ts';
import {openScheduleStore, type ScheduleStore} from '../store/schedule-store.ts';
import {openStackStore, type StackStore} from '../store/stack-store.ts';
import {UsageError, unwrap} from './exit-code.ts';
import {userDatabase} from './user-database.ts';

type InDatabase = {readonly database: DatabaseChoice};

async function opened<T>(open: (options: KeptOptions) => Outcome<T, Fault>, {database}: InDatabase): Promise<T> {
  return unwrap(open({database: await userDatabase(database), now: () => Date.now(), process}));
}

/** The user's jobs, plans and schedules; each opens the user's database. */
export const openUserJobs = (places: InDatabase): Promise<JobStore> => opened(openJobStore, places);
export const openUserPlans = (places: InDatabase): Promise<PlanStore> => opened(openPlanStore, places);
export const openUserSchedules = (places: InDatabase): Promise<ScheduleStore> => opened(openScheduleStore, places);

export const openUserStack = (places: InDatabase): Promise<StackStore> =>
  opened(
    options =>
      openStackStore({
        ...options,
        digits: () =>
          randomInt(16 ** 6)
            .toString(16)
            .padStart(6, '0'),
      }),
    places,
  );

/** Opens the queue of a store that several machines share. */
export async function openUserQueue(
  {url}: DatabaseChoice & {readonly kind: 'postgres'},
  note: (line: string) => void,
): Promise<RunQueue> {
  const {openRunQueue} = await import('../store/postgres/run-queue.ts');
  try {
    return await openRunQueue(url, note);
  } catch (cause) {
    throw new UsageError(`The queue of the store cannot be opened: ${causeText(cause)}`);
  }
}

/** Loads the reader of cron expressions. One that cannot be read any more is due in a day, so that it is not tried without end. */
export async function loadNext(): Promise<(schedule: Schedule, after: number) => number> {
  const {nextTime} = await import('../tasks/cron.ts');
  return ({cron}, after) => {
    const next = nextTime(cron, after);
    return next.tag === 'ok' ? next.value : after + 86_400_000;
  };
}
