import type {Places} from '../config/places.ts';
import {narrowerMode, type PermissionMode} from '../domain/risk.ts';
import type {Schedule} from '../domain/schedule.ts';
import {openScheduleStore, type ScheduleStore} from '../store/schedule-store.ts';
import {unwrap} from './exit-code.ts';
import {loadRunContext} from './run-context.ts';
import {userDatabase} from './user-database.ts';

/** Opens the schedules in the user's database. */
export const openUserSchedules = async ({database}: Pick<Places, 'database'>): Promise<ScheduleStore> =>
  unwrap(openScheduleStore({database: await userDatabase(database), now: () => Date.now(), process}));

/** What reads cron expressions. One that cannot be read any more is due in a day, so that it is not tried without end. */
export async function loadNext(): Promise<(schedule: Schedule, after: number) => number> {
  const {nextTime} = await import('../tasks/cron.ts');
  return ({cron}, after) => {
    const next = nextTime(cron, after);
    return next.tag === 'ok' ? next.value : after + 86_400_000;
  };
}

/** The mode, or that of the folder's settings where it lets less through: nothing scheduled may do more than the user lets weft do. */
export const modeWithin = (mode: PermissionMode, directory: string): PermissionMode =>
  narrowerMode(
    mode,
    loadRunContext({directory, added: [], options: {sessionPersistence: true, color: false}}).settings.permissionMode,
  );
